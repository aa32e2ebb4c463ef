import Reactive
import ReactiveTesting
import Testing

@Suite("switchToLatest")
struct SwitchToLatestTests {
  let scheduler = TestScheduler()

  @Test("Only the latest signal is heard")
  func values() throws {
    let inners = try ["a": scheduler.cold("1-2-3-4|"), "b": scheduler.cold("x--y|")]
    let outer = try scheduler.hot("-a---b-|")
    try scheduler.expect(outer.map { inners[$0]! as Signal }.switchToLatest(), "-1-2-x--y|")
    #expect(inners["a"]!.subscriptions == ["-^---!"])
  }

  @Test(
    "Completes when the source and the latest signal have completed",
    arguments: [("-a---|", "1|", "-1---|"), ("-a|", "1--2|", "-1--2|"), ("--|", "1|", "--|")])
  func completion(outer: String, inner: String, expected: String) throws {
    let inner: Signal<String> = try scheduler.cold(inner)
    try scheduler.expect(scheduler.hot(outer).map { _ in inner }.switchToLatest(), expected)
  }

  @Test("An error of the source or of the latest signal ends it")
  func error() throws {
    let inner: Signal<String> = try scheduler.cold("1--#")
    try scheduler.expect(scheduler.cold("-a-----").map { _ in inner }.switchToLatest(), "-1--#")
    let other = TestScheduler()
    let never: Signal<String> = .never()
    try other.expect(other.cold("-a--#").map { _ in never }.switchToLatest(), "----#")
  }

  @Test("Disposal in the middle disposes the source and the latest signal")
  func disposal() throws {
    let inner = try scheduler.cold("1-2-3-4")
    let outer = try scheduler.cold("-a----b")
    try scheduler.expect(outer.map { _ in inner as Signal }.switchToLatest(), "-1-2!")
    #expect(inner.subscriptions == ["-^--!"])
    #expect(outer.subscriptions == ["^---!"])
  }

  @Test("Synchronous signals are all sent, and an endless one can be cut")
  func synchronous() {
    let switched = Signal.from([1, 2]).map { Signal.from([$0, $0 * 10]) }.switchToLatest()
    #expect(Recorder(switched).diagram == "(1'10'2'20'|)")
    #expect(
      Recorder(Signal.just(0).map { Signal.from($0...) }.switchToLatest().take(2)).diagram
        == "(01|)")
  }

  @Test("A new signal that comes from inside a value ends the old one after that value")
  func reentrant() throws {
    let outer = Subject<Signal<Int>>()
    let recorder = Recorder<Int>(react: { if $0 == 1 { outer.sendNext(.from([5, 6])) } })
    recorder.observe(outer.switchToLatest())
    outer.sendNext(.from([0, 1, 2]))
    #expect(recorder.values == [0, 1, 2, 5, 6])
    #expect(recorder.violations == [])
    outer.sendCompleted()
    #expect(recorder.isCompleted)
  }

  @Test("Values that wait when their signal ends are still delivered")
  func waiting() {
    let outer = Subject<Signal<Int>>()
    let inner = Subject<Int>()
    let recorder = Recorder<Int>(react: { value in
      if value == 1 {
        inner.sendNext(2)
        inner.sendCompleted()
        outer.sendCompleted()
      }
    })
    recorder.observe(outer.switchToLatest())
    outer.sendNext(inner)
    inner.sendNext(1)
    #expect(recorder.diagram == "(12|)")
  }
}
