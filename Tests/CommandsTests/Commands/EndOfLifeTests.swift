import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct EndOfLifeTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  @Test func allSignalsCompleteOnTheSchedulerWhenTheCommandIsDropped() {
    var command: Command<Int, String>? = shop.command()
    guard
      let signals = command.map({ command in
        (
          Recorder(command.executions), Recorder(command.executionSignals),
          Recorder(command.executing), Recorder(command.enabled),
          Recorder(command.immediateEnabled),
          Recorder(command.errors), Recorder(command.disabledErrors),
          Recorder(command.concurrencyLimits)
        )
      })
    else { return }
    command = nil
    func completed() -> [Bool] {
      [
        signals.0.isCompleted, signals.1.isCompleted, signals.2.isCompleted, signals.3.isCompleted,
        signals.4.isCompleted, signals.5.isCompleted, signals.6.isCompleted, signals.7.isCompleted,
      ]
    }
    #expect(completed() == Array(repeating: false, count: 8))
    shop.advance()
    #expect(completed() == Array(repeating: true, count: 8))
  }

  @Test func signalsDoNotKeepTheCommand() {
    var command: Command<Int, String>? = shop.command()
    weak let dropped = command
    let subscriptions = command.map { [$0.executing.subscribe(), $0.enabled.subscribe()] }
    command = nil
    #expect(dropped == nil)
    _ = subscriptions
  }

  @Test func whatHappenedBeforeIsPublishedBeforeTheEnd() {
    var command: Command<Int, String>? = shop.command()
    command.map { journal.follow($0) }
    _ = journal.take()
    command?.execute(1)
    command = nil
    shop.advance()
    #expect(
      journal.take().prefix(4) == ["execution 1", "executing true", "enabled false", "work 1"])
  }

  @Test func aRunningExecutionGoesOn() {
    var command: Command<Int, String>? = shop.command()
    let execution = command?.execute(1)
    shop.advance()
    command = nil
    shop.advance()
    #expect(execution?.state == .running)
    shop.work(1).sendNext("a")
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(execution?.state == .completed)
  }

  @Test func aRunningExecutionCanStillBeCancelled() {
    var command: Command<Int, String>? = shop.command()
    let execution = command?.execute(1)
    shop.advance()
    command = nil
    shop.advance()
    execution?.cancel()
    shop.advance()
    #expect(execution?.state == .cancelled)
    #expect(shop.disposed == [1])
  }

  @Test func waitingExecutionsAreCancelled() {
    var command: Command<Int, String>? = shop.command(whenBusy: .queue())
    let first = command?.execute(1)
    let second = command?.execute(2)
    command = nil
    #expect(second?.state == .cancelled)
    shop.advance()
    #expect(first?.state == .running)
    #expect(shop.calls == [1])
  }

  @Test func theConditionIsDisposed() {
    let condition = Subject<Bool>()
    let observed = Signal<Bool> { observer, subscription in
      subscription.add { self.journal.note("disposed") }
      condition.observe(observer, in: subscription)
    }
    var command: Command<Int, String>? = shop.command(enabled: observed)
    #expect(command != nil)
    command = nil
    #expect(journal.lines == ["disposed"])
  }

  @Test func droppingTheCommandInsideItsOwnObserver() {
    let box = Mutex<Command<Int, String>?>(shop.command())
    let drop: @Sendable () -> Void = {
      let command = box.withLock { stored in
        defer { stored = nil }
        return stored
      }
      _ = command
    }
    journal.note("start")
    box.withLock { $0 }.map { command in
      journal.follow(command)
      _ = journal.take()
      command.executing.subscribe(next: { if $0 { drop() } })
      command.execute(1)
    }
    shop.advance()
    #expect(box.withLock { $0 } == nil)
    #expect(
      journal.take() == [
        "execution 1", "executing true", "enabled false", "work 1", "execution completed",
        "executing completed", "enabled completed", "errors completed", "disabled completed",
      ])
  }

  @Test func droppingTheCommandInsideItsSignalBlock() {
    let box = Mutex<Command<Int, Int>?>(nil)
    let command = Command<Int, Int>(scheduler: shop.scheduler) { input in
      box.withLock { $0 = nil }
      return .just(input)
    }
    box.withLock { $0 = command }
    let execution = box.withLock { $0 }?.execute(1)
    shop.advance()
    #expect(execution?.state == .completed)
  }
}
