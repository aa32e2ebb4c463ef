import Reactive
import ReactiveTesting
import Testing

@Suite("retry, repeat")
struct RetryTests {
  let scheduler = TestScheduler()

  @Test("retry(n) allows n more rounds")
  func retryCounted() throws {
    let source = try scheduler.cold("-a#")
    try scheduler.expect(source.retry(2), "-a-a-a#")
    #expect(source.subscriptions == ["^-!", "--^-!", "----^-!"])
  }

  @Test("retry goes on until a round completes")
  func retryUntilCompletion() throws {
    let count = Counter()
    let rounds = [try scheduler.cold("a#"), try scheduler.cold("b#"), try scheduler.cold("c|")]
    let source = Signal<String>.defer { rounds[count.increment() - 1] }
    try scheduler.expect(source.retry(), "abc|")
  }

  @Test("repeat goes on after completion and ends with an error")
  func repeats() throws {
    let count = Counter()
    let rounds = [try scheduler.cold("a|"), try scheduler.cold("b|"), try scheduler.cold("c#")]
    let source = Signal<String>.defer { rounds[count.increment() - 1] }
    try scheduler.expect(source.repeat(), "abc#")
  }

  @Test("Disposal ends the round that is running, and no other follows")
  func disposal() throws {
    let repeated = try scheduler.cold("-a|")
    try scheduler.expect(repeated.repeat(), "-a-a-!")
    #expect(repeated.subscriptions == ["^-!", "--^-!", "----^!"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("take ends a repeat that is synchronous")
  func take() {
    #expect(Recorder(Signal.from([1, 2]).repeat().take(5)).diagram == "(12121|)")
    let failing = Signal<Int>.create { subscriber in
      subscriber.sendNext(1)
      subscriber.sendError(MarbleError.failure)
      return nil
    }
    #expect(Recorder(failing.retry().take(3)).diagram == "(111|)")
  }

  @Test("Disposal from inside a value ends a repeat that is synchronous")
  func inside() {
    let count = Counter()
    let signal = Signal<Int>.defer { .just(count.increment()) }.repeat()
    #expect(disposed(signal, by: { $0 == 3 }).diagram == "(123!)")
    #expect(count.value == 3)
  }

  @Test("Ten million synchronous rounds use no stack", .measuresStack, .timeLimit(.minutes(5)))
  func depth() async {
    await onSmallStack {
      let completions = Counter()
      let repeating = CompoundDisposable()
      Signal<Int>.empty().doCompleted {
        if completions.increment() == 10_000_000 { repeating.dispose() }
      }.repeat().observe(Observer(next: { _ in }, end: { _ in }), in: repeating)
      #expect(completions.value == 10_000_000)

      let failures = Counter()
      let retrying = CompoundDisposable()
      Signal<Int>.error(MarbleError.failure).doError { _ in
        if failures.increment() == 10_000_000 { retrying.dispose() }
      }.retry().observe(Observer(next: { _ in }, end: { _ in }), in: retrying)
      #expect(failures.value == 10_000_000)
    }
  }

  @Test("Rounds leave nothing behind in the subscription")
  func lifetime() {
    let lives = Lives()
    let subject = Held<Subject<Int>>()
    let source = Signal<Int>.defer { [lives] in
      let next = Subject<Int>()
      subject.value = next
      return next.map { [token = lives.token()] value in
        token.touch()
        return value
      }
    }
    let subscription = source.repeat().subscribe()
    for _ in 0..<10 { subject.value?.sendCompleted() }
    #expect(lives.count == 1)
    subscription.dispose()
    #expect(lives.count == 0)
  }
}
