import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct BusyPolicyTests {
  let shop = Workshop()
  var journal: Journal { shop.journal }

  // MARK: Queue

  @Test func queuedExecutionsRunOneAfterTheOther() {
    let command = shop.command(whenBusy: .queue())
    journal.follow(command)
    _ = journal.take()
    let executions = (1...3).map { command.execute($0) }
    #expect(executions.map(\.state) == [.running, .queued, .queued])
    #expect(shop.calls == [1])
    shop.advance()
    #expect(journal.take() == ["execution 1", "executing true", "work 1"])
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(shop.calls == [1, 2])
    #expect(journal.take() == ["execution 2", "work 2"])
    #expect(command.queuedExecutions.map(\.input) == [3])
    shop.work(2).sendError(TestError.failure)
    shop.advance()
    #expect(journal.take() == ["errors failure", "execution 3", "work 3"])
    shop.work(3).sendCompleted()
    shop.advance()
    #expect(journal.take() == ["executing false"])
    #expect(executions.map(\.state) == [.completed, .failed, .completed])
  }

  @Test func aFullQueueRejects() {
    let command = shop.command(whenBusy: .queue(limit: 2))
    let enabled = Recorder(command.enabled)
    let states = (1...4).map { command.execute($0) }
    #expect(states.map(\.state) == [.running, .queued, .queued, .failed])
    #expect((states[3].error as? CommandError)?.disabledReason == .queueFull(limit: 2))
    shop.advance()
    #expect(enabled.values == [true, false])
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(enabled.values == [true, false, true])
  }

  @Test func aQueuedExecutionCanBeCancelled() {
    let command = shop.command(whenBusy: .queue(limit: 1))
    command.execute(1)
    let second = command.execute(2)
    let recorder = Recorder(second)
    second.cancel()
    #expect(second.state == .cancelled)
    #expect(recorder.error as? CommandError == .cancelled)
    let third = command.execute(3)
    #expect(third.state == .queued)
    shop.advance()
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(shop.calls == [1, 3])
  }

  @Test func aQueuedExecutionWaitsForTheConditionToo() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition, whenBusy: .queue())
    command.execute(1)
    let second = command.execute(2)
    shop.advance()
    condition.sendNext(false)
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(second.state == .queued)
    #expect(Recorder(command.executing).values == [false])
    condition.sendNext(true)
    shop.advance()
    #expect(second.state == .running)
    #expect(shop.calls == [1, 2])
  }

  @Test func aFalseConditionKeepsExecutionsOutOfTheQueue() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition, whenBusy: .queue())
    command.execute(1)
    condition.sendNext(false)
    #expect(command.execute(2).state == .failed)
  }

  @Test func aGreaterLimitLetsTheQueueStart() {
    let command = shop.command(whenBusy: .queue())
    let executions = (1...4).map { command.execute($0) }
    shop.advance()
    command.concurrencyLimit = 3
    shop.advance()
    #expect(executions.map(\.state) == [.running, .running, .running, .queued])
    #expect(shop.calls == [1, 2, 3])
  }

  @Test func anExecutionAskedForWhenTheSlotGetsFreeComesAfterTheQueue() {
    let command = shop.command(whenBusy: .queue())
    let first = command.execute(1)
    first.subscribe(completed: { command.execute(3) })
    command.execute(2)
    shop.advance()
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(shop.calls == [1, 2])
    #expect(command.queuedExecutions.map(\.input) == [3])
    shop.work(2).sendCompleted()
    shop.advance()
    #expect(shop.calls == [1, 2, 3])
  }

  @Test func theSignalBlockOfAQueuedExecutionIsCalledOnTheScheduler() {
    let command = Command<Int, Int>(scheduler: shop.scheduler, whenBusy: .queue()) { input in
      self.journal.note("block \(input) \(Scheduler.current === self.shop.scheduler)")
      return .just(input)
    }
    command.execute(1)
    command.execute(2)
    shop.advance()
    #expect(journal.lines == ["block 1 false", "block 2 true"])
  }

  @Test func whoSubscribesInTheSignalBlockReceivesItsExecution() {
    let known = Mutex<Command<Int, Int>?>(nil)
    let command = Command<Int, Int>(scheduler: shop.scheduler, whenBusy: .queue()) { input in
      let command = known.withLock { $0 }
      command?.executions.subscribe(next: { [journal = self.journal] in
        journal.note("block \(input) sees \($0.input)")
      })
      self.journal.follow(command?.executing ?? .empty(), "executing of \(input)")
      return .just(input)
    }
    known.withLock { $0 = command }
    defer { known.withLock { $0 = nil } }
    for input in 1...2 { command.execute(input) }
    shop.advance()
    #expect(journal.lines.contains("block 1 sees 1"), "\(journal.lines)")
    #expect(journal.lines.contains("block 1 sees 2"), "\(journal.lines)")
    #expect(journal.lines.contains("block 2 sees 2"), "\(journal.lines)")
    #expect(
      journal.lines.filter { $0.hasPrefix("executing of 2") }
        == ["executing of 2 true", "executing of 2 false"],
      "\(journal.lines)")
  }

  // MARK: Restart

  @Test func restartCancelsTheRunningExecutionAndStartsTheNew() {
    let command = shop.command(whenBusy: .restart)
    let first = command.execute(1)
    shop.advance()
    let second = command.execute(2)
    #expect(first.state == .cancelled)
    shop.advance()
    #expect(second.state == .running)
    #expect(shop.disposed == [1])
    #expect(journal.lines == ["work 1", "work 2"])
  }

  @Test func restartWaitsForTheOldWorkToEnd() {
    let command = shop.slowCommand(whenBusy: .restart)
    let executing = Recorder(command.executing)
    let first = command.execute(1)
    shop.advance()
    let second = command.execute(2)
    shop.advance()
    #expect(first.state == .cancelled)
    #expect(second.state == .queued)
    #expect(journal.lines == ["work 1", "ending 1"])
    shop.finishTeardown(1)
    shop.advance()
    #expect(second.state == .running)
    #expect(journal.lines == ["work 1", "ending 1", "work 2"])
    #expect(executing.values == [false, true])
  }

  @Test func aLaterRestartReplacesTheOneThatWaits() {
    let command = shop.slowCommand(whenBusy: .restart)
    command.execute(1)
    shop.advance()
    let second = command.execute(2)
    let third = command.execute(3)
    #expect(second.state == .cancelled)
    #expect(third.state == .queued)
    shop.finishTeardown(1)
    shop.advance()
    #expect(journal.lines == ["work 1", "ending 1", "work 3"])
  }

  @Test func restartCancelsTheOldestOfSeveral() {
    let command = shop.command(limit: 2, whenBusy: .restart)
    let executions = (1...3).map { command.execute($0) }
    shop.advance()
    #expect(executions.map(\.state) == [.cancelled, .running, .running])
  }

  @Test func restartIsNotAdmittedWhileTheConditionIsFalse() {
    let condition = BehaviorSubject(true)
    let command = shop.command(enabled: condition, whenBusy: .restart)
    let first = command.execute(1)
    condition.sendNext(false)
    #expect(command.execute(2).state == .failed)
    #expect(first.state == .running)
  }

  // MARK: Join

  @Test func joinReturnsTheRunningExecution() {
    let command = shop.command(whenBusy: .join)
    let first = command.execute(1)
    #expect(command.execute(2) === first)
    shop.advance()
    #expect(command.execute(3) === first)
    shop.work(1).sendCompleted()
    #expect(command.execute(4) !== first)
    #expect(shop.calls == [1, 4])
  }

  @Test func joinWaitsForWorkThatIsBeingCancelled() {
    let command = shop.slowCommand(whenBusy: .join)
    let first = command.execute(1)
    shop.advance()
    first.cancel()
    let second = command.execute(2)
    #expect(second !== first)
    #expect(second.state == .queued)
    #expect(command.execute(3) === second)
    shop.finishTeardown(1)
    shop.advance()
    #expect(second.state == .running)
  }

  // MARK: Enabled

  @Test(arguments: [BusyPolicy.queue(), .restart, .join])
  func aCommandThatTakesExecutionsWhileBusyStaysEnabled(_ policy: BusyPolicy) {
    let command = shop.command(whenBusy: policy)
    let enabled = Recorder(command.enabled)
    command.execute(1)
    shop.advance()
    #expect(enabled.values == [true])
    #expect(command.disabledError == nil)
  }
}
