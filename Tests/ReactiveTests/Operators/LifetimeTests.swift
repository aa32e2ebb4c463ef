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

  /// Those of the catalogue, and further forms of some.
  static let all = OperatorFamily.all.flatMap(\.samples).compactMap(\.law) + forms

  private static let forms: [OperatorCase] = [
    OperatorCase("groupBy, merged") { source, _ in source.groupBy { $0 % 2 }.flatMap { $0 } },
    OperatorCase("flatten(1)") { source, other in source.map { _ in other }.flatten(1) },
    OperatorCase("combineLatest of an array") { source, other in
      Signal.combineLatest([source, other])
    },
    OperatorCase("zip of an array") { source, other in Signal.zip([source, other]) },
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
