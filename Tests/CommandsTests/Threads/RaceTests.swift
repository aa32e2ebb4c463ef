import Commands
import Dispatch
import Reactive
import Synchronization
import Testing

/// Commands under contention. Each test is also meant for the thread sanitizer.
@Suite(.serialized) struct RaceTests {
  /// A queue of a real thread as the scheduler.
  private let scheduler = Scheduler.background(named: "commands.race")

  /// Waits until everything that is scheduled so far has run.
  private func settle() {
    let done = DispatchSemaphore(value: 0)
    scheduler.schedule { done.signal() }
    done.wait()
  }

  private func race(_ count: Int, _ body: @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: count, execute: body)
  }

  @Test(.timeLimit(.minutes(5))) func ofTwoThreadsOneIsAdmitted() {
    let command = Command<Int, Int>(scheduler: scheduler) { _ in .never() }
    for round in 0..<10_000 {
      let admitted = Mutex<[Execution<Int, Int>]>([])
      race(2) { thread in
        let execution = command.execute(thread)
        if execution.state == .running { admitted.withLock { $0.append(execution) } }
      }
      let executions = admitted.withLock { $0 }
      guard executions.count == 1 else {
        Issue.record("round \(round): \(executions.count) admitted")
        return
      }
      executions[0].cancel()
      // The slot is free when the work that may be being subscribed has been given up.
      settle()
    }
  }

  @Test(.timeLimit(.minutes(5))) func neverMoreRunThanTheLimitAllows() {
    let running = Gauge()
    let command = Command<Int, Int>(
      scheduler: scheduler, concurrencyLimit: 3, whenBusy: .queue()
    ) { _ in
      Signal { observer, subscription in
        running.enter()
        let worker = Scheduler.background()
        worker.schedule {
          running.leave()
          observer.end(.completed)
        }
      }
    }
    let done = DispatchSemaphore(value: 0)
    let executions = 400
    race(executions) { number in
      command.execute(number).subscribe(completed: { done.signal() })
    }
    for _ in 0..<executions { done.wait() }
    #expect(running.most <= 3)
    #expect(running.total == executions)
  }

  @Test(.timeLimit(.minutes(5))) func cancellationAndCompletionAgreeOnOneEnd() {
    let command = Command<Int, Int>(scheduler: scheduler, concurrencyLimit: .unlimited) { _ in
      Signal { observer, subscription in
        let worker = Scheduler.background()
        worker.schedule { if !subscription.isDisposed { observer.end(.completed) } }
      }
    }
    for _ in 0..<2_000 {
      let ends = Mutex<[ExecutionState]>([])
      let ended = DispatchSemaphore(value: 0)
      let execution = command.execute(1)
      execution.subscribe(
        error: { _ in
          ends.withLock { $0.append(.cancelled) }
          ended.signal()
        },
        completed: {
          ends.withLock { $0.append(.completed) }
          ended.signal()
        })
      race(2) { thread in
        if thread == 0 { execution.cancel() } else { _ = execution.state }
      }
      ended.wait()
      #expect(ends.withLock { $0 } == [execution.state])
    }
    settle()
    #expect(command.activeExecutionSignals.isEmpty)
  }

  @Test(.timeLimit(.minutes(5))) func observersAlwaysSeeAlternatingValues() {
    let condition = BehaviorSubject(true)
    let command = Command<Int, Int>(enabled: condition, scheduler: scheduler) { .just($0) }
    let executing = Mutex<[Bool]>([])
    let enabled = Mutex<[Bool]>([])
    let immediate = Mutex<[Bool]>([])
    command.executing.subscribe(next: { value in executing.withLock { $0.append(value) } })
    command.enabled.subscribe(next: { value in enabled.withLock { $0.append(value) } })
    command.immediateEnabled.subscribe(next: { value in immediate.withLock { $0.append(value) } })
    race(4) { thread in
      for round in 0..<500 {
        switch thread {
        case 0: condition.sendNext(round.isMultiple(of: 2))
        case 1: command.allowsConcurrentExecution.toggle()
        default: command.execute(round)
        }
      }
    }
    condition.sendNext(true)
    // A command publishes 256 changes in a turn, and here there are up to 3,500.
    for _ in 0..<20 { settle() }
    for values in [executing.withLock { $0 }, enabled.withLock { $0 }, immediate.withLock { $0 }] {
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 != $1 })
    }
    #expect(executing.withLock { $0.last } == false)
    #expect(enabled.withLock { $0.last } == true)
    #expect(immediate.withLock { $0.last } == true)
  }

  @Test(.timeLimit(.minutes(5))) func restartFromManyThreadsLeavesOneExecution() {
    for _ in 0..<50 {
      let command = Command<Int, Int>(scheduler: scheduler, whenBusy: .restart) { _ in .never() }
      let executions = Mutex<[Execution<Int, Int>]>([])
      race(100) { number in
        let execution = command.execute(number)
        executions.withLock { $0.append(execution) }
      }
      settle()
      settle()
      let states = executions.withLock { $0 }.map(\.state)
      #expect(states.filter { $0 == .running }.count == 1)
      #expect(states.filter { $0 == .cancelled }.count == 99)
      #expect(command.queuedExecutions.isEmpty)
    }
  }

  @Test(.timeLimit(.minutes(5))) func joinFromManyThreadsGivesAllTheSameExecution() {
    for _ in 0..<200 {
      let counter = CallCounter()
      let command = Command<Int, Int>(scheduler: scheduler, whenBusy: .join) { _ in
        counter.note()
        return .never()
      }
      let executions = Mutex<[Execution<Int, Int>]>([])
      race(4) { number in
        let execution = command.execute(number)
        executions.withLock { $0.append(execution) }
      }
      #expect(Set(executions.withLock { $0 }.map(\.id)).count == 1)
      #expect(counter.count == 1)
    }
  }

  @Test(.timeLimit(.minutes(5))) func droppingTheCommandWhileThreadsUseItsExecutions() {
    for _ in 0..<200 {
      var command: Command<Int, Int>? = Command(
        scheduler: scheduler, concurrencyLimit: 2, whenBusy: .queue()
      ) { _ in .never() }
      let executions = (0..<6).compactMap { command?.execute($0) }
      let box = Mutex(command)
      command = nil
      race(3) { thread in
        switch thread {
        case 0: box.withLock { $0 = nil }
        default: executions.forEach { $0.cancel() }
        }
      }
      #expect(executions.allSatisfy { $0.state == .cancelled })
    }
    settle()
  }

  @Test(.timeLimit(.minutes(5))) func theSignalsOfACommandAreOnTheSchedulerWhoeverExecutes() {
    let scheduler = scheduler
    let elsewhere = Mutex(0)
    let check: @Sendable () -> Void = {
      if Scheduler.current !== scheduler { elsewhere.withLock { $0 += 1 } }
    }
    let command = Command<Int, Int>(scheduler: scheduler) { _ in
      Signal { observer, _ in
        check()
        observer.end(.error(TestError.failure))
      }
    }
    let executing = command.executing
    let enabled = command.enabled
    settle()
    // The first values come at once, where the subscription is made.
    scheduler.schedule {
      executing.subscribe(next: { _ in check() })
      enabled.subscribe(next: { _ in check() })
    }
    settle()
    command.executions.subscribe(next: { _ in check() })
    command.errors.subscribe(next: { _ in check() })
    command.disabledErrors.subscribe(next: { _ in check() })
    race(4) { _ in for round in 0..<100 { command.execute(round) } }
    settle()
    settle()
    #expect(elsewhere.withLock { $0 } == 0)
  }
}

