import Reactive
import ReactiveTesting
import Testing

/// An operator of one source, to be tried in every way a subscription can end.
struct SingleSourceOperator: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let apply: @Sendable (Signal<Int>, TestScheduler) -> Signal<Int>

  init(_ name: String, _ apply: @escaping @Sendable (Signal<Int>, TestScheduler) -> Signal<Int>) {
    testDescription = name
    self.apply = apply
  }
}

@Suite("Life-time of operators with one source")
struct SingleSourceLifetimeTests {
  static let operators = OperatorFamily.all.flatMap(\.samples).compactMap(\.singleSource)

  let scheduler = TestScheduler()
  let lives = Lives()

  /// Subscribes with closures that count as alive, and sends two values.
  private func begin(_ applied: Signal<Int>, _ subject: Subject<Int>) -> any Disposable {
    let subscription = applied.subscribe(
      next: { [token = lives.token()] _ in token.touch() },
      error: { [token = lives.token()] _ in token.touch() },
      completed: { [token = lives.token()] in token.touch() })
    scheduler.advance()
    subject.sendNext(1)
    subject.sendNext(2)
    #expect(lives.count == 3)
    return subscription
  }

  @Test(
    "Disposal releases the subscriber at once although the source lives on", arguments: operators)
  func disposal(tested: SingleSourceOperator) {
    let subject = Subject<Int>()
    let applied = tested.apply(subject, scheduler)
    let subscription = begin(applied, subject)
    subscription.dispose()
    #expect(lives.count == 0)
    // Turns that are due now hold nothing any more; timers must be gone.
    scheduler.advance()
    #expect(scheduler.pendingCount == 0)
    withExtendedLifetime((subject, applied)) {}
  }

  @Test("Completion releases the subscriber although its disposable is kept", arguments: operators)
  func completion(tested: SingleSourceOperator) throws {
    let subject = Subject<Int>()
    let applied = tested.apply(subject, scheduler)
    let subscription = begin(applied, subject)
    subject.sendCompleted()
    scheduler.advance(by: .seconds(1))
    #expect(lives.count == 0)
    #expect(subscription.isDisposed)
    try scheduler.expectIdle()
    withExtendedLifetime((subject, applied)) {}
  }

  @Test("An error releases the subscriber although its disposable is kept", arguments: operators)
  func error(tested: SingleSourceOperator) throws {
    let subject = Subject<Int>()
    let applied = tested.apply(subject, scheduler)
    let subscription = begin(applied, subject)
    subject.sendError(MarbleError.failure)
    scheduler.advance(by: .seconds(1))
    #expect(lives.count == 0)
    #expect(subscription.isDisposed)
    try scheduler.expectIdle()
    withExtendedLifetime((subject, applied)) {}
  }

  @Test("A subject that is dropped releases everything", arguments: operators)
  func dropped(tested: SingleSourceOperator) throws {
    var subject: Subject<Int>? = Subject<Int>()
    var applied: Signal<Int>? = tested.apply(subject!, scheduler)
    let subscription = begin(applied!, subject!)
    subject = nil
    applied = nil
    scheduler.advance(by: .seconds(1))
    #expect(lives.count == 0)
    #expect(subscription.isDisposed)
  }
}
