import Reactive
import ReactiveTesting
import Testing

@Suite("distinctUntilChanged")
struct DistinctUntilChangedTests {
  let scheduler = TestScheduler()

  @Test(
    "Values equal to the one before are left out",
    arguments: [
      ("aab-bca|", "a-b--ca|"), ("a#", "a#"), ("|", "|"), ("(aaab)|", "(ab)|"),
    ])
  func values(source: String, expected: String) throws {
    try scheduler.expect(try scheduler.cold(source).distinctUntilChanged(), expected)
  }

  @Test("The first value passes always, nil too")
  func first() {
    let signal = Signal<Int?>.from([nil, nil, 1, nil]).distinctUntilChanged()
    #expect(Recorder(signal).values == [nil, 1, nil])
  }

  @Test("Sameness may be the caller's, and is asked with the value sent last")
  func custom() {
    let signal = Signal.from([1, 2, 3, 5, 6]).distinctUntilChanged { $1 - $0 < 2 }
    #expect(Recorder(signal).values == [1, 3, 5])
  }

  @Test("Disposal in the middle disposes the source")
  func disposal() throws {
    let source = try scheduler.cold("-a-a-b")
    try scheduler.expect(source.distinctUntilChanged(), "-a--!")
    #expect(source.subscriptions == ["^---!"])
  }

  @Test("A value sent back into the source is compared with the one being received")
  func reentrant() {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(react: { _ in subject.sendNext(1) })
    recorder.observe(subject.distinctUntilChanged())
    subject.sendNext(1)
    #expect(recorder.values == [1])
  }
}
