import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// Observers that act on the command they observe.
@Suite struct FeedbackTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  /// A command whose work ends at once, and a limit to how often an observer executes it.
  private func command(_ count: Int) -> (Command<Int, Int>, @Sendable () -> Int?) {
    let command = Command<Int, Int>(scheduler: shop.scheduler) { input in
      self.journal.note("block \(input)")
      return .just(input)
    }
    return (command, Remaining(Array(1...count)).next)
  }

  private final class Remaining: Sendable {
    private let left: Mutex<[Int]>
    init(_ numbers: [Int]) { left = Mutex(numbers.reversed()) }
    @Sendable func next() -> Int? { left.withLock { $0.popLast() } }
  }

  @Test func executingFromAnObserverOfExecuting() {
    let (command, next) = command(3)
    command.executing.subscribe(next: { [weak command] executing in
      if !executing, let input = next() { command?.execute(input) }
    })
    shop.advance()
    #expect(journal.lines == ["block 1", "block 2", "block 3"])
  }

  @Test func executingFromAnObserverOfEnabled() {
    let (command, next) = command(3)
    command.enabled.subscribe(next: { [weak command] enabled in
      if enabled, let input = next() { command?.execute(input) }
    })
    shop.advance()
    #expect(journal.lines == ["block 1", "block 2", "block 3"])
  }

  @Test func executingFromAnObserverOfImmediateEnabled() {
    let (command, next) = command(3)
    command.immediateEnabled.subscribe(next: { [weak command] enabled in
      if enabled, let input = next() { command?.execute(input) }
    })
    shop.advance()
    #expect(journal.lines == ["block 1", "block 2", "block 3"])
  }

  @Test func executingFromAnObserverOfExecutions() {
    let command = shop.command(limit: .unlimited)
    command.executions.subscribe(next: { [weak command] execution in
      if execution.input < 3 { command?.execute(execution.input + 1) }
    })
    journal.follow(command)
    _ = journal.take()
    command.execute(1)
    shop.advance()
    #expect(
      journal.take() == [
        "execution 1", "executing true", "work 1", "execution 2", "work 2", "execution 3", "work 3",
      ])
  }

  @Test func executingFromAnObserverOfErrors() {
    let command = Command<Int, Int>(scheduler: shop.scheduler) { input in
      input < 3 ? Signal { observer, _ in observer.end(.error(TestError.failure)) } : .just(input)
    }
    let executions = Recorder(command.executions)
    let errors = Recorder(command.errors)
    let inputs = Remaining([2, 3])
    command.errors.subscribe(next: { [weak command] _ in
      if let input = inputs.next() { command?.execute(input) }
    })
    command.execute(1)
    shop.advance()
    #expect(executions.values.map(\.input) == [1, 2, 3])
    #expect(errors.values.count == 2)
  }

  @Test func executingFromAnObserverOfDisabledErrors() {
    let command = shop.command()
    let rejections = Remaining([2, 3])
    let disabled = Recorder(command.disabledErrors)
    command.disabledErrors.subscribe(next: { [weak command] _ in
      if let input = rejections.next() { command?.execute(input) }
    })
    command.execute(1)
    command.execute(1)
    shop.advance()
    #expect(disabled.values.count == 3)
  }

  @Test func aConditionDerivedFromTheCommandsOwnExecuting() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition, limit: .unlimited)
    let enabled = Recorder(command.enabled)
    command.executing.subscribe(next: { condition.sendNext(!$0) })
    command.execute(1)
    shop.advance()
    #expect(command.execute(2).state == .failed)
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(command.execute(3).state == .running)
    shop.advance()
    #expect(enabled.values == [true, false, true, false])
  }

  @Test func changingTheLimitInAnObserver() {
    let command = shop.command()
    command.executing.subscribe(next: { [weak command] in command?.allowsConcurrentExecution = $0 })
    let limits = Recorder(command.concurrencyLimits)
    command.execute(1)
    shop.advance()
    #expect(command.execute(2).state == .running)
    shop.advance()
    shop.work(1).sendCompleted()
    shop.work(2).sendCompleted()
    shop.advance()
    #expect(limits.values == [.serial, .unlimited, .serial])
  }

  @Test func cancellingFromAnObserverOfExecuting() {
    let command = shop.command()
    let executing = Recorder(command.executing)
    command.executing.subscribe(next: { [weak command] executing in
      if executing { command?.activeExecutionSignals.forEach { $0.cancel() } }
    })
    command.execute(1)
    shop.advance()
    #expect(executing.values == [false, true, false])
    #expect(journal.lines.isEmpty)
  }

  @Test func anObserverThatExecutesForeverLeavesTurnsToOthers() {
    let command = Command<Int, Int>(scheduler: shop.scheduler) { .just($0) }
    let counter = RoundCounter()
    command.executing.subscribe(next: { [weak command] executing in
      if !executing, !counter.isStopped { command?.execute(counter.next()) }
    })
    // It comes after the first turn of the command, and ends the rounds.
    shop.scheduler.schedule { counter.stop() }
    shop.advance()
    #expect(counter.count > 1 && counter.count < 1000)
  }

  private final class RoundCounter: Sendable {
    private let rounds = Atomic<Int>(0)
    private let stopped = Atomic<Bool>(false)
    var count: Int { rounds.load(ordering: .relaxed) }
    var isStopped: Bool { stopped.load(ordering: .relaxed) }
    func stop() { stopped.store(true, ordering: .relaxed) }
    func next() -> Int { rounds.wrappingAdd(1, ordering: .relaxed).newValue }
  }
}
