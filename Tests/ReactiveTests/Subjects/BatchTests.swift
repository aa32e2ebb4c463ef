import Synchronization
import Testing

@testable import Reactive

@Suite("Batches")
struct BatchTests {
  /// Numbers in a row that nobody has made yet.
  private final class Numbers: Batch<Int>, @unchecked Sendable {
    private let range: Range<Int>

    init(_ range: Range<Int>, valueWeight: Int = 1) {
      self.range = range
      super.init(count: range.count, valueWeight: valueWeight)
    }

    override func forEach(from start: Int, while condition: () -> Bool, _ body: (Int) -> Void) {
      for number in range.dropFirst(start) {
        guard condition() else { return }
        body(number)
      }
    }
  }

  /// What an observer of both calls has received, each batch as one text.
  private func observe(
    _ feed: ReplayFeed<Int>, takesBatches: Bool, _ log: Log, _ name: String
  ) -> CompoundDisposable {
    let subscription = CompoundDisposable()
    let batch: @Sendable (Batch<Int>) -> Void = { log.add("\(name)[\($0.count)]") }
    Signal(source: feed.source).observe(
      Observer(
        next: { log.add("\(name)\($0)") }, batch: takesBatches ? batch : nil,
        end: { _ in log.add("\(name)|") }), in: subscription)
    return subscription
  }

