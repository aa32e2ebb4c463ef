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
  static let operators: [SingleSourceOperator] = [
    .init("take") { source, _ in source.take(5) },
    .init("takeLast") { source, _ in source.takeLast(2) },
    .init("takeWhile") { source, _ in source.takeWhile { $0 < 9 } },
    .init("takeUntil") { source, _ in source.takeUntil { $0 > 9 } },
    .init("skip") { source, _ in source.skip(1) },
    .init("skipWhile") { source, _ in source.skipWhile { $0 < 1 } },
    .init("skipUntil") { source, _ in source.skipUntil { $0 > 1 } },
    .init("distinctUntilChanged") { source, _ in source.distinctUntilChanged() },
    .init("throttle") { source, scheduler in source.throttle(.seconds(1), on: scheduler) },
    .init("delay") { source, scheduler in source.delay(.seconds(1), on: scheduler) },
    .init("timeout") { source, scheduler in source.timeout(.seconds(99), on: scheduler) },
    .init("catch") { source, _ in source.catch { throw $0 } },
    .init("catchTo") { source, _ in source.catchTo(.error(MarbleError.failure)) },
    .init("retry") { source, _ in source.retry(1) },
    .init("try") { source, _ in source.try { _ in } },
    .init("tryMap") { source, _ in source.tryMap { $0 } },
    .init("initially") { source, _ in source.initially {} },
    .init("doNext") { source, _ in source.doNext { _ in } },
    .init("doError") { source, _ in source.doError { _ in } },
    .init("doCompleted") { source, _ in source.doCompleted {} },
    .init("finally") { source, _ in source.finally {} },
    .init("onDispose") { source, _ in source.onDispose {} },
    .init("log") { source, _ in source.log { _ in } },
    .init("named") { source, _ in source.named("source") },
    .init("deliverOn") { source, scheduler in source.deliverOn(scheduler) },
    .init("subscribeOn") { source, scheduler in source.subscribeOn(scheduler) },
    .init("replay") { source, _ in source.replay() },
    .init("replayLast") { source, _ in source.replayLast() },
    .init("replayLazily") { source, _ in source.replayLazily() },
    .init("share") { source, _ in source.share() },
    .init("autoconnect") { source, _ in source.publish().autoconnect() },
  ]

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
