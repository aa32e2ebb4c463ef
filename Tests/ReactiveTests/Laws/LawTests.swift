import Reactive
import ReactiveTesting
import Testing

@Suite("Laws, for random signals and disposals")
struct LawTests {
  private static let seeds = 0..<UInt64(150)

  /// Checks that two ways to make a signal of the same sources send the same at the same time.
  private func expectEqual<One: Sendable, Other: Sendable>(
    seed: UInt64, _ one: (Sources) throws -> Signal<One>, _ other: (Sources) throws -> Signal<Other>
  ) throws {
    var marbles = RandomMarbles(seed: seed)
    let texts = (0..<3).map { _ in marbles.source() }
    let frame = marbles.disposal()
    let left = try diagram(disposedAt: frame) { try one(Sources(texts, $0)) }
    let right = try diagram(disposedAt: frame) { try other(Sources(texts, $0)) }
    #expect(left == right, "\(texts), disposed at \(frame.map(String.init) ?? "no") frame")
  }

  /// Three signals on one scheduler.
  struct Sources {
    let scheduler: TestScheduler
    let a, b, c: TestSignal<Int>

    init(_ texts: [String], _ scheduler: TestScheduler) throws {
      self.scheduler = scheduler
      a = try scheduler.cold(texts[0], Int.self)
      b = try scheduler.cold(texts[1], Int.self)
      c = try scheduler.cold(texts[2], Int.self)
    }
  }

