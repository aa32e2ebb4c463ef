import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct ExecutionTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  @Test func replaysEverythingToALateSubscriber() {
    let command = shop.command()
    let execution = command.execute(1)
    shop.advance()
    for value in ["a", "b", "c"] { shop.work(1).sendNext(value) }
    shop.work(1).sendCompleted()
    let late = Recorder(execution)
    #expect(late.values == ["a", "b", "c"])
    #expect(late.isCompleted)
  }

  @Test func replaysAsManyValuesAsItsCapacity() {
    let command = shop.command(replayCapacity: 2)
    let execution = command.execute(1)
    let early = Recorder(execution)
    shop.advance()
    for value in ["a", "b", "c"] { shop.work(1).sendNext(value) }
    shop.work(1).sendError(TestError.failure)
    let late = Recorder(execution)
    #expect(early.values == ["a", "b", "c"])
    #expect(late.values == ["b", "c"])
    #expect(late.error as? TestError == .failure)
  }

  @Test func subscribesTheWorkOnceForAllSubscribers() {
    let command = shop.command()
    let execution = command.execute(1)
    let recorders = (1...3).map { _ in Recorder(execution) }
    shop.advance()
    shop.work(1).sendNext("a")
    #expect(recorders.allSatisfy { $0.values == ["a"] })
    #expect(journal.lines == ["work 1"])
  }

  @Test func disposingASubscriptionDoesNotCancel() {
    let command = shop.command()
    let execution = command.execute(1)
    shop.advance()
    execution.subscribe().dispose()
    #expect(execution.state == .running)
    #expect(shop.disposed.isEmpty)
  }

  @Test func idsIncreaseAcrossCommands() {
    let ids = [shop.command(), shop.command()].map { $0.execute(1).id }
    #expect(ids[0] < ids[1])
  }

  @Test func keepsItsInputAndCommand() {
    let execution = shop.command().execute(42)
    #expect(execution.input == 42)
    #expect(execution.commandName == "bench")
  }

  // MARK: Cancellation

  @Test func cancellingDisposesTheWorkAndEndsTheSubscribers() {
    let command = shop.command()
    let execution = command.execute(1)
    let recorder = Recorder(execution)
    let errors = Recorder(command.errors)
    let executing = Recorder(command.executing)
    shop.advance()
    execution.cancel()
    #expect(execution.state == .cancelled)
    #expect(execution.error as? CommandError == .cancelled)
    #expect(recorder.error as? CommandError == .cancelled)
    #expect(shop.disposed == [1])
    shop.advance()
    #expect(errors.values.isEmpty)
    #expect(executing.values == [false, true, false])
  }

  @Test func cancellingFreesTheSlotAtOnceIfNothingIsLeftToEnd() {
    let command = shop.command()
    let execution = command.execute(1)
    shop.advance()
    execution.cancel()
    #expect(command.execute(2).state == .running)
  }

  @Test func aSubscriberMayExecuteAgainWhenItHearsOfTheEnd() {
    let command = shop.command()
    let execution = command.execute(1)
    execution.subscribe(error: { _ in
      self.journal.note("again \(command.execute(2).state.rawValue)")
    })
    shop.advance()
    _ = journal.take()
    execution.cancel()
    #expect(journal.take() == ["again running"])
  }

  @Test func cancellingBeforeTheStartKeepsTheWorkFromStarting() {
    let command = shop.command()
    journal.follow(command)
    _ = journal.take()
    let execution = command.execute(1)
    execution.cancel()
    #expect(command.disabledError == nil)
    shop.advance()
    #expect(
      journal.take() == [
        "execution 1", "executing true", "enabled false", "executing false", "enabled true",
      ])
  }

  @Test func cancellingInAnObserverOfTheExecutionKeepsTheWorkFromStarting() {
    let command = shop.command()
    command.executions.subscribe(next: { $0.cancel() })
    let execution = command.execute(1)
    shop.advance()
    #expect(execution.state == .cancelled)
    #expect(journal.lines.isEmpty)
    #expect(Recorder(command.executing).values == [false])
  }

  @Test func cancellingAfterTheEndDoesNothing() {
    let command = shop.command()
    let execution = command.execute(1)
    shop.advance()
    shop.work(1).sendCompleted()
    let next = command.execute(2)
    execution.cancel()
    execution.cancel()
    #expect(execution.state == .completed)
    #expect(next.state == .running)
  }

  @Test func nothingArrivesAfterCancellation() {
    let command = shop.command()
    let execution = command.execute(1)
    let recorder = Recorder(execution)
    shop.advance()
    shop.work(1).sendNext("a")
    execution.cancel()
    shop.work(1).sendNext("b")
    shop.work(1).sendError(TestError.failure)
    #expect(recorder.values == ["a"])
    #expect(recorder.entries.count == 2)
    #expect(recorder.violations.isEmpty)
  }

  @Test func workThatCancelsItsExecutionWhileItIsSubscribedHoldsTheSlotUntilThen() {
    let own = Mutex<Execution<Int, Int>?>(nil)
    let commandBox = Mutex<Command<Int, Int>?>(nil)
    let command = Command<Int, Int>(scheduler: shop.scheduler) { input in
      Signal { observer, _ in
        guard input == 1 else { return observer.end(.completed) }
        own.withLock { $0 }?.cancel()
        let second = commandBox.withLock { $0 }?.execute(2)
        self.journal.note("inside \(second?.state.rawValue ?? "")")
      }
    }
    commandBox.withLock { $0 = command }
    let execution = command.execute(1)
    own.withLock { $0 = execution }
    shop.advance()
    #expect(journal.lines == ["inside failed"])
    #expect(command.execute(3).state == .running)
    commandBox.withLock { $0 = nil }
    own.withLock { $0 = nil }
  }

  // MARK: Work that ends late

  @Test func theSlotIsHeldUntilTheWorkHasReallyEnded() {
    let command = shop.slowCommand()
    let execution = command.execute(1)
    let executing = Recorder(command.executing)
    let recorder = Recorder(execution)
    shop.advance()
    execution.cancel()
    shop.advance()
    #expect(recorder.error as? CommandError == .cancelled)
    #expect(command.execute(2).state == .failed)
    #expect(executing.values == [false, true])
    #expect(command.activeExecutionSignals.isEmpty)
    shop.finishTeardown(1)
    shop.advance()
    #expect(executing.values == [false, true, false])
    #expect(command.execute(3).state == .running)
  }

  @Test func workThatFailsHoldsTheSlotUntilItHasEndedToo() {
    let command = shop.slowCommand()
    journal.follow(command)
    command.execute(1)
    shop.advance()
    _ = journal.take()
    shop.work(1).sendError(TestError.failure)
    shop.advance()
    #expect(journal.take() == ["ending 1", "errors failure"])
    #expect(command.disabledError != nil)
    shop.finishTeardown(1)
    shop.advance()
    #expect(journal.take() == ["executing false", "enabled true"])
  }

  @Test func anInnerSignalOfTheWorkHoldsTheSlot() {
    let done = Mutex<(@Sendable () -> Void)?>(nil)
    let command = Command<Int, Int>(scheduler: shop.scheduler) { _ in
      Signal { observer, subscription in
        let child = subscription.makeChild()
        child.addAsync { finish in done.withLock { $0 = finish } }
        // The inner signal is cut off, the outer one ends.
        child.dispose()
        observer.end(.completed)
      }
    }
    let execution = command.execute(1)
    shop.advance()
    #expect(execution.state == .completed)
    #expect(command.disabledError != nil)
    done.withLock { $0 }?()
    #expect(command.disabledError == nil)
  }

  @Test func teardownThatIsForgottenDoesNotHoldTheSlot() {
    let command = Command<Int, Int>(scheduler: shop.scheduler) { _ in
      Signal { _, subscription in subscription.addAsync { _ in } }
    }
    let execution = command.execute(1)
    shop.advance()
    execution.cancel()
    #expect(command.disabledError == nil)
  }

  @Test func immediateEnabledIsTrueBeforeTheEndIsTold() {
    let command = shop.command()
    let enabled = Recorder(command.immediateEnabled)
    let execution = command.execute(1)
    let seen = Mutex<Bool?>(nil)
    execution.subscribe(completed: { seen.withLock { $0 = enabled.values.last } })
    shop.advance()
    #expect(enabled.values == [true, false])
    shop.work(1).sendCompleted()
    #expect(seen.withLock { $0 } == true)
  }

  @Test func whatAnExecutionReleasesMayUseTheCommand() {
    final class Visitor: Sendable {
      let visit: @Sendable () -> Void

      init(_ visit: @escaping @Sendable () -> Void) {
        self.visit = visit
      }

      deinit {
        visit()
      }
    }
    let scheduler = shop.scheduler
    let visits = Mutex(0)
    let finish = Mutex<(@Sendable () -> Void)?>(nil)
    let held = Mutex<Command<Int, Visitor>?>(nil)
    let command = Command<Int, Visitor>(scheduler: scheduler) { _ in
      Signal { observer, subscription in
        subscription.addAsync { done in finish.withLock { $0 = done } }
        observer.next(
          Visitor {
            let error = held.withLock { $0 }?.disabledError
            if error == nil { visits.withLock { $0 += 1 } }
          })
        observer.end(.completed)
      }
    }
    held.withLock { $0 = command }
    command.execute(1)
    scheduler.advance()
    finish.withLock { $0.take() }?()
    scheduler.advance()
    #expect(visits.withLock { $0 } == 1)
    held.withLock { $0 = nil }
  }
}
