import Reactive
import ReactiveTesting
import Testing

/// An operator that can be applied to its own result.
struct ChainedOperator: Sendable, CustomTestStringConvertible {
  let name: String
  let apply: @Sendable (Signal<Int>) -> Signal<Int>

  init(_ name: String, _ apply: @escaping @Sendable (Signal<Int>) -> Signal<Int>) {
    self.name = name
    self.apply = apply
  }

  var testDescription: String { name }

  static let all: [ChainedOperator] = [
    ChainedOperator("map") { $0.map { $0 } },
    ChainedOperator("filter") { $0.filter { _ in true } },
    ChainedOperator("scan") { $0.scan(0) { $1 } },
    ChainedOperator("aggregate") { $0.aggregate(0) { $1 } },
    ChainedOperator("materialize, dematerialize") { $0.materialize().dematerialize() },
    ChainedOperator("flatMap") { $0.flatMap { .just($0) } },
    ChainedOperator("flatMap, one at a time") { $0.flatMap(maxConcurrent: 1) { .just($0) } },
    ChainedOperator("switchToLatest") { $0.map { .just($0) }.switchToLatest() },
    ChainedOperator("merge") { $0.merge(.empty()) },
    ChainedOperator("concat") { $0.concat(.empty()) },
    ChainedOperator("startWith, skip") { $0.startWith(0).skip(1) },
    ChainedOperator("takeUntil") { $0.takeUntil(Signal<Int>.never()) },
    ChainedOperator("combineLatest") { $0.combineLatest(with: .just(0)).map { $0.0 } },
    ChainedOperator("zip") { $0.zip(with: .just(0)).map { $0.0 } },
    ChainedOperator("take") { $0.take(1) },
    ChainedOperator("distinctUntilChanged") { $0.distinctUntilChanged() },
    ChainedOperator("catchTo") { $0.catchTo(.empty()) },
    ChainedOperator("doNext") { $0.doNext { _ in } },
    ChainedOperator("retry") { $0.retry() },
  ]
}

@Suite("Long chains")
struct LongChainTests {
  /// A frame of unoptimised code takes three times as much stack.
  static let length: Int = {
    #if DEBUG
      200
    #else
      600
    #endif
  }()

  @Test(
    "Many times one operator works on a stack of 512 KiB, hot or synchronous", .measuresStack,
    arguments: ChainedOperator.all)
  func chain(operation: ChainedOperator) async {
    await onSmallStack {
      for isHot in [true, false] {
        let subject = Subject<Int>()
        var signal: Signal<Int> = isHot ? subject : .just(7)
        for _ in 0..<Self.length { signal = operation.apply(signal) }
        let received = Recorder(signal)
        subject.sendNext(7)
        subject.sendCompleted()
        #expect(received.values == [7])
        #expect(received.isCompleted)
      }
    }
  }
}
