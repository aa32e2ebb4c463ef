import Reactive
import ReactiveTesting
import Testing

@Suite("Operators that transform value by value")
struct ElementwiseTests {
  let scheduler = TestScheduler()

  @Test("map and mapReplace send one value for each", arguments: ["|", "#", "!"])
  func map(end: String) throws {
    let source = try scheduler.cold("-1-2" + (end == "!" ? "-3" : end), Int.self)
    try scheduler.expect(source.map { $0 * 2 }, "-2-4" + end)
    let other = TestScheduler()
    try other.expect(
      other.cold("-1-2" + (end == "!" ? "-3" : end)).mapReplace("v"), "-v-v" + end)
  }

  @Test("filter, ignore and ignoreValues leave values out", arguments: ["|", "#"])
  func filter(end: String) throws {
    let source = try scheduler.hot("-1-2-1-3" + end, Int.self)
    let filtered = try scheduler.record(source.filter { $0 > 1 })
    let ignored = try scheduler.record(source.ignore(1))
    let silent = try scheduler.record(source.ignoreValues())
    try scheduler.run()
    try filtered.expect("---2---3" + end)
    try ignored.expect("---2---3" + end)
    try silent.expect("--------" + end)
  }

  @Test("scan sends every result but not the seed", arguments: ["|", "#", "!"])
  func scan(end: String) throws {
    let source = try scheduler.cold("-1-2-3" + (end == "!" ? "-4" : end), Int.self)
    try scheduler.expect(source.scan(0) { $0 + $1 }, "-1-3-6" + end)
  }

  @Test("scan with an index counts the values from zero")
  func scanWithIndex() {
    let scanned = Signal.from(["a", "b"]).scan("") { $0 + $1 + "\($2)" }
    #expect(Recorder(scanned).values == ["a0", "a0b1"])
  }

  @Test("combinePrevious combines each value with the one before", arguments: ["|", "#"])
  func combinePrevious(end: String) throws {
    let source = try scheduler.cold("-a-b-c" + end)
    try scheduler.expect(source.combinePrevious("_") { $0 + $1 }, "-'_a'-'ab'-'bc'" + end)
  }

  @Test("State begins anew with each subscription")
  func state() {
    let scanned = Signal.from([1, 2]).scan(0) { $0 + $1 }
    let combined = Signal.from([1, 2]).combinePrevious(0) { $0 * 10 + $1 }
    for _ in 0..<2 {
      #expect(Recorder(scanned).values == [1, 3])
      #expect(Recorder(combined).values == [1, 12])
    }
  }

  @Test("reduceEach calls a function with the elements of a tuple")
  func reduceEach() {
    let pairs = Signal.zip(.from([1, 2]), .from(["a", "b"]), .from([true, false]))
    let texts = pairs.reduceEach { "\($0)\($1)\($2)" }
    #expect(Recorder(texts).values == ["1atrue", "2bfalse"])
  }

  @Test("A disposal from inside a value stops a synchronous source")
  func synchronous() {
    let endless = Signal.from(0...).map { $0 + 1 }.filter { $0 > 1 }.scan(0) { $0 + $1 }
    #expect(Recorder(endless.take(3)).diagram == "(259|)")
  }
}

@Suite("not, and, or, any, all")
struct BooleanOperatorsTests {
  @Test("not negates")
  func not() {
    #expect(Recorder(Signal.from([true, false]).not()).diagram == "(ft|)")
  }

  @Test("and and or judge arrays and tuples of any length")
  func andOr() {
    let arrays = Signal.from([[true, true], [true, false], [false, false], []])
    #expect(Recorder(arrays.and()).diagram == "(tfft|)")
    #expect(Recorder(arrays.or()).diagram == "(ttff|)")
    let flags = Signal.from([true, true, false])
    let others = Signal.from([true, false, false])
    #expect(Recorder(Signal.zip(flags, others).and()).diagram == "(tff|)")
    #expect(Recorder(Signal.zip(flags, others, others).or()).diagram == "(ttf|)")
  }

  @Test(
    "any is true at the first value that passes, and false at the end, error or not",
    arguments: [
      ("-1-2-3", "---(t|)", "^--!"), ("-1-1|", "----(f|)", "^---!"), ("-1#", "--(f|)", "^-!"),
    ])
  func any(source: String, expected: String, subscription: String) throws {
    let scheduler = TestScheduler()
    let source = try scheduler.cold(source, Int.self)
    try scheduler.expect(source.any { $0 > 1 }, expected)
    #expect(source.subscriptions == [subscription])
  }

  @Test("any without a test asks whether there is a value")
  func anyValue() {
    #expect(Recorder(Signal.from(0...).any()).diagram == "(t|)")
    #expect(Recorder(Signal<Int>.empty().any()).diagram == "(f|)")
  }

  @Test(
    "all is false at the first value that fails or at an error, and true at the end",
    arguments: [("-1-2-3", "---(f|)"), ("-1-1|", "----(t|)"), ("-1#", "--(f|)"), ("--|", "--(t|)")])
  func all(source: String, expected: String) throws {
    let scheduler = TestScheduler()
    try scheduler.expect(scheduler.cold(source, Int.self).all { $0 < 2 }, expected)
  }
}