extension RaceTests {
  @Test(.timeLimit(.minutes(5))) func observersAreOnTheSchedulerWhoeverComesAndGoes() {
    let scheduler = scheduler
    let elsewhere = Atomic<Int>(0)
    let early = Atomic<Int>(0)
    let published = Atomic<Int>(0)
    let check: @Sendable () -> Void = {
      if Scheduler.current !== scheduler { elsewhere.wrappingAdd(1, ordering: .relaxed) }
    }
    let command = Command<Int, Int>(scheduler: scheduler, whenBusy: .queue()) { number in
      Signal { observer, _ in
        // Published before its work starts.
        if published.load(ordering: .relaxed) < number {
          early.wrappingAdd(1, ordering: .relaxed)
        }
        observer.end(.error(TestError.failure))
      }
    }
    command.executions.subscribe(next: {
      check()
      published.store($0.input, ordering: .relaxed)
    })
    command.errors.subscribe(next: { _ in check() })
    let done = DispatchSemaphore(value: 0)
    scheduler.schedule {
      command.executing.subscribe(next: { _ in check() })
      command.enabled.subscribe(next: { _ in check() })
      done.signal()
    }
    done.wait()
    race(2) { thread in
      for round in 1...2_000 {
        if thread == 0 {
          command.execute(round)
        } else {
          command.executions.subscribe().dispose()
          command.errors.subscribe().dispose()
          command.executing.subscribe().dispose()
          command.enabled.subscribe().dispose()
        }
      }
    }
    settle()
    while !command.activeExecutionSignals.isEmpty || !command.queuedExecutions.isEmpty { settle() }
    settle()
    #expect(elsewhere.load(ordering: .relaxed) == 0)
    #expect(early.load(ordering: .relaxed) == 0)
  }

  @Test(.timeLimit(.minutes(5))) func aChangeDuringTheFirstValueFollowsOnTheScheduler() {
    let scheduler = scheduler
    let command = Command<Int, Int>(scheduler: scheduler) { _ in .never() }
    let seen = Mutex<[String]>([])
    let isOver = DispatchSemaphore(value: 0)
    command.executing.subscribe(next: { value in
      let place = Scheduler.current === scheduler ? "scheduler" : "elsewhere"
      seen.withLock { $0.append("\(value) \(place)") }
      guard !value else {
        isOver.signal()
        return
      }
      command.execute(1)
      settle()
      settle()
    })
    isOver.wait()
    #expect(seen.withLock { $0 } == ["false elsewhere", "true scheduler"])
  }
}

/// How many are inside at a time.
private final class Gauge: Sendable {
  private let counts = Mutex((now: 0, most: 0, total: 0))

  var most: Int { counts.withLock { $0.most } }
  var total: Int { counts.withLock { $0.total } }

  func enter() {
    counts.withLock { counts in
      counts.now += 1
      counts.total += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  func leave() {
    counts.withLock { $0.now -= 1 }
  }
}

private final class CallCounter: Sendable {
  private let calls = Atomic<Int>(0)
  var count: Int { calls.load(ordering: .relaxed) }
  func note() { calls.wrappingAdd(1, ordering: .relaxed) }
}
