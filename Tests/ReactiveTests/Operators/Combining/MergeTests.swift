import Reactive
import ReactiveTesting
import Testing

@Suite("merge")
struct MergeTests {
  let scheduler = TestScheduler()

  @Test("Values of all signals come in the order in which they are sent")
  func values() throws {
    let a = try scheduler.hot("a-b---c|")
    let b = try scheduler.hot("-x-y|")
    try scheduler.expect(a.merge(b), "axby--c|")
  }

  @Test("The first error ends it and disposes the others")
  func error() throws {
    let a = try scheduler.cold("-a-b-c-d|")
    let b = try scheduler.cold("--x-#")
    try scheduler.expect(Signal.merge(a, b), "-axb#")
    #expect(a.subscriptions == ["^---!"])
  }

  @Test("Disposal in the middle disposes all")
  func disposal() throws {
    let a = try scheduler.cold("-a-b-c-d|")
    let b = try scheduler.cold("--x--y")
    try scheduler.expect(Signal.merge([a, b]), "-axb!")
    #expect(a.subscriptions == ["^---!"])
    #expect(b.subscriptions == ["^---!"])
  }

  @Test("Nothing merged completes at once")
  func nothing() {
    #expect(Recorder(Signal<Int>.merge([])).diagram == "|")
  }

  @Test("Synchronous signals are sent one after the other, and an endless one can be cut")
  func synchronous() {
    #expect(Recorder(Signal.merge(.from([1, 2]), .from([3]))).diagram == "(123|)")
    #expect(Recorder(Signal.from(0...).merge(.just(9)).take(3)).diagram == "(012|)")
  }

  @Test("A value sent from inside a value is delivered after it, and events never overlap")
  func reentrant() throws {
    let a = Subject<Int>()
    let b = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 < 3 { b.sendNext($0 + 1); b.sendNext($0 + 10) } })
    recorder.observe(a.merge(b))
    a.sendNext(1)
    a.sendNext(100)
    #expect(recorder.values == [1, 2, 11, 3, 12, 100])
    try recorder.expect("(12'11'3'12''100')")
  }
}
