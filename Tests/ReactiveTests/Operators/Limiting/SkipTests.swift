import Reactive
import ReactiveTesting
import Testing

@Suite("skip, skipWhile, skipUntil")
struct SkipTests {
  let scheduler = TestScheduler()

  @Test(
    "skip leaves out the first values",
    arguments: [
      ("-a-b-c|", "-----c|"), ("-a|", "--|"), ("-a#", "--#"), ("(abc)-d|", "c-d|"),
    ])
  func skip(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source).skip(2), expected)
  }

  @Test("skip(0) leaves nothing out")
  func skipNone() throws {
    try scheduler.expect(try scheduler.cold("a-b|").skip(0), "a-b|")
  }

  @Test("skip disposed in the middle disposes its source")
  func skipDisposed() throws {
    let source = try scheduler.cold("-a-b-c")
    try scheduler.expect(source.skip(1), "---b!")
    #expect(source.subscriptions == ["^---!"])
  }

  @Test("skip counts a value that is sent back into the source")
  func skipReentrant() {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 < 4 { subject.sendNext($0 + 1) } })
    recorder.observe(subject.skip(1))
    subject.sendNext(1)
    subject.sendNext(2)
    #expect(recorder.values == [2, 3, 4])
  }

  @Test(
    "skipWhile sends from the first value that fails on",
    arguments: [
      ("-1-2-5-1|", "-----5-1|"), ("-1|", "--|"), ("-1#", "--#"), ("(151)|", "(51)|"),
    ])
  func skipWhile(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source, Int.self).skipWhile { $0 < 3 }, expected)
  }

  @Test(
    "skipUntil sends from the first value that passes on",
    arguments: [
      ("-1-2-5-1|", "-----5-1|"), ("-1|", "--|"), ("-1#", "--#"),
    ])
  func skipUntil(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source, Int.self).skipUntil { $0 > 3 }, expected)
  }

  @Test("skipWhile asks no more once it has begun to send")
  func asks() throws {
    let count = Counter()
    let signal = Signal.from([1, 5, 1, 1]).skipWhile {
      count.increment()
      return $0 < 3
    }
    #expect(Recorder(signal).values == [5, 1, 1])
    #expect(count.value == 2)
  }
}
