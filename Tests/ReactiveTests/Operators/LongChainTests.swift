import Reactive
import ReactiveTesting
import Testing

/// An operator that can be applied to its own result.
struct ChainedOperator: Sendable, CustomTestStringConvertible {
  let name: String
  /// How many operators are applied, where one alone does not give back its own type.
  let count: Int
  let apply: @Sendable (Signal<Int>) -> Signal<Int>

  init(
    _ name: String, count: Int = 1, _ apply: @escaping @Sendable (Signal<Int>) -> Signal<Int>
  ) {
    self.name = name
    self.count = count
    self.apply = apply
  }

  var testDescription: String { name }

  static let all: [ChainedOperator] = [
    ChainedOperator("map") { $0.map { $0 } },
    ChainedOperator("filter") { $0.filter { _ in true } },
    ChainedOperator("scan") { $0.scan(0) { $1 } },
    ChainedOperator("aggregate") { $0.aggregate(0) { $1 } },
    ChainedOperator("materialize, dematerialize", count: 2) { $0.materialize().dematerialize() },
    ChainedOperator("flatMap") { $0.flatMap { .just($0) } },
    ChainedOperator("flatMap, one at a time") { $0.flatMap(maxConcurrent: 1) { .just($0) } },
    ChainedOperator("map, switchToLatest", count: 2) { $0.map { .just($0) }.switchToLatest() },
    ChainedOperator("merge") { $0.merge(.empty()) },
    ChainedOperator("concat") { $0.concat(.empty()) },
    ChainedOperator("startWith, skip", count: 2) { $0.startWith(0).skip(1) },
    ChainedOperator("takeUntil") { $0.takeUntil(Signal<Int>.never()) },
    ChainedOperator("combineLatest, map", count: 2) {
      $0.combineLatest(with: .just(0)).map { $0.0 }
    },
    ChainedOperator("zip, map", count: 2) { $0.zip(with: .just(0)).map { $0.0 } },
    ChainedOperator("combineLatest of three, map", count: 2) {
      Signal.combineLatest($0, .just(0), .just(0)).map { $0.0 }
    },
    ChainedOperator("zip of three, map", count: 2) {
      Signal.zip($0, .just(0), .just(0)).map { $0.0 }
    },
    ChainedOperator("map, if", count: 2) {
      Signal.if($0.map { $0 == 7 }, then: .just(7), else: .just(0))
    },
    ChainedOperator("take") { $0.take(1) },
    ChainedOperator("distinctUntilChanged") { $0.distinctUntilChanged() },
    ChainedOperator("catchTo") { $0.catchTo(.empty()) },
    ChainedOperator("doNext") { $0.doNext { _ in } },
    ChainedOperator("retry") { $0.retry() },
  ]
}

@Suite("Long chains")
struct LongChainTests {
  /// The rule is for optimised code: a frame of unoptimised code takes several times as much.
  static let allowed: Int = {
    #if DEBUG
      3072 * 1024
    #else
      512 * 1024
    #endif
  }()

  @Test(
    "A thousand operators in a row work on a stack of 512 KiB, hot or synchronous",
    .measuresStack, .timeLimit(.minutes(5)), arguments: ChainedOperator.all)
  func chain(operation: ChainedOperator) async {
    let use = await stackUse {
      for isHot in [true, false] {
        let subject = Subject<Int>()
        var signal: Signal<Int> = isHot ? subject : .just(7)
        for _ in 0..<1_000 / operation.count { signal = operation.apply(signal) }
        let received = Recorder(signal)
        subject.sendNext(7)
        subject.sendCompleted()
        #expect(received.values == [7])
        #expect(received.isCompleted)
      }
    }
    #expect(use <= Self.allowed)
  }

  @Test(
    "A thousand of each with one source do too, from subscription to release",
    .measuresStack, .timeLimit(.minutes(5)), arguments: SingleSourceLifetimeTests.operators)
  func singleSource(tested: SingleSourceOperator) async {
    let use = await stackUse {
      let scheduler = TestScheduler()
      let subject = Subject<Int>()
      var chain: Signal<Int> = subject
      for _ in 0..<1_000 { chain = tested.apply(chain, scheduler) }
      let recorder = Recorder(chain)
      // A scheduled subscription needs a turn for each of the thousand.
      scheduler.advance()
      subject.sendNext(1)
      subject.sendNext(2)
      subject.sendCompleted()
      scheduler.advance(by: .seconds(2_000))
      #expect(recorder.isCompleted)
      chain.subscribe().dispose()
      #expect(recorder.violations == [])
    }
    #expect(use <= Self.allowed)
  }
}
