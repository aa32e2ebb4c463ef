import Reactive
import ReactiveTesting
import Testing

@Suite("TestScheduler")
struct TestSchedulerTests {
  let scheduler = TestScheduler()
  let log = Log()

  @Test("Nothing runs until the time comes")
  func waits() {
    scheduler.schedule { log.add("now") }
    scheduler.schedule(after: .seconds(2)) { log.add("later") }
    #expect(log.lines == [])
    scheduler.advance()
    #expect(log.lines == ["now"])
    scheduler.advance(by: .seconds(1))
    #expect(log.lines == ["now"])
    scheduler.advance(by: .seconds(1))
    #expect(log.lines == ["now", "later"])
    #expect(scheduler.now == .seconds(2))
  }

  @Test("Work runs in order of time, then of scheduling")
  func order() throws {
    scheduler.schedule(after: .seconds(2)) { log.add("c") }
    scheduler.schedule(after: .seconds(1)) { log.add("a") }
    scheduler.schedule(after: .seconds(2)) { log.add("d") }
    scheduler.schedule(after: .seconds(1)) { log.add("b") }
    try scheduler.run()
    #expect(log.lines == ["a", "b", "c", "d"])
  }

  @Test("Inside work the scheduler is current and the time is the work's")
  func current() {
    scheduler.schedule(after: .seconds(3)) {
      log.add("\(Scheduler.current === scheduler) \(scheduler.now)")
    }
    scheduler.advance(by: .seconds(10))
    #expect(log.lines == ["true 3.0 seconds"])
    #expect(Scheduler.current == nil)
  }

  @Test("Work scheduled on the way runs in the same advance when it is due")
  func nested() {
    scheduler.schedule(after: .seconds(1)) {
      scheduler.schedule(after: .seconds(1)) { log.add("two") }
      scheduler.schedule(after: .seconds(5)) { log.add("six") }
    }
    scheduler.advance(by: .seconds(3))
    #expect(log.lines == ["two"])
    #expect(scheduler.pendingTimes == [.seconds(6)])
  }

  @Test("Disposed work neither runs nor is pending")
  func disposal() {
    let work = scheduler.schedule(after: .seconds(1)) { log.add("run") }
    let timer = scheduler.schedule(every: .seconds(1)) { log.add("tick") }
    #expect(scheduler.pendingCount == 2)
    work.dispose()
    timer.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(5))
    #expect(log.lines == [])
  }

  @Test("Repeated work runs at each interval until it is disposed from inside")
  func repeated() {
    let timer = SerialDisposable()
    timer.inner = scheduler.schedule(every: .seconds(2)) {
      log.add("\(scheduler.currentFrame)")
      if scheduler.currentFrame == 6 { timer.dispose() }
    }
    scheduler.advance(by: .seconds(20))
    #expect(log.lines == ["2", "4", "6"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A run of endless work fails with what is pending")
  func endless() {
    scheduler.schedule(every: .seconds(1)) {}
    #expect(throws: TestSchedulerError.endless(limit: 3, pending: [.seconds(4)])) {
      try scheduler.run(atMost: 3)
    }
  }

  @Test("A scheduler with work pending is not idle")
  func idle() throws {
    try scheduler.expectIdle()
    scheduler.schedule(after: .seconds(1)) {}
    #expect(throws: TestSchedulerError.pending([.seconds(1)])) { try scheduler.expectIdle() }
    try scheduler.run()
    try scheduler.expectIdle()
  }

  @Test("An advance from inside work extends the one in progress")
  func nestedAdvance() {
    scheduler.schedule {
      scheduler.schedule(after: .seconds(1)) { log.add("run") }
      scheduler.advance(by: .seconds(1))
      log.add("returned")
    }
    scheduler.advance()
    #expect(log.lines == ["returned", "run"])
    #expect(scheduler.now == .seconds(1))
  }

  @Test("Work may be scheduled from many threads while the time advances", .timeLimit(.minutes(5)))
  func threads() async throws {
    let count = Counter()
    await withTaskGroup(of: Void.self) { [scheduler] group in
      for _ in 0..<4 {
        group.addTask {
          for step in 0..<500 {
            scheduler.schedule(after: .milliseconds(step)) { count.increment() }
          }
        }
      }
      group.addTask { for _ in 0..<500 { scheduler.advance(by: .milliseconds(1)) } }
    }
    try scheduler.run()
    #expect(count.value == 2_000)
  }

  @Test("A step runs one piece of work, at its time")
  func step() {
    scheduler.schedule { log.add("a") }
    scheduler.schedule { log.add("b") }
    scheduler.schedule(after: .seconds(3)) { log.add("c") }
    #expect(scheduler.step())
    #expect(log.lines == ["a"])
    #expect(scheduler.step())
    #expect(log.lines == ["a", "b"])
    #expect(scheduler.now == .zero)
    #expect(scheduler.step())
    #expect(log.lines == ["a", "b", "c"])
    #expect(scheduler.now == .seconds(3))
    #expect(!scheduler.step())
    #expect(scheduler.now == .seconds(3))
  }

  @Test("Several steps run as many pieces of work as there are")
  func steps() {
    let timer = scheduler.schedule(every: .seconds(2)) { log.add("\(scheduler.currentFrame)") }
    #expect(scheduler.step(3) == 3)
    #expect(log.lines == ["2", "4", "6"])
    timer.dispose()
    #expect(scheduler.step(3) == 0)
  }

  @Test("A step from inside work runs nothing, and what the work schedules is a step of its own")
  func nestedStep() {
    scheduler.schedule {
      scheduler.schedule { log.add("inner") }
      log.add("\(scheduler.step())")
    }
    #expect(scheduler.step())
    #expect(log.lines == ["false"])
    #expect(scheduler.step())
    #expect(log.lines == ["false", "inner"])
  }
}
