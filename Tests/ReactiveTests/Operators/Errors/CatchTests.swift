import Reactive
import ReactiveTesting
import Testing

@Suite("catch, catchTo, try, tryMap")
struct CatchTests {
  let scheduler = TestScheduler()

  @Test(
    "catch goes on with the handler's signal",
    arguments: [
      ("-a#", "x-y|", "-ax-y|"), ("-a|", "x", "-a|"), ("#", "-#", "-#"), ("-#", "|", "-|"),
    ])
  func catches(source: String, other: String, expected: String) throws {
    let source = try scheduler.cold(source)
    let other = try scheduler.cold(other)
    try scheduler.expect(source.catch { _ in other }, expected)
  }

  @Test("catchTo goes on with its signal")
  func catchTo() throws {
    let other = try scheduler.cold("x|")
    try scheduler.expect(try scheduler.cold("-a#").catchTo(other), "-ax|")
  }

  @Test("The handler receives the error, and what it throws takes the error's place")
  func handler() {
    struct Other: Error {}
    let held = Held<any Error>()
    let signal = Signal<Int>.error(MarbleError.failure).catch { error in
      held.value = error
      throw Other()
    }
    #expect(Recorder(signal).error is Other)
    #expect(held.value as? MarbleError == .failure)
  }

  @Test("The failed source is disposed before the handler is called")
  func order() {
    let log = Log()
    Signal<Int>.error(MarbleError.failure).onDispose { log.add("disposed") }
      .catch { _ in
        log.add("handler")
        return .empty()
      }.subscribe()
    #expect(log.lines == ["disposed", "handler"])
  }

  @Test("Disposal reaches whichever signal is running")
  func disposal() throws {
    let source = try scheduler.cold("-a#")
    let other = try scheduler.cold("-x-y")
    try scheduler.expect(source.catchTo(other), "-a-x!")
    #expect(source.subscriptions == ["^-!"])
    #expect(other.subscriptions == ["--^-!"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    "tryMap transforms until it throws",
    arguments: [
      ("-1-2-9-1|", "-2-4-#"), ("-1|", "-2|"), ("-1#", "-2#"), ("(19)", "(2#)"),
    ])
  func tryMap(source: String, expected: String) throws {
    let source = try scheduler.cold(source, Int.self)
    let doubled = source.tryMap { value in
      guard value < 9 else { throw MarbleError.failure }
      return value * 2
    }
    try scheduler.expect(doubled, expected)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("try passes values until it throws")
  func attempt() throws {
    let source = try scheduler.cold("-1-2-9-1|", Int.self)
    let checked = source.try { if $0 == 9 { throw MarbleError.failure } }
    try scheduler.expect(checked, "-1-2-#")
    #expect(source.subscriptions == ["^----!"])
  }

  @Test("A throw ends an endless synchronous source")
  func synchronous() {
    let signal = Signal.from(0...).try { if $0 == 2 { throw MarbleError.failure } }
    #expect(Recorder(signal).diagram == "(01#)")
  }

  @Test("Disposal from inside the transform holds its error back")
  func inside() {
    let subscription = CompoundDisposable()
    let recorder = Recorder<Int>()
    let subject = Subject<Int>()
    recorder.subscription.add(subscription)
    recorder.observe(
      subject.tryMap { _ -> Int in
        recorder.dispose()
        throw MarbleError.failure
      })
    subject.sendNext(1)
    #expect(recorder.diagram == "!")
    #expect(recorder.violations == [])
  }
}
