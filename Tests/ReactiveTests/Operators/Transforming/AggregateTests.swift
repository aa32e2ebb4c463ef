import Reactive
import ReactiveTesting
import Testing

@Suite("aggregate and collect")
struct AggregateTests {
  let scheduler = TestScheduler()

  @Test("The result comes at the completion")
  func completion() throws {
    let source = try scheduler.cold("-1-2-3|", Int.self)
    try scheduler.expect(source.aggregate(0) { $0 + $1 }, "------(6|)")
  }

  @Test("An error comes without a result")
  func error() throws {
    let source = try scheduler.hot("-1-2#", Int.self)
    let sum = try scheduler.record(source.aggregate(0) { $0 + $1 })
    let list = try scheduler.record(source.collect())
    try scheduler.run()
    try sum.expect("----#")
    try list.expect("----#")
  }

  @Test("Of nothing comes the seed, or the empty list")
  func nothing() {
    #expect(Recorder(Signal<Int>.empty().aggregate(7) { $0 + $1 }).diagram == "(7|)")
    let list = Recorder(Signal<Int>.empty().collect())
    #expect(list.values == [[]])
    #expect(list.isCompleted)
  }

  @Test("The number of values comes at the completion, and after an error none")
  func count() throws {
    for (marbles, result) in [("-a-b-c|", "------(3|)"), ("--|", "--(0|)"), ("-a-#", "---#")] {
      let scheduler = TestScheduler()
      try scheduler.expect(try scheduler.cold(marbles, String.self).count(), result)
    }
  }

  @Test("The index counts the values from zero")
  func index() {
    let text = Signal.from(["a", "b"]).aggregate("") { $0 + $1 + "\($2)" }
    #expect(Recorder(text).values == ["a0b1"])
  }

  @Test("A factory makes a seed for each subscription")
  func factory() {
    let made = Counter()
    let sum = Signal.from(1...3).aggregate(makeSeed: { made.increment() * 100 }) { $0 + $1 }
    #expect(made.value == 0)
    #expect(Recorder(sum).diagram == "('106'|)")
    #expect(Recorder(sum).diagram == "('206'|)")
    #expect(
      Recorder(Signal<Int>.error(MarbleError.failure).aggregate(makeSeed: { 1 }) { $0 + $1 })
        .diagram == "#")
  }

  @Test("collect keeps the order, and a second subscription begins anew")
  func collect() {
    let list = Signal.from([3, 1, 2]).collect()
    #expect(Recorder(list).values == [[3, 1, 2]])
    #expect(Recorder(list).values == [[3, 1, 2]])
  }

  @Test("Disposal in the middle disposes the source; from inside the result, no completion follows")
  func disposal() throws {
    let source = try scheduler.cold("-1-2-3|", Int.self)
    try scheduler.expect(source.aggregate(0) { $0 + $1 }, "---!")
    #expect(source.subscriptions == ["^--!"])
    let recorder = Held<Recorder<[Int]>>()
    recorder.value = Recorder(react: { _ in recorder.value?.dispose() })
    recorder.value?.observe(Signal.just(1).collect())
    #expect(recorder.value?.isCompleted == false)
    #expect(recorder.value?.violations == [])
  }
}
