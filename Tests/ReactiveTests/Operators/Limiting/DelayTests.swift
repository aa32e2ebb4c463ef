import Reactive
import ReactiveTesting
import Testing

@Suite("delay, timeout")
struct DelayTests {
  let scheduler = TestScheduler()

  @Test(
    "Values and the completion come later, errors at once",
    arguments: [
      ("-a-b|", "---a-b|"), ("(ab)|", "--(ab)|"), ("|", "--|"), ("-a-#", "---#"),
      ("-a--#", "---a#"),
    ])
  func delay(source: String, expected: String) throws {
    let source = try scheduler.cold(source)
    try scheduler.expect(source.delay(.seconds(2), on: scheduler), expected)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A synchronous source is delayed as a whole")
  func synchronous() throws {
    try scheduler.expect(Signal.from([1, 2]).delay(.seconds(2), on: scheduler), "--(12|)")
  }

  @Test("Disposal drops what is on its way and its timer")
  func disposal() {
    let lives = Lives()
    let subject = Subject<Lives.Token>()
    let recorder = Recorder(subject.delay(.seconds(2), on: scheduler))
    for _ in 0..<3 { subject.sendNext(lives.token()) }
    #expect(lives.count == 3)
    recorder.dispose()
    #expect(lives.count == 0)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Disposal from inside a value drops the others that are due")
  func inside() throws {
    let recorder = disposed(Signal.from(1...5).delay(.seconds(1), on: scheduler), by: { $0 == 2 })
    try scheduler.run()
    #expect(recorder.diagram == "(12!)")
  }

  @Test("Values keep their distances although one timer serves all")
  func distances() throws {
    let source = try scheduler.hot("-ab--c(de)")
    try scheduler.expect(source.delay(.seconds(3), on: scheduler), "----ab--c(de)")
  }

  @Test("A source that has ended and is gone does not take its delayed values with it")
  func ended() throws {
    var subject: Subject<Int>? = Subject()
    let recorder = Recorder(subject!.delay(.seconds(1), on: scheduler))
    subject?.sendNext(1)
    subject = nil
    try scheduler.run()
    #expect(recorder.diagram == "(1|)")
  }

  @Test("A value sent back into the source is delayed from then on")
  func reentrant() throws {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(on: scheduler, react: { if $0 < 3 { subject.sendNext($0 + 1) } })
    recorder.observe(subject.delay(.seconds(1), on: scheduler))
    subject.sendNext(1)
    try scheduler.run()
    #expect(recorder.diagram == "-123")
  }

  @Test("No current scheduler is needed", .timeLimit(.minutes(5)))
  func background() throws {
    #expect(Scheduler.current == nil)
    #expect(try Signal.from(1...3).delay(.milliseconds(1)).toArray() == [1, 2, 3])
  }

  @Test(
    "timeout is total, not per value",
    arguments: [
      ("-a-b|", "-a-b|"), ("-a-b-c-d|", "-a-b-#"), ("--------", "-----#"), ("-#", "-#"),
    ])
  func timeout(source: String, expected: String) throws {
    let source = try scheduler.cold(source)
    try scheduler.expect(source.timeout(.seconds(5), on: scheduler), expected)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A timeout disposes the source and says what it waited for")
  func timedOut() throws {
    let source = try scheduler.cold("-a------")
    let recorder = Recorder(source.timeout(.seconds(2), on: scheduler), on: scheduler)
    scheduler.advance(by: .seconds(2))
    #expect(recorder.error as? SignalError == .timedOut(after: .seconds(2)))
    #expect(source.subscriptions == ["^-!"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("timeout disposed in the middle leaves no timer")
  func timeoutDisposed() throws {
    let source = try scheduler.cold("-a------")
    let recorder = Recorder(source.timeout(.seconds(5), on: scheduler), on: scheduler)
    scheduler.advance(by: .seconds(2))
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
    #expect(source.subscriptions == ["^-!"])
  }

  @Test("A synchronous source is in time and leaves no timer")
  func timeoutSynchronous() {
    #expect(Recorder(Signal.from([1, 2]).timeout(.seconds(1), on: scheduler)).diagram == "(12|)")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A timeout against values from another thread keeps the rules", .timeLimit(.minutes(5)))
  func contention() async {
    for _ in 0..<200 {
      let subject = Subject<Int>()
      let recorder = Recorder<Int>()
      recorder.observe(subject.timeout(.seconds(1), on: scheduler))
      await withTaskGroup(of: Void.self) { [scheduler] group in
        group.addTask { for value in 0..<50 { subject.sendNext(value) } }
        group.addTask { scheduler.advance(by: .seconds(1)) }
      }
      #expect(recorder.violations == [])
      #expect(recorder.error is SignalError)
    }
  }
}