  @Test("Come whole while all observers take them, and value by value as soon as one does not")
  func delivery() {
    let feed = ReplayFeed<Int>(capacity: nil)
    let log = Log()
    _ = observe(feed, takesBatches: true, log, "a")
    feed.sendNext(Numbers(0..<3))
    let other = observe(feed, takesBatches: false, log, "b")
    feed.sendNext(Numbers(3..<5))
    other.dispose()
    feed.sendNext(Numbers(5..<7))
    feed.end(.completed)
    feed.sendNext(Numbers(7..<9))
    #expect(
      log.lines == ["a[3]", "b0", "b1", "b2", "a3", "b3", "a4", "b4", "a[2]", "a|"])
  }

  @Test(
    "Count in a record by the weight of their values, of which the latest stays",
    arguments: [
      ([(0..<4, 1), (4..<6, 1)], [1, 2, 3, 4, 5]), ([(0..<4, 2)], [2, 3]),
      ([(0..<4, 1), (4..<6, 2)], [3, 4, 5]), ([(0..<4, 1), (4..<5, 9)], [4]),
      ([(0..<2, 9), (2..<5, 1)], [2, 3, 4]), ([(0..<2, 3), (2..<4, 1)], [1, 2, 3]),
    ])
  func weight(_ batches: [(Range<Int>, Int)], _ kept: [Int]) {
    let feed = ReplayFeed<Int>(capacity: 5)
    for (range, weight) in batches { feed.sendNext(Numbers(range, valueWeight: weight)) }
    let log = Log()
    _ = observe(feed, takesBatches: false, log, "")
    #expect(log.lines == kept.map(String.init))
  }

  @Test("Without values are for those who take batches at that moment")
  func notice() {
    let feed = ReplayFeed<Int>(capacity: nil)
    let log = Log()
    _ = observe(feed, takesBatches: true, log, "a")
    feed.sendNext(Numbers(0..<0))
    _ = observe(feed, takesBatches: false, log, "b")
    feed.sendNext(Numbers(0..<0))
    feed.end(.completed)
    #expect(log.lines == ["a[0]", "a[0]", "a|", "b|"])
  }

  @Test("Of one value come whole to each who takes them, live, late and catching up")
  func single() {
    let feed = ReplayFeed<Int>(capacity: nil)
    let log = Log()
    _ = observe(feed, takesBatches: true, log, "a")
    _ = observe(feed, takesBatches: false, log, "b")
    feed.sendNext(Numbers(5..<6))
    _ = observe(feed, takesBatches: true, log, "c")
    Signal(source: feed.source).observe(
      Observer(
        next: { log.add("d\($0)") },
        batch: { batch in
          log.add("d[\(batch.count)]")
          // While the sixth comes again, the seventh is missed.
          batch.forEach { if $0 == 5 { feed.sendNext(Numbers(6..<7)) } }
        }, end: { _ in }), in: CompoundDisposable())
    #expect(
      log.lines == ["a[1]", "b5", "c[1]", "d[1]", "a[1]", "b6", "c[1]", "d[1]"])
  }

  @Test("Come again as they came, but for what a record has lost of them")
  func replay() {
    let feed = ReplayFeed<Int>(capacity: 4)
    feed.sendNext(Numbers(0..<3))
    feed.sendNext(3)
    feed.sendNext(Numbers(4..<6))
    let log = Log()
    _ = observe(feed, takesBatches: true, log, "a")
    #expect(log.lines == ["a2", "a[1]", "a[2]"])
  }

  @Test("Go whole through subjects whose records count no weight")
  func subjects() {
    let source = Signal<Int> { observer, _ in
      if let batch = observer.batch {
        batch(Numbers(0..<3, valueWeight: 9))
      } else {
        observer.next(7)
      }
      observer.end(.completed)
    }
    let signals = [
      source.replay(), source.replayLazily(), source.share(), source.publish().autoconnect(),
      source.multicast(ReplaySubject(capacity: 3)).autoconnect(),
      Signal.just(source).switchToLatest(),
    ]
    let logs = signals.map { signal in
      let log = Log()
      signal.observe(
        Observer(next: { log.add("\($0)") }, batch: { log.add("[\($0.count)]") }, end: { _ in }),
        in: CompoundDisposable())
      return log.lines
    }
    #expect(logs == [["[3]"], ["[3]"], ["[3]"], ["[3]"], ["7"], ["[3]"]])
  }

  @Test("Go whole through concat, merge, flatten, catch and retry")
  func operators() {
    let source = Signal<Int> { observer, _ in
      observer.batch?(Numbers(0..<3))
      observer.end(.completed)
    }
    let failing = Signal<Int> { observer, _ in
      observer.batch?(Numbers(0..<3))
      observer.end(.error(CancellationError()))
    }
    let signals = [
      source.concat(source), .concat([source, source]), .merge(source, source),
      failing.catchTo(source), failing.retry(1).catchTo(.empty()), source.repeat().take(0),
    ]
    let logs = signals.map { signal in
      let log = Log()
      signal.observe(
        Observer(next: { log.add("\($0)") }, batch: { log.add("[\($0.count)]") }, end: { _ in }),
        in: CompoundDisposable())
      return log.lines
    }
    #expect(logs == Array(repeating: ["[3]", "[3]"], count: 5) + [[]])
  }

  @Test("An observer that disposes itself in the middle gets no more of one")
  func disposal() {
    let feed = ReplayFeed<Int>(capacity: nil)
    feed.sendNext(Numbers(0..<5))
    for isLate in [true, false] {
      let subscription = CompoundDisposable()
      let log = Log()
      Signal(source: feed.source).observe(
        Observer(
          next: { value in
            log.add("\(value)")
            if log.lines.count == 2 || (!isLate && value == 11) { subscription.dispose() }
          }, end: { _ in }), in: subscription)
      if !isLate { feed.sendNext(Numbers(10..<15)) }
      #expect(log.lines.count == 2)
    }
  }

  @Test("What is sent from inside one follows it")
  func reentrancy() {
    let feed = ReplayFeed<Int>(capacity: nil)
    let log = Log()
    let hasSent = Flag()
    Signal(source: feed.source).observe(
      Observer(
        next: { log.add("\($0)") },
        batch: { batch in
          log.add("[\(batch.count)]")
          if hasSent.set() { feed.sendNext(Numbers(10..<12)) }
        }, end: { _ in }), in: CompoundDisposable())
    feed.sendNext(Numbers(0..<3))
    #expect(log.lines == ["[3]", "10", "11"])
  }

  @Test(
    "The record keeps the latest values, whatever they came in",
    arguments: [nil, 0, 1, 7, 100] as [Int?])
  func record(capacity: Int?) {
    var random = SeededGenerator(seed: 7)
    let feed = ReplayFeed<Int>(capacity: capacity)
    var count = 0
    for _ in 0..<300 {
      let size = Int.random(in: 1...9, using: &random)
      // Single values alone at first.
      if count < 20 || size < 4 {
        feed.sendNext(count)
        count += 1
      } else {
        feed.sendNext(Numbers(count..<count + size))
        count += size
      }
      let late = Log()
      let subscription = CompoundDisposable()
      Signal(source: feed.source).observe(
        Observer(next: { late.add("\($0)") }, end: { _ in }), in: subscription)
      subscription.dispose()
      #expect(late.lines == (0..<count).suffix(capacity ?? count).map { "\($0)" })
    }
  }

  @Test("One that has made room is released before the next is sent")
  func trimming() {
    let feed = ReplayFeed<Int>(capacity: 2)
    weak var first: Numbers?
    do {
      let numbers = Numbers(0..<3)
      first = numbers
      feed.sendNext(numbers)
    }
    #expect(first != nil)
    feed.sendNext(3)
    #expect(first != nil)
    feed.sendNext(4)
    #expect(first == nil)
  }

  private final class Flag: Sendable {
    private let isSet = Atomic<Bool>(false)

    /// True for the first call.
    func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
  }
}
