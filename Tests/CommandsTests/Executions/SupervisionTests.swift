import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// Timeouts and retries.
@Suite struct SupervisionTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  /// A command whose work fails the first `failures` times it is subscribed, after a second each.
  private func flakyCommand(
    _ failures: Int, options: ExecutionOptions
  ) -> Command<Int, Int> {
    let counter = Counter()
    return Command(scheduler: shop.scheduler, options: options) { [shop] _ in
      Signal { observer, subscription in
        let number = counter.next()
        observer.next(number)
        subscription.add(
          shop.scheduler.schedule(after: .seconds(1)) {
            observer.end(number <= failures ? .error(TestError.failure) : .completed)
          })
      }
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  // MARK: Timeouts

  @Test func aTimeoutDoesNotCountWhileItIsPaused() {
    let command = Command<Int, Int>(
      scheduler: shop.scheduler, options: ExecutionOptions(timeout: .seconds(5))
    ) { _ in .never() }
    let recorder = Recorder<Int>(on: shop.scheduler)
    let execution = command.execute(1)
    recorder.observe(execution)
    shop.advance(by: .seconds(2))
    execution.pauseTimeout()
    shop.advance(by: .seconds(4))
    // Each reason counts.
    execution.pauseTimeout()
    execution.resumeTimeout()
    shop.advance(by: .seconds(4))
    execution.resumeTimeout()
    shop.advance(by: .seconds(20))
    #expect(recorder.error as? CommandError == .timeout(after: .seconds(5)))
    #expect(recorder.entries.map(\.time) == [.seconds(13)])
  }

  @Test func anExecutionThatHasEndedStartsNoTimeoutAgain() {
    let command = flakyCommand(0, options: ExecutionOptions(timeout: .seconds(5)))
    let recorder = Recorder<Int>(on: shop.scheduler)
    let execution = command.execute(1)
    recorder.observe(execution)
    shop.advance(by: .zero)
    execution.pauseTimeout()
    shop.advance(by: .seconds(10))
    execution.resumeTimeout()
    shop.advance(by: .seconds(20))
    #expect(recorder.isCompleted)
    #expect(recorder.entries.map(\.time) == [.zero, .seconds(1)])
  }

  // MARK: Retries

  @Test func retriesAfterTheDelayAndKeepsTheSlot() {
    let command = flakyCommand(
      2, options: ExecutionOptions(retry: .init(times: 3, delay: .seconds(2))))
    let executing = Recorder(command.executing)
    let errors = Recorder(command.errors)
    let recorder = Recorder<Int>(on: shop.scheduler)
    let execution = command.execute(1)
    recorder.observe(execution)
    shop.advance(by: .seconds(20))
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.isCompleted)
    #expect(
      recorder.entries.map(\.time) == [.zero, .seconds(3), .seconds(6), .seconds(7)])
    #expect(errors.values.isEmpty)
    #expect(executing.values == [false, true, false])
  }

  @Test func aLateSubscriberSeesTheLastThousandAttempts() {
    let command = Command<Int, Int>(
      scheduler: shop.scheduler, options: ExecutionOptions(retry: .init(times: .max))
    ) { _ in Signal.error(TestError.failure) }
    let execution = command.execute(1)
    let live = Recorder(execution.attempts)
    execution.attempts.take(5_000).subscribe(completed: { execution.cancel() })
    shop.advance(by: .seconds(1))
    #expect(live.values.map(\.number) == Array(1...5_000))
    #expect(Recorder(execution.attempts).values.map(\.number) == Array(4_001...5_000))
  }

  @Test func failsWithTheLastErrorWhenTheRetriesAreUsedUp() {
    let command = flakyCommand(9, options: ExecutionOptions(retry: .init(times: 2)))
    let errors = Recorder(command.errors)
    let recorder = Recorder(command.execute(1))
    shop.advance(by: .seconds(20))
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.error as? TestError == .failure)
    #expect(errors.values.count == 1)
  }

  @Test func eachAttemptIsVisibleWithItsCauseAndDelay() {
    let command = flakyCommand(
      9,
      options: ExecutionOptions(retry: .init(times: 3, delay: .seconds(1), backoff: 2)))
    let execution = command.execute(1)
    let recorder = Recorder<Attempt>(on: shop.scheduler)
    recorder.observe(execution.attempts)
    shop.advance(by: .seconds(60))
    #expect(recorder.values.map(\.number) == [1, 2, 3, 4])
    #expect(recorder.values.map(\.delay) == [.zero, .seconds(1), .seconds(2), .seconds(4)])
    #expect(recorder.values.map { $0.cause as? TestError } == [nil, .failure, .failure, .failure])
    // Announced when the attempt before has failed.
    #expect(
      recorder.entries.map(\.time)
        == [.zero, .seconds(1), .seconds(3), .seconds(6), .seconds(11)])
    #expect(recorder.isCompleted)
    #expect(Recorder(execution.attempts).values.count == 4)
  }

  @Test func anExecutionWithoutRetriesMakesOneAttempt() {
    let command = shop.command()
    let execution = command.execute(1)
    let attempts = Recorder(execution.attempts)
    shop.advance()
    shop.work(1).sendCompleted()
    #expect(attempts.values.map(\.number) == [1])
    #expect(attempts.isCompleted)
    #expect(Recorder(execution.attempts).values.map(\.number) == [1])
  }

  @Test func aRejectedExecutionMakesNoAttempt() {
    let command = shop.command()
    command.execute(1)
    let attempts = Recorder(command.execute(2).attempts)
    #expect(attempts.values.isEmpty)
    #expect(attempts.isCompleted)
  }

  @Test func theSignalBlockIsCalledOnceForAllAttempts() {
    let command = shop.command(options: ExecutionOptions(retry: .init(times: 3)))
    command.execute(1)
    shop.advance()
    shop.work(1).sendError(TestError.failure)
    shop.advance()
    #expect(shop.calls == [1])
    #expect(journal.lines == ["work 1", "work 1", "work 1", "work 1"])
  }

  @Test func theNextAttemptWaitsForTheTeardownOfTheLast() {
    let command = shop.slowCommand(options: ExecutionOptions(retry: .init(times: 1)))
    command.execute(1)
    shop.advance()
    shop.work(1).sendError(TestError.failure)
    shop.advance()
    #expect(journal.lines == ["work 1", "ending 1"])
    shop.finishTeardown(1)
    shop.advance()
    #expect(journal.lines == ["work 1", "ending 1", "work 1", "ending 1"])
  }

  @Test func cancellingBetweenAttemptsFreesTheSlot() {
    let command = flakyCommand(
      9, options: ExecutionOptions(retry: .init(times: 9, delay: .seconds(5))))
    let execution = command.execute(1)
    shop.advance(by: .seconds(2))
    #expect(execution.state == .running)
    execution.cancel()
    #expect(execution.state == .cancelled)
    #expect(command.disabledError == nil)
    shop.advance()
    #expect(shop.scheduler.pendingCount == 0)
  }

  @Test func optionsOfAnExecutionReplaceThoseOfTheCommand() {
    let command = flakyCommand(1, options: ExecutionOptions(retry: .init(times: 1)))
    let execution = command.execute(1, options: ExecutionOptions())
    shop.advance(by: .seconds(5))
    #expect(execution.state == .failed)
  }

  // MARK: Timeouts

  @Test func aTimeoutIsTotalAndFailsTheExecution() {
    let command = flakyCommand(
      9, options: ExecutionOptions(timeout: .seconds(4), retry: .init(times: 9)))
    let errors = Recorder(command.errors)
    let recorder = Recorder<Int>(on: shop.scheduler)
    let execution = command.execute(1)
    recorder.observe(execution)
    shop.advance(by: .seconds(20))
    #expect(execution.state == .failed)
    #expect(recorder.error as? CommandError == .timeout(after: .seconds(4)))
    #expect(recorder.entries.last?.time == .seconds(4))
    #expect(errors.values.map { $0 as? CommandError } == [.timeout(after: .seconds(4))])
  }

  @Test func aTimeoutDisposesTheWork() {
    let command = shop.command(options: ExecutionOptions(timeout: .seconds(1)))
    command.execute(1)
    shop.advance(by: .seconds(1))
    #expect(shop.disposed == [1])
    #expect(command.disabledError == nil)
  }

  @Test func aTimeoutHoldsTheSlotUntilTheWorkHasEnded() {
    let command = shop.slowCommand(options: ExecutionOptions(timeout: .seconds(1)))
    command.execute(1)
    shop.advance(by: .seconds(1))
    #expect(command.disabledError != nil)
    shop.finishTeardown(1)
    #expect(command.disabledError == nil)
  }

  @Test func theTimeInAQueueDoesNotCount() {
    let command = shop.command(
      whenBusy: .queue(), options: ExecutionOptions(timeout: .seconds(3)))
    command.execute(1)
    let second = command.execute(2)
    shop.advance(by: .seconds(2))
    shop.work(1).sendCompleted()
    shop.advance(by: .seconds(2))
    #expect(second.state == .running)
    shop.advance(by: .seconds(1))
    #expect(second.state == .failed)
  }

  @Test func anExecutionThatEndsInTimeLeavesNoTimer() {
    let command = shop.command(options: ExecutionOptions(timeout: .seconds(100)))
    command.execute(1)
    shop.advance()
    #expect(shop.scheduler.pendingCount == 1)
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(shop.scheduler.pendingCount == 0)
  }
}
