import Reactive
import ReactiveTesting
import Testing

@Suite("throttle")
struct ThrottleTests {
  let scheduler = TestScheduler()

  @Test(
    "A value is sent when none follows it within the interval",
    arguments: [
      ("-a------", "---a----"), ("-ab-----", "----b---"), ("-a--b---", "---a--b-"),
      ("-a-b-c--", "-------c"), ("(abc)---", "--c-----"),
    ])
  func values(source: String, expected: String) throws {
    let source = try scheduler.hot(source)
    try scheduler.expect(source.throttle(.seconds(2), on: scheduler), expected)
  }

  @Test(
    "Completion sends the value held first",
    arguments: [
      ("-a-b|", "----(b|)"), ("-a--|", "---a|"), ("--|", "--|"),
    ])
  func completion(source: String, expected: String) throws {
    let source = try scheduler.cold(source)
    try scheduler.expect(source.throttle(.seconds(2), on: scheduler), expected)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("An error drops the value held")
  func error() throws {
    try scheduler.expect(
      try scheduler.cold("-a-b#").throttle(.seconds(5), on: scheduler), "----#")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Disposal drops the value held and its timer")
  func disposal() throws {
    let lives = Lives()
    let subject = Subject<Lives.Token>()
    let recorder = Recorder(subject.throttle(.seconds(1), on: scheduler))
    subject.sendNext(lives.token())
    #expect(scheduler.pendingCount == 1)
    #expect(lives.count == 1)
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
    #expect(lives.count == 0)
  }

  @Test("A value that fails the test is sent at once and drops the one held")
  func predicate() throws {
    let source = try scheduler.hot("-a-X-b---")
    let throttled = source.throttle(.seconds(3), on: scheduler) { $0 != "X" }
    try scheduler.expect(throttled, "---X----b")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Only one timer waits at a time")
  func timers() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.throttle(.seconds(1), on: scheduler))
    for value in 0..<100 { subject.sendNext(value) }
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [99])
  }

  @Test("A value sent back into the source is held like any other")
  func reentrant() throws {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 == 1 { subject.sendNext(2) } })
    recorder.observe(subject.throttle(.seconds(1), on: scheduler))
    subject.sendNext(1)
    try scheduler.run()
    #expect(recorder.values == [1, 2])
    #expect(recorder.violations == [])
  }

  @Test("A synchronous source sends its last value at its end")
  func synchronous() {
    #expect(Recorder(Signal.from(1...3).throttle(.seconds(1), on: scheduler)).diagram == "(3|)")
  }

  @Test("No current scheduler is needed", .timeLimit(.minutes(5)))
  func background() throws {
    #expect(Scheduler.current == nil)
    let source = Signal<Int>.create { subscriber in
      subscriber.sendNext(1)
      return nil
    }
    #expect(try source.throttle(.milliseconds(1)).first() == 1)
  }

  @Test(
    "Values of one thread against the timer of another arrive in order, each once",
    .timeLimit(.minutes(5)))
  func contention() async {
    for _ in 0..<100 {
      let subject = Subject<Int>()
      let recorder = Recorder<Int>()
      recorder.observe(
        subject.throttle(.milliseconds(1), on: scheduler) { !$0.isMultiple(of: 3) })
      await withTaskGroup(of: Void.self) { [scheduler] group in
        group.addTask {
          for value in 0..<50 { subject.sendNext(value) }
          subject.sendCompleted()
        }
        group.addTask { for _ in 0..<50 { scheduler.advance(by: .milliseconds(1)) } }
      }
      #expect(recorder.violations == [])
      #expect(recorder.values == Set(recorder.values).sorted())
      #expect(recorder.values.last == 49)
      #expect(Set(recorder.values).isSuperset(of: stride(from: 0, to: 50, by: 3)))
      #expect(recorder.isCompleted)
    }
  }
}
