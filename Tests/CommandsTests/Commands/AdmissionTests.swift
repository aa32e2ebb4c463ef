import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct AdmissionTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  @Test func publishesTheExecutionThenExecutingThenEnabledThenStartsTheWork() {
    let command = shop.command()
    journal.follow(command)
    _ = journal.take()
    command.execute(1)
    #expect(journal.take() == [])
    shop.advance()
    #expect(journal.take() == ["execution 1", "executing true", "enabled false", "work 1"])
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(journal.take() == ["executing false", "enabled true"])
  }

  @Test func callsTheSignalBlockOnceAndSynchronously() {
    let command = shop.command()
    command.execute(7)
    #expect(shop.calls == [7])
    shop.advance()
    #expect(shop.calls == [7])
  }

  @Test func doesNotCallTheSignalBlockOfARejectedExecution() {
    let command = shop.command()
    command.execute(1)
    command.execute(2)
    shop.advance()
    #expect(shop.calls == [1])
  }

  @Test func holdsTheSlotWhileTheSignalBlockIsCalled() {
    let inner = Mutex<Execution<Int, Int>?>(nil)
    let own = Mutex<Command<Int, Int>?>(nil)
    let command = Command<Int, Int>(scheduler: shop.scheduler) { input in
      if input == 1 {
        let command = own.withLock { $0 }
        let execution = command?.execute(2)
        inner.withLock { $0 = execution }
      }
      return .just(input)
    }
    own.withLock { $0 = command }
    command.execute(1)
    #expect(inner.withLock { $0?.state } == .failed)
    own.withLock { $0 = nil }
  }

  @Test func admitsNoMoreThanOneExecutionBeforeTheSchedulerHasHadATurn() {
    let command = shop.command()
    let first = command.execute(1)
    let second = command.execute(2)
    #expect(first.state == .running)
    #expect(second.state == .failed)
  }

  @Test func subscribesTheWorkOnTheScheduler() {
    let current = Mutex<Scheduler?>(nil)
    let command = Command<Int, Int>(scheduler: shop.scheduler) { _ in
      Signal { observer, _ in
        current.withLock { $0 = Scheduler.current }
        observer.end(.completed)
      }
    }
    command.execute(1)
    #expect(current.withLock { $0 } == nil)
    shop.advance()
    #expect(current.withLock { $0 } === shop.scheduler)
  }

  @Test func aRejectedExecutionHasFailedWithNotEnabled() {
    let command = shop.command()
    command.execute(1)
    let rejected = Recorder(command.execute(2))
    let error = rejected.error as? CommandError
    #expect(error?.disabledReason == .busy(limit: .serial))
    #expect(error?.description == "the command 'bench' is not enabled: it is executing")
  }

  @Test func eachRejectionIsSentOnDisabledErrorsAndNotOnErrors() {
    let command = shop.command()
    journal.follow(command)
    command.execute(1)
    command.execute(2)
    command.execute(3)
    _ = journal.take()
    shop.advance()
    #expect(
      journal.take() == [
        "execution 1", "executing true", "enabled false", "work 1", "disabled notEnabled",
        "disabled notEnabled",
      ])
  }

  @Test func aSignalBlockThatThrowsMakesAFailedExecution() {
    let command = Command<Int, Int>(scheduler: shop.scheduler) { _ in throw TestError.failure }
    journal.follow(command)
    _ = journal.take()
    let execution = command.execute(1)
    shop.advance()
    #expect(execution.state == .failed)
    #expect(execution.error as? TestError == .failure)
    #expect(
      journal.take() == [
        "execution 1", "executing true", "enabled false", "errors failure", "executing false",
        "enabled true",
      ])
  }

  @Test func anExecutionThatNobodyHoldsRuns() {
    let command = shop.command()
    journal.follow(command.executionSignals.map { _ in "one" }, "signals")
    command.execute(1)
    shop.advance()
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(journal.lines == ["signals one", "work 1"])
    #expect(command.activeExecutionSignals.isEmpty)
  }

  @Test func saysWhyItWouldNotExecute() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition)
    #expect(command.disabledError == nil)
    command.execute(1)
    #expect(command.disabledError?.disabledReason == .busy(limit: .serial))
    condition.sendNext(false)
    #expect(command.disabledError?.disabledReason == .condition)
    #expect(
      command.disabledError?.description
        == "the command 'bench' is not enabled: its condition is false")
  }
}
