import Reactive
import ReactiveTesting
import Testing

@Suite("take, takeLast, takeWhile, takeUntil(predicate)")
struct TakeTests {
  let scheduler = TestScheduler()

  @Test(
    "take ends with the nth value",
    arguments: [
      ("-a-b-c|", "-a-(b|)"), ("-a|", "-a|"), ("-a#", "-a#"), ("-a-(bc)-#", "-a-(b|)"),
      ("-------", "-------"),
    ])
  func take(source: String, expected: String) throws {
    let source = try scheduler.cold(source)
    try scheduler.expect(source.take(2), expected)
    #expect(source.subscriptions.count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("take disposes the source at the nth value")
  func takeDisposes() throws {
    let source = try scheduler.cold("-a-b-c-d")
    try scheduler.expect(source.take(2), "-a-(b|)")
    #expect(source.subscriptions == ["^--!"])
  }

  @Test("take(0) is empty and subscribes to nothing")
  func takeNone() throws {
    let source = try scheduler.cold("a-b|")
    try scheduler.expect(source.take(0), "(|)")
    #expect(source.subscriptions == [])
  }

  @Test("take disposed in the middle disposes the source")
  func takeDisposed() throws {
    let source = try scheduler.cold("-a-b-c-d")
    try scheduler.expect(source.take(3), "-a-!")
    #expect(source.subscriptions == ["^--!"])
  }

  @Test("take ends an endless synchronous source")
  func takeSynchronous() {
    #expect(Recorder(Signal.from(0...).take(3)).diagram == "(012|)")
  }

  @Test("take disposed from inside its last value does not complete")
  func takeDisposedInside() {
    #expect(disposed(Signal.from(0...).take(3), by: { $0 == 2 }).diagram == "(012!)")
  }

  @Test("take counts a value that is sent back into the source")
  func takeReentrant() {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(react: { subject.sendNext($0 + 1) })
    recorder.observe(subject.take(3))
    subject.sendNext(1)
    #expect(recorder.diagram == "(123|)")
    #expect(recorder.violations == [])
  }

  @Test("take delivers its last value before it disposes the source")
  func takeOrder() {
    let log = Log()
    Signal.from(0...).onDispose { log.add("disposed") }.take(1)
      .subscribe(next: { _ in log.add("next") }, completed: { log.add("completed") })
    #expect(log.lines == ["next", "disposed", "completed"])
  }

  @Test(
    "takeLast sends the latest values at the end",
    arguments: [
      ("-a-b-c|", "------(bc|)"), ("-a|", "--(a|)"), ("-|", "-|"), ("-a-b#", "----#"),
    ])
  func takeLast(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source).takeLast(2), expected)
  }

  @Test("takeLast(0) only ends")
  func takeLastNone() throws {
    try scheduler.expect(try scheduler.cold("-a-b|").takeLast(0), "----|")
  }

  @Test("takeLast disposed before or among its values stops")
  func takeLastDisposed() throws {
    try scheduler.expect(try scheduler.cold("-a-b|").takeLast(2), "---!")
    #expect(disposed(Signal.from(1...5).takeLast(3), by: { $0 == 4 }).diagram == "(34!)")
  }

  @Test(
    "takeWhile ends before the first value that fails",
    arguments: [
      ("-1-2-5-1|", "-1-2-|"), ("-1|", "-1|"), ("-1#", "-1#"), ("5", "|"), ("(15)", "(1|)"),
    ])
  func takeWhile(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source, Int.self).takeWhile { $0 < 3 }, expected)
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    "takeUntil ends before the first value that passes",
    arguments: [
      ("-1-2-5-1|", "-1-2-|"), ("-1|", "-1|"), ("-1#", "-1#"), ("5", "|"),
    ])
  func takeUntil(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source, Int.self).takeUntil { $0 > 3 }, expected)
  }

  @Test("takeWhile disposes its source at the failing value")
  func takeWhileDisposes() throws {
    let source = try scheduler.cold("-1-5-1", Int.self)
    try scheduler.expect(source.takeWhile { $0 < 3 }, "-1-|")
    #expect(source.subscriptions == ["^--!"])
    let open = try scheduler.cold("-1-1-1", Int.self)
    let recorder = try scheduler.record(open.takeWhile { $0 < 3 }, "-----^-!")
    try scheduler.run()
    #expect(recorder.values == [1])
    #expect(open.subscriptions == ["-----^-!"])
  }
}
