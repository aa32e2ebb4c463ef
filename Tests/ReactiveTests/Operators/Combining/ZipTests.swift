import Reactive
import ReactiveTesting
import Testing

@Suite("zip")
struct ZipTests {
  let scheduler = TestScheduler()

  @Test("Sends the nth values together, as soon as every signal has one")
  func values() throws {
    let a = try scheduler.hot("abc---d-|")
    let b = try scheduler.hot("--x-yz--|")
    let zipped = Signal.zip(a, b).map { $0.0 + $0.1 }
    try scheduler.expect(zipped, "--'ax'-'by''cz'--|")
  }

  @Test("An array of signals sends arrays, in the order of the signals")
  func arrays() throws {
    let zipped = Signal.zip([.from(["a", "b"]), .from(["x", "y"]), .from(["m", "n"])])
    #expect(Recorder(zipped.map { $0.joined() }).values == ["axm", "byn"])
  }

  @Test("Three and more signals send longer tuples of any types")
  func tuples() {
    let zipped = Signal.zip(.from([1, 2]), .from(["a", "b"]), .from([true, false]))
    #expect(
      Recorder(zipped.map { "\($0.0) \($0.1) \($0.2)" }).values == ["1 a true", "2 b false"])
    let longer = Signal.zip(.just(1), .just("a"), .just(true), .just(2.5))
    #expect(
      Recorder(longer.map { "\($0.0) \($0.1) \($0.2) \($0.3)" }).diagram == "('1 a true 2.5'|)")
  }

  @Test("With a function sends what it makes of the values, also of many signals and of none")
  func reducer() throws {
    let a = try scheduler.cold("-1-2|", Int.self)
    let b = try scheduler.cold("--3-4-5|", Int.self)
    try scheduler.expect(Signal.zip(a, b, reduce: { $0 * $1 }), "--3-(8|)")
    let four = Signal.zip(.just(1), .just("a"), .just(true), .just(2.5)) { "\($0)\($1)\($2)\($3)" }
    #expect(Recorder(four).diagram == "('1atrue2.5'|)")
    #expect(Recorder(Signal.zip(reduce: { 1 })).diagram == "|")
  }

  @Test("Completes as soon as a signal has completed and nothing of it waits")
  func completion() throws {
    let a = try scheduler.cold("ab|")
    let b = try scheduler.cold("-x-y-z-|")
    try scheduler.expect(a.zip(with: b).map { $0.0 + $0.1 }, "-'ax'-('by'|)")
    #expect(b.subscriptions == ["^--!"])
  }

  @Test("A signal that completes while nothing of it waits completes it at once")
  func emptyCompletion() throws {
    let a = try scheduler.cold("--|")
    let b = try scheduler.cold("x-----x")
    try scheduler.expect(Signal.zip(a, b).mapReplace("v"), "--|")
    #expect(b.subscriptions == ["^-!"])
  }

  @Test("An error comes at once, before values that wait")
  func error() throws {
    let a = try scheduler.cold("abc#")
    let b = try scheduler.cold("----xyz")
    try scheduler.expect(Signal.zip(a, b).mapReplace("v"), "---#")
    #expect(b.subscriptions == ["^--!"])
  }

  @Test("Nothing zipped completes at once")
  func nothing() {
    #expect(Recorder(Signal<[Int]>.zip([Signal<Int>]())).isCompleted)
  }

  @Test("Disposal in the middle disposes all")
  func disposal() throws {
    let a = try scheduler.cold("-a-b-c-")
    let b = try scheduler.cold("-x-y-z-")
    try scheduler.expect(Signal.zip(a, b).map { $0.0 }, "-a-b!")
    #expect(a.subscriptions == ["^---!"])
    #expect(b.subscriptions == ["^---!"])
  }

  @Test("An endless synchronous signal zipped with a short one stops with it")
  func synchronous() {
    let zipped = Signal.zip([.from([1, 2]), .from(0...)])
    #expect(Recorder(zipped).values == [[1, 0], [2, 1]])
    #expect(Recorder(zipped).isCompleted)
  }

  @Test("A value sent from inside a value finds its own companion")
  func reentrant() {
    let a = Subject<Int>()
    let b = Subject<Int>()
    let recorder = Recorder<[Int]>(react: { if $0[0] < 3 { a.sendNext($0[0] + 1) } })
    recorder.observe(Signal.zip([a, b]))
    for value in [10, 20, 30] { b.sendNext(value) }
    a.sendNext(1)
    #expect(recorder.values == [[1, 10], [2, 20], [3, 30]])
    #expect(recorder.violations == [])
  }
}
