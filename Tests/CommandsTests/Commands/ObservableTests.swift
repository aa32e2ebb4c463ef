import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct ObservableTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  // MARK: executing

  @Test func executingSendsItsValueAtOnceAndThenChangesOnTheScheduler() {
    let command = shop.command()
    journal.follow(command.executing, "executing")
    #expect(journal.take() == ["executing false"])
    command.execute(1)
    #expect(journal.take() == [])
    shop.advance()
    #expect(journal.take() == ["executing true", "work 1"])
    shop.work(1).sendCompleted()
    #expect(journal.take() == [])
    shop.advance()
    #expect(journal.take() == ["executing false"])
  }

  @Test func executingIsTrueAtOnceForALateSubscriber() {
    let command = shop.command()
    command.execute(1)
    shop.advance()
    #expect(Recorder(command.executing).values == [true])
  }

  @Test func whoComesOrGoesWhileAValueIsSentDoesSoAtOnce() {
    let command = shop.command()
    let second = Mutex<(any Disposable)?>(nil)
    command.executing.subscribe(next: { [journal] value in
      guard value else { return }
      second.withLock { $0.take() }?.dispose()
      journal.follow(command.executing, "third")
    })
    second.withLock {
      $0 = command.executing.subscribe(next: { [journal] in journal.note("second \($0)") })
    }
    #expect(journal.take() == ["second false"])
    command.execute(1)
    shop.advance()
    #expect(journal.take() == ["third true", "work 1"])
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(journal.take() == ["third false"])
  }

  @Test func executingTurnsFalseOnlyWhenAllExecutionsHaveEnded() {
    let command = shop.command(limit: .unlimited)
    let executing = Recorder(command.executing)
    for input in 1...3 { command.execute(input) }
    shop.advance()
    shop.work(1).sendCompleted()
    shop.work(3).sendError(TestError.failure)
    shop.advance()
    #expect(executing.values == [false, true])
    shop.work(2).sendCompleted()
    shop.advance()
    #expect(executing.values == [false, true, false])
  }

  @Test func aSubjectThatIsDroppedEndsTheExecutionThatDependsOnIt() {
    let subject = Mutex<Subject<Int>?>(Subject())
    let command = Command<Int, Int>(scheduler: shop.scheduler) { _ in
      subject.withLock { $0 ?? Subject() }
    }
    let executing = Recorder(command.executing)
    let execution = command.execute(1)
    shop.advance()
    #expect(execution.state == .running)
    subject.withLock { $0 = nil }
    shop.advance()
    #expect(execution.state == .completed)
    #expect(executing.values == [false, true, false])
  }

  @Test func aSubjectThatIsDroppedBeforeTheWorkStartsEndsTheExecutionToo() {
    let command = Command<Int, Int>(scheduler: shop.scheduler) { _ in Subject() }
    let execution = command.execute(1)
    shop.advance()
    #expect(execution.state == .completed)
  }

  @Test func aDroppedSubjectEndsAnExecutionThatWouldRetry() {
    let subject = Mutex<Subject<Int>?>(Subject())
    let command = Command<Int, Int>(
      scheduler: shop.scheduler, options: ExecutionOptions(retry: .init(times: 3))
    ) { _ in subject.withLock { $0 ?? Subject() } }
    let execution = command.execute(1)
    shop.advance()
    subject.withLock { $0 = nil }
    shop.advance()
    #expect(execution.state == .completed)
  }

  // MARK: enabled

  @Test func enabledIsTrueUntilTheConditionHasSent() {
    let condition = Subject<Bool>()
    let command = shop.command(enabled: condition)
    let enabled = Recorder(command.enabled)
    #expect(enabled.values == [true])
    #expect(command.execute(1).state == .running)
    condition.sendNext(false)
    #expect(enabled.values == [true])
    shop.advance()
    #expect(enabled.values == [true, false])
  }

  @Test func aConditionThatSendsSynchronouslyCountsFromTheStart() {
    let command = shop.command(enabled: BehaviorSubject(false))
    #expect(command.execute(1).state == .failed)
    #expect(shop.calls.isEmpty)
    #expect(Recorder(command.immediateEnabled).values == [false])
    #expect(Recorder(command.enabled).values == [false])
  }

  @Test func enabledIsDistinct() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition)
    let enabled = Recorder(command.enabled)
    for value in [true, true, false, false, true] {
      condition.sendNext(value)
      shop.advance()
    }
    #expect(enabled.values == [true, false, true])
  }

  @Test func enabledIsTheConditionAndNotExecuting() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition)
    let enabled = Recorder(command.enabled)
    command.execute(1)
    shop.advance()
    condition.sendNext(false)
    shop.advance()
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(enabled.values == [true, false])
    condition.sendNext(true)
    shop.advance()
    #expect(enabled.values == [true, false, true])
  }

  @Test func concurrentExecutionLeavesTheCommandEnabled() {
    let command = shop.command()
    let enabled = Recorder(command.enabled)
    command.execute(1)
    shop.advance()
    command.allowsConcurrentExecution = true
    shop.advance()
    #expect(command.execute(2).state == .running)
    command.allowsConcurrentExecution = false
    shop.advance()
    #expect(enabled.values == [true, false, true, false])
  }

  @Test func aConditionThatEndsKeepsItsLastValue() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition)
    let enabled = Recorder(command.enabled)
    condition.sendNext(false)
    condition.sendError(TestError.failure)
    shop.advance()
    #expect(enabled.values == [true, false])
    #expect(!enabled.isCompleted && enabled.error == nil)
  }

  @Test func immediateEnabledChangesWithoutAHop() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition)
    let enabled = Recorder(command.immediateEnabled)
    command.execute(1)
    #expect(enabled.values == [true, false])
    shop.advance()
    shop.work(1).sendCompleted()
    #expect(enabled.values == [true, false, true])
    condition.sendNext(false)
    #expect(enabled.values == [true, false, true, false])
  }

  // MARK: executions

  @Test func executionSignalsSendFutureExecutionsOnly() {
    let command = shop.command(limit: .unlimited)
    command.execute(1)
    shop.advance()
    let executions = Recorder(command.executions)
    command.execute(2)
    shop.advance()
    #expect(executions.values.map(\.input) == [2])
  }

  @Test func anErrorOfAnInnerSignalBecomesCompletion() {
    let command = shop.command()
    journal.follow(command.executionSignals.map { $0 }, "signals") { _ in "one" }
    command.executionSignals.subscribe(next: { self.journal.follow($0, "inner") })
    command.execute(1)
    shop.advance()
    shop.work(1).sendNext("a")
    shop.work(1).sendError(TestError.failure)
    #expect(journal.lines == ["signals one", "work 1", "inner a", "inner completed"])
  }

  @Test func activeExecutionSignalsAreAnOrderedSnapshot() {
    let command = shop.command(limit: .unlimited)
    for input in 1...4 { command.execute(input) }
    shop.advance()
    shop.work(2).sendCompleted()
    #expect(command.activeExecutionSignals.map(\.input) == [1, 3, 4])
  }

  // MARK: errors

  @Test func errorsAreValuesOnTheScheduler() {
    let command = shop.command(limit: .unlimited)
    let errors = Recorder(command.errors)
    command.execute(1)
    command.execute(2)
    shop.advance()
    shop.work(1).sendError(TestError.failure)
    #expect(errors.values.isEmpty)
    shop.work(2).sendError(TestError.other)
    shop.advance()
    #expect(errors.values.map { $0 as? TestError } == [.failure, .other])
    #expect(errors.entries.count == 2)
  }

  @Test func aSubscriberOfErrorsThatComesWhileAnExecutionRunsGetsItsError() {
    let command = shop.command()
    command.execute(1)
    shop.advance()
    let errors = Recorder(command.errors)
    shop.work(1).sendError(TestError.failure)
    shop.advance()
    #expect(errors.values.count == 1)
    #expect(Recorder(command.errors).entries.isEmpty)
  }

  @Test func anErrorComesBeforeExecutingTurnsFalse() {
    let command = shop.command()
    journal.follow(command)
    command.execute(1)
    shop.advance()
    _ = journal.take()
    shop.work(1).sendError(TestError.failure)
    shop.advance()
    #expect(journal.take() == ["errors failure", "executing false", "enabled true"])
  }

  // MARK: Limits

  @Test func theConcurrencyLimitIsObservable() {
    let command = shop.command()
    let limits = Recorder(command.concurrencyLimits)
    #expect(limits.values == [.serial])
    command.allowsConcurrentExecution = true
    command.allowsConcurrentExecution = true
    #expect(limits.values == [.serial])
    command.concurrencyLimit = 3
    shop.advance()
    #expect(limits.values == [.serial, .unlimited, 3])
    #expect(command.allowsConcurrentExecution)
  }

  @Test func concurrentExecutionAllowedIsToldAtOnceWhereItIsSet() {
    let command = shop.command()
    let allowed = Recorder(command.concurrentExecutionAllowed)
    #expect(allowed.values == [false])
    command.allowsConcurrentExecution = true
    #expect(allowed.values == [false, true])
    command.allowsConcurrentExecution = true
    command.concurrencyLimit = 3
    #expect(allowed.values == [false, true])
    command.concurrencyLimit = .serial
    #expect(allowed.values == [false, true, false])
    #expect(Recorder(command.concurrentExecutionAllowed).values == [false])
  }

  @Test func concurrentExecutionAllowedEndsWithTheCommand() {
    var command: Command<Int, String>? = shop.command()
    let allowed = Recorder(command!.concurrentExecutionAllowed)
    command = nil
    shop.advance()
    #expect(allowed.isCompleted)
  }

  @Test func changesToldAtOnceAreToldInTheirOrder() {
    let command = shop.command()
    journal.follow(command.concurrentExecutionAllowed, "allowed")
    journal.follow(command.immediateEnabled, "immediate")
    command.execute(1)
    command.allowsConcurrentExecution = true
    #expect(
      journal.lines == [
        "allowed false", "immediate true", "immediate false", "immediate true", "allowed true",
      ])
  }

  @Test func executionsKeepTheirErrorsWhileExecutionSignalsComplete() {
    let command = shop.command()
    let (executions, latest) = (
      Recorder(command.executions.map(\.input)), Recorder(command.executionSignals.switchToLatest())
    )
    let failed = Recorder(command.executions.flatMap { $0 })
    for input in 1...2 {
      command.execute(input)
      shop.advance()
      shop.work(input).sendNext("of \(input)")
      shop.work(input).sendError(TestError.failure)
      shop.advance()
    }
    #expect(executions.values == [1, 2])
    #expect(latest.values == ["of 1", "of 2"])
    #expect(latest.error == nil && !latest.isCompleted)
    #expect(failed.values == ["of 1"])
    #expect(failed.error as? TestError == .failure)
  }

  @Test func aLimitOfThreeAdmitsThree() {
    let command = shop.command(limit: 3)
    let states = (1...4).map { command.execute($0).state }
    #expect(states == [.running, .running, .running, .failed])
    let enabled = Recorder(command.enabled)
    shop.advance()
    #expect(enabled.values == [true, false])
  }
}
