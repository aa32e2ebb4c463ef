import Reactive
import ReactiveTesting
import Testing

/// An operator under test: what it makes of a source, with another signal where it takes one.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  let name: String
  let apply: @Sendable (_ source: Signal<Int>, _ other: Signal<Int>) -> Signal<String>

  init<Result>(
    _ name: String, _ apply: @escaping @Sendable (Signal<Int>, Signal<Int>) -> Signal<Result>
  ) {
    self.name = name
    self.apply = { apply($0, $1).map { "\($0)" } }
  }

  var testDescription: String { name }

  static let all: [OperatorCase] = [
    OperatorCase("map") { source, _ in source.map { $0 } },
    OperatorCase("mapReplace") { source, _ in source.mapReplace(1) },
    OperatorCase("filter") { source, _ in source.filter { $0 > 0 } },
    OperatorCase("ignore") { source, _ in source.ignore(1) },
    OperatorCase("ignoreValues") { source, _ in source.ignoreValues() },
    OperatorCase("scan") { source, _ in source.scan(0) { $0 + $1 } },
    OperatorCase("combinePrevious") { source, _ in source.combinePrevious(0) { $0 + $1 } },
    OperatorCase("aggregate") { source, _ in source.aggregate(0) { $0 + $1 } },
    OperatorCase("collect") { source, _ in source.collect() },
    OperatorCase("count") { source, _ in source.count() },
    OperatorCase("any") { source, _ in source.any { $0 > 100 } },
    OperatorCase("all") { source, _ in source.all { $0 < 100 } },
    OperatorCase("materialize") { source, _ in source.materialize() },
    OperatorCase("dematerialize") { source, _ in source.materialize().dematerialize() },
    OperatorCase("groupBy") { source, _ in source.groupBy { $0 % 2 } },
    OperatorCase("groupBy, merged") { source, _ in source.groupBy { $0 % 2 }.flatMap { $0 } },
    OperatorCase("buffer") { source, _ in source.buffer(.seconds(1), on: TestScheduler()) },
    OperatorCase("flatMap") { source, other in source.flatMap { _ in other } },
    OperatorCase("flatten(1)") { source, other in source.map { _ in other }.flatten(1) },
    OperatorCase("switchToLatest") { source, other in source.map { _ in other }.switchToLatest() },
    OperatorCase("merge") { source, other in source.merge(other) },
    OperatorCase("concat") { source, other in source.concat(other) },
    OperatorCase("startWith") { source, _ in source.startWith(0) },
    OperatorCase("then") { source, other in source.then { other } },
    OperatorCase("combineLatest") { source, other in Signal.combineLatest(source, other) },
    OperatorCase("combineLatest of an array") { source, other in
      Signal.combineLatest([source, other])
    },
    OperatorCase("zip") { source, other in Signal.zip(source, other) },
    OperatorCase("zip of an array") { source, other in Signal.zip([source, other]) },
    OperatorCase("sample") { source, other in source.sample(other) },
    OperatorCase("takeUntil") { source, other in source.takeUntil(other.filter { $0 > 100 }) },
    OperatorCase("takeUntilReplacement") { source, other in source.takeUntilReplacement(other) },
    OperatorCase("if") { source, other in .if(source.map { $0 > 1 }, then: other, else: .never()) },
    OperatorCase("switch") { source, other in .switch(source, cases: [1: .never()], default: other)
    },
  ]
}

@Suite("Life of operators")
struct OperatorLifetimeTests {
  /// How a subscription is brought to its end.
  enum End: CaseIterable {
    case completion, error, disposal
  }

  @Test(
    "Everything is released at the end of the subscription, while its sources live on",
    arguments: OperatorCase.all, End.allCases)
  func releases(operation: OperatorCase, end: End) {
    let lives = Lives()
    let source = Subject<Int>()
    let other = Subject<Int>()
    let subscription = operation.apply(source, other)
      .subscribe(
        next: { [token = lives.token()] _ in token.touch() },
        error: { [token = lives.token()] _ in token.touch() },
        completed: { [token = lives.token()] in token.touch() })
    for value in 1...3 {
      source.sendNext(value)
      other.sendNext(value)
    }
    #expect(lives.count > 0)
    switch end {
    case .completion:
      source.sendCompleted()
      other.sendCompleted()
    case .error:
      source.sendError(MarbleError.failure)
      other.sendError(MarbleError.failure)
    case .disposal:
      subscription.dispose()
    }
    withExtendedLifetime((source, other, subscription)) { #expect(lives.count == 0) }
  }

  @Test("Nothing is delivered after disposal", arguments: OperatorCase.all)
  func silentAfterDisposal(operation: OperatorCase) {
    let source = Subject<Int>()
    let other = Subject<Int>()
    let recorder = Recorder(operation.apply(source, other))
    source.sendNext(1)
    other.sendNext(1)
    recorder.dispose()
    let count = recorder.entries.count
    source.sendNext(2)
    other.sendNext(2)
    source.sendCompleted()
    other.sendCompleted()
    #expect(recorder.entries.count == count)
    #expect(recorder.violations == [])
  }

  @Test("Sends from inside a delivery are queued, never nested", arguments: OperatorCase.all)
  func reentrant(operation: OperatorCase) {
    let source = Subject<Int>()
    let other = Subject<Int>()
    let rounds = Counter()
    let recorder = Recorder<String>(react: { _ in
      guard rounds.increment() < 10 else { return }
      other.sendNext(2)
      source.sendNext(3)
    })
    recorder.observe(operation.apply(source, other))
    source.sendNext(1)
    other.sendNext(1)
    source.sendCompleted()
    other.sendCompleted()
    #expect(recorder.violations == [])
  }
}