  @Test("map of map is map of the composition", arguments: seeds)
  func mapComposition(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.map { $0 + 1 }.map { $0 * 2 }
    } _: {
      $0.a.map { ($0 + 1) * 2 }
    }
  }

  @Test("filter of filter is filter of both", arguments: seeds)
  func filterComposition(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.filter { $0 > 2 }.filter { $0 < 8 }
    } _: {
      $0.a.filter { $0 > 2 && $0 < 8 }
    }
  }

  @Test("materialize, then dematerialize, is identity", arguments: seeds)
  func materialize(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.materialize().dematerialize()
    } _: {
      $0.a
    }
  }

  @Test("flatten(1) is concat", arguments: seeds)
  func flattenOne(seed: UInt64) throws {
    try expectEqual(seed: seed) { sources in
      Signal<Signal<Int>>.from([sources.a, sources.b, sources.c]).flatten(1)
    } _: { sources in
      sources.a.concat(sources.b).concat(sources.c)
    }
  }

  @Test("concat is associative, and empty is its identity", arguments: seeds)
  func concat(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.concat($0.b).concat($0.c)
    } _: {
      $0.a.concat($0.b.concat($0.c))
    }
    try expectEqual(seed: seed) {
      $0.a.concat(.empty())
    } _: {
      $0.a
    }
    try expectEqual(seed: seed) {
      Signal.empty().concat($0.a)
    } _: {
      $0.a
    }
  }

  @Test("merge is flatten of all, is associative, and empty is its identity", arguments: seeds)
  func merge(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      Signal.merge($0.a, $0.b, $0.c)
    } _: {
      Signal<Signal<Int>>.from([$0.a, $0.b, $0.c]).flatten(3)
    }
    try expectEqual(seed: seed) {
      $0.a.merge($0.b).merge($0.c)
    } _: {
      $0.a.merge($0.b.merge($0.c))
    }
    try expectEqual(seed: seed) {
      $0.a.merge(.empty())
    } _: {
      $0.a
    }
  }

  @Test("merge commutes: the same values in each frame", arguments: seeds)
  func mergeCommutes(seed: UInt64) throws {
    var marbles = RandomMarbles(seed: seed)
    let texts = (0..<3).map { _ in marbles.completingSource() }
    let frame = marbles.disposal()
    let left = try diagram(disposedAt: frame) {
      let sources = try Sources(texts, $0)
      return sources.a.merge(sources.b)
    }
    let right = try diagram(disposedAt: frame) {
      let sources = try Sources(texts, $0)
      return sources.b.merge(sources.a)
    }
    let framesOf = { (text: String) throws in
      try MarbleDiagram(text).frames.map { $0.map { "\($0)" }.sorted() }
    }
    #expect(try framesOf(left) == framesOf(right), "\(texts)")
  }

  @Test("flatMap of just is map, and just flatMapped is the function", arguments: seeds)
  func monad(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.flatMap { .just($0 + 1) }
    } _: {
      $0.a.map { $0 + 1 }
    }
    try expectEqual(seed: seed) { sources in
      Signal.just(1).flatMap { _ in sources.a as Signal }
    } _: {
      $0.a
    }
  }

  @Test("switchToLatest of one signal is that signal until the source ends", arguments: seeds)
  func switchToOne(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      Signal<Signal<Int>>.just($0.a).switchToLatest()
    } _: {
      $0.a
    }
  }

  @Test("aggregate is the last of scan, or the seed", arguments: seeds)
  func aggregate(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.aggregate(0) { $0 + $1 }
    } _: {
      $0.a.scan(0) { $0 + $1 }.startWith(0).takeLast(1)
    }
  }

  @Test("collect is aggregate of appending", arguments: seeds)
  func collect(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.collect()
    } _: {
      $0.a.aggregate([]) { $0 + [$1] }
    }
  }

  @Test("Tuples and arrays combine and zip alike", arguments: seeds)
  func tuplesAndArrays(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      Signal.combineLatest($0.a, $0.b, $0.c).reduceEach { "\([$0, $1, $2])" }
    } _: {
      Signal.combineLatest([$0.a, $0.b, $0.c]).map { "\($0)" }
    }
    try expectEqual(seed: seed) {
      Signal.zip($0.a, $0.b, $0.c).reduceEach { "\([$0, $1, $2])" }
    } _: {
      Signal.zip([$0.a, $0.b, $0.c]).map { "\($0)" }
    }
    try expectEqual(seed: seed) {
      Signal.zip($0.a, $0.b).reduceEach { "\([$0, $1])" }
    } _: {
      Signal.zip([$0.a, $0.b]).map { "\($0)" }
    }
    try expectEqual(seed: seed) {
      Signal.combineLatest($0.a, $0.b, $0.c, $0.a).reduceEach { "\([$0, $1, $2, $3])" }
    } _: {
      Signal.combineLatest([$0.a, $0.b, $0.c, $0.a]).map { "\($0)" }
    }
    try expectEqual(seed: seed) {
      Signal.zip($0.a, $0.b, $0.c, $0.b).reduceEach { "\([$0, $1, $2, $3])" }
    } _: {
      Signal.zip([$0.a, $0.b, $0.c, $0.b]).map { "\($0)" }
    }
  }

  @Test("takeUntil of never is identity, of a signal that fires at once nothing", arguments: seeds)
  func takeUntil(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.takeUntil(Signal<Int>.never())
    } _: {
      $0.a
    }
    try expectEqual(seed: seed) {
      $0.a.takeUntil(.just(1))
    } _: { _ in
      Signal<Int>.empty()
    }
  }

  @Test("if with a constant condition is the branch", arguments: seeds)
  func choice(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      .if(.just(true), then: $0.a, else: $0.b)
    } _: {
      $0.a
    }
    try expectEqual(seed: seed) {
      .switch(.just(2), cases: [1: $0.a, 2: $0.b])
    } _: {
      $0.b
    }
  }

  @Test("A grouped signal, merged again, is the source", arguments: seeds)
  func groupBy(seed: UInt64) throws {
    try expectEqual(seed: seed) {
      $0.a.groupBy { $0 % 3 }.flatMap { $0 }
    } _: {
      $0.a
    }
  }

  @Test(
    "A replay subject gives each late subscriber the values before, then the rest", arguments: seeds
  )
  func replay(seed: UInt64) throws {
    var marbles = RandomMarbles(seed: seed)
    let subject = ReplaySubject<Int>()
    let live = Recorder(subject as Signal<Int>)
    var late: [Recorder<Int>] = []
    for value in 0..<marbles.number(0...40) {
      subject.sendNext(value)
      if marbles.number(0...5) == 0 { late.append(Recorder(subject as Signal<Int>)) }
    }
    subject.sendCompleted()
    late.append(Recorder(subject as Signal<Int>))
    for recorder in late { #expect(recorder.diagram == live.diagram) }
  }
}
