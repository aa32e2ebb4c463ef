import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite("flatMap and flatten")
struct FlattenTests {
  let scheduler = TestScheduler()

  @Test("Values of all signals come as they are sent, and it completes with the last of them")
  func values() throws {
    let inners = try ["a": scheduler.cold("1--2|"), "b": scheduler.cold("x-y-z|")]
    let outer = try scheduler.hot("-a-b--|")
    try scheduler.expect(outer.flatMap { inners[$0]! }, "-1-x2y-z|")
  }

  @Test("A source that ends last completes it")
  func outerLast() throws {
    let outer = try scheduler.hot("-a----|")
    try scheduler.expect(outer.flatMap { _ in Signal.just("v") }, "-v----|")
  }

  @Test("An error of a signal ends it and disposes the rest")
  func innerError() throws {
    let inners = try ["a": scheduler.cold("1--2--3-4"), "b": scheduler.cold("x-#")]
    let outer = try scheduler.cold("-a-b----c")
    try scheduler.expect(outer.flatMap { inners[$0]! }, "-1-x2#")
    #expect(outer.subscriptions == ["^----!"])
    #expect(inners["a"]!.subscriptions == ["-^---!"])
  }

  @Test("An error of the source ends it and disposes the signals")
  func outerError() throws {
    let inner = try scheduler.cold("1-2-3-4")
    try scheduler.expect(scheduler.cold("-a--#").flatMap { _ in inner }, "-1-2#")
    #expect(inner.subscriptions == ["-^--!"])
  }

  @Test(
    "A last signal that completes inside its block completes the whole there",
    arguments: [1, 2])
  func completionAtOnce(limit: Int) {
    let log = Log()
    let last = Signal<Int>.create { subscriber in
      subscriber.sendNext(1)
      subscriber.sendCompleted()
      log.add("the block returns")
      return nil
    }
    let before = Subject<Int>()
    let rest = limit == 1 ? [before as Signal<Int>, last] : [before, .empty(), last]
    Signal.from(rest).flatten(limit).subscribe(completed: { log.add("completed") })
    #expect(log.lines == (limit == 1 ? [] : ["the block returns"]))
    before.sendCompleted()
    #expect(
      log.lines
        == (limit == 1
          ? ["completed", "the block returns"] : ["the block returns", "completed"]))
  }

  @Test("A source that completes inside its block completes it there, its signals having ended")
  func completionOfSource() {
    let log = Log()
    Signal<Signal<Int>>.create { subscriber in
      subscriber.sendNext(.just(1))
      subscriber.sendCompleted()
      log.add("the block returns")
      return nil
    }
    .flatten(1).subscribe(completed: { log.add("completed") })
    #expect(log.lines == ["completed", "the block returns"])
  }

  @Test("Disposal in the middle disposes the source and the signals", arguments: [0, 1, 5])
  func disposal(limit: Int) throws {
    let inner = try scheduler.cold("1-2-3-4")
    let outer = try scheduler.cold("-a----b")
    try scheduler.expect(outer.flatMap(maxConcurrent: limit) { _ in inner }, "-1-2!")
    #expect(inner.subscriptions == ["-^--!"])
    #expect(outer.subscriptions == ["^---!"])
  }

  @Test("Beyond the limit signals wait in order for a place")
  func limit() throws {
    let inner = try scheduler.cold("a-b|")
    let outer = try scheduler.hot("xxx--|")
    try scheduler.expect(outer.flatMap(maxConcurrent: 2) { _ in inner }, "aab(ab)-b|")
  }

  @Test("Synchronous signals are sent one after the other, and an endless one can be cut")
  func synchronous() {
    let flattened = Signal.from([1, 2]).flatMap { .from([$0, $0 * 10]) }
    #expect(Recorder(flattened).values == [1, 10, 2, 20])
    #expect(Recorder(Signal.just(0).flatMap { .from($0...) }.take(2)).diagram == "(01|)")
    #expect(Recorder(Signal.from(0...).flatMap { .just($0) }.take(2)).diagram == "(01|)")
    #expect(
      Recorder(Signal.from(0...).flatMap(maxConcurrent: 1) { .just($0) }.take(2)).diagram
        == "(01|)")
  }

  @Test("A value sent from inside a value is delivered after it", arguments: [0, 1, 3])
  func reentrant(limit: Int) {
    let outer = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 < 3 { outer.sendNext($0 + 1) } })
    recorder.observe(outer.flatMap(maxConcurrent: limit) { .just($0) })
    outer.sendNext(1)
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.violations == [])
  }

  @Test(
    "Signals that end inside their subscription use no stack", .measuresStack,
    .timeLimit(.minutes(5)))
  func rounds() async {
    await onSmallStack {
      for limit in [0, 1, 2] {
        let rounds = Counter()
        Signal.from(0..<200_000).flatMap(maxConcurrent: limit) { .just($0) }
          .subscribe(next: { _ in rounds.increment() })
        #expect(rounds.value == 200_000)
      }
    }
  }

  @Test(
    "Signals that waited and end inside their subscription use no stack", .measuresStack,
    .timeLimit(.minutes(5)))
  func waitingRounds() async {
    await onSmallStack {
      let rounds = Counter()
      let gate = Subject<Int>()
      let signals = Signal.just(gate as Signal<Int>).concat(
        Signal.from(0..<200_000).map { .just($0) })
      signals.flatten(1).subscribe(next: { _ in rounds.increment() })
      #expect(rounds.value == 0)
      gate.sendCompleted()
      #expect(rounds.value == 200_000)
    }
  }
}
