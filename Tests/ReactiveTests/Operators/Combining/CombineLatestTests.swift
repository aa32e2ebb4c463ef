import Reactive
import ReactiveTesting
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
  let scheduler = TestScheduler()

  @Test(
    "With a function sends what it makes of the latest values, also of many signals and of none")
  func reducer() throws {
    let a = try scheduler.cold("-1---2|", Int.self)
    let b = try scheduler.cold("--3-4|", Int.self)
    try scheduler.expect(Signal.combineLatest(a, b, reduce: { $0 * $1 }), "--3-48|")
    let four = Signal.combineLatest(.just(1), .just("a"), .just(true), .just(2.5)) {
      "\($0)\($1)\($2)\($3)"
    }
    #expect(Recorder(four).diagram == "('1atrue2.5'|)")
    #expect(Recorder(Signal.combineLatest(reduce: { 1 })).diagram == "|")
  }

  @Test("A function is given an optional value that is nil, and an error ends the result")
  func reducerOfNil() throws {
    let a = try scheduler.cold("-1_#", Int?.self)
    let b = try scheduler.cold("2---", Int.self)
    let sum = Signal.combineLatest(a, b, reduce: { ($0 ?? 0) + $1 })
    try scheduler.expect(sum, "-32#")
    #expect(b.subscriptions == ["^--!"])
  }

  @Test("Sends the latest values together once every signal has sent one")
  func values() throws {
    let a = try scheduler.hot("a-b---c|")
    let b = try scheduler.hot("-x-y--z--|")
    let joined = Signal.combineLatest(a, b).map { $0.0 + $0.1 }
    try scheduler.expect(joined, "-'ax''bx''by'--('cy''cz')--|")
  }

  @Test("An array of signals sends arrays, in the order of the signals")
  func arrays() throws {
    let a = try scheduler.hot("a----b|")
    let b = try scheduler.hot("-x-y--|")
    let c = try scheduler.hot("--m---|")
    let joined = Signal.combineLatest([a, b, c]).map { $0.joined() }
    try scheduler.expect(joined, "--'axm''aym'-'bym'|")
  }

  @Test("Three and more signals send longer tuples of any types")
  func tuples() {
    let joined = Signal.combineLatest(.just(1), .just("a"), .just(true), .just(2.5))
    let recorder = Recorder(joined.map { "\($0.0) \($0.1) \($0.2) \($0.3)" })
    #expect(recorder.values == ["1 a true 2.5"])
    #expect(recorder.isCompleted)
  }

  @Test("The first error ends it, values or not, and disposes the others")
  func error() throws {
    let a = try scheduler.cold("-a-----")
    let b = try scheduler.cold("---#")
    try scheduler.expect(Signal.combineLatest(a, b).mapReplace("v"), "---#")
    #expect(a.subscriptions == ["^--!"])
  }

  @Test("A signal that fails inside its subscription keeps the next from being subscribed to")
  func synchronousError() throws {
    let b = try scheduler.cold("b|")
    let failing = Signal<String>.error(MarbleError.failure)
    try scheduler.expect(Signal.combineLatest([failing, b]).mapReplace("v"), "#")
    #expect(b.subscriptions == [])
  }

  @Test("Completes when all have completed, also if one of them never sent anything")
  func completion() throws {
    let a = try scheduler.cold("-a---a|")
    let b = try scheduler.cold("--|")
    try scheduler.expect(a.combineLatest(with: b).mapReplace("v"), "------|")
  }

  @Test("Nothing combined completes at once")
  func nothing() {
    #expect(Recorder(Signal<[Int]>.combineLatest([Signal<Int>]())).isCompleted)
  }

  @Test("A nil value counts as sent and is kept")
  func nils() {
    let a = Subject<Int?>()
    let b = Subject<Int?>()
    let recorder = Recorder(Signal.combineLatest([a, b]))
    a.sendNext(nil)
    b.sendNext(nil)
    a.sendNext(1)
    #expect(recorder.values == [[nil, nil], [1, nil]])
  }

  @Test("Disposal in the middle disposes all")
  func disposal() throws {
    let a = try scheduler.cold("-a-b-c-")
    let b = try scheduler.cold("-x-----")
    try scheduler.expect(Signal.combineLatest(a, b).map { $0.0 }, "-a-b!")
    #expect(a.subscriptions == ["^---!"])
    #expect(b.subscriptions == ["^---!"])
  }

  @Test("Synchronous signals: the last one's values meet the others' last")
  func synchronous() {
    let joined = Signal.combineLatest([.from([1, 2]), .from([3, 4])])
    #expect(Recorder(joined).values == [[2, 3], [2, 4]])
  }

  @Test("A value sent from inside a value is combined and delivered after it")
  func reentrant() throws {
    let a = Subject<Int>()
    let b = Subject<Int>()
    let recorder = Recorder<[Int]>(react: { if $0[1] < 3 { b.sendNext($0[1] + 1) } })
    recorder.observe(Signal.combineLatest([a, b]))
    a.sendNext(0)
    b.sendNext(1)
    #expect(recorder.values == [[0, 1], [0, 2], [0, 3]])
    #expect(recorder.violations == [])
  }

  @Test("The same subject twice sends both intermediate and final tuples")
  func diamond() {
    let a = Subject<Int>()
    let recorder = Recorder(Signal.combineLatest([a, a.map { $0 * 10 }]))
    a.sendNext(1)
    a.sendNext(2)
    #expect(recorder.values == [[1, 10], [2, 10], [2, 20]])
  }
}
