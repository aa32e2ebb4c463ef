import Reactive
import ReactiveTesting
import Testing

@Suite("Subjects that signals are forwarded to")
struct ForwardingTests {
  let scheduler = TestScheduler()

  enum End: CaseIterable, Sendable {
    case completed, error

    func send(to subject: Subject<Int>) {
      switch self {
      case .completed: subject.sendCompleted()
      case .error: subject.sendError(MarbleError.failure)
      }
    }
  }

  /// A signal that never ends, and how often its work has been disposed.
  private func open(_ disposals: Counter) -> Signal<Int> {
    Signal.create { _ in ActionDisposable { disposals.increment() } }
  }

  @Test("The end of a subject disposes all subscriptions to it", arguments: End.allCases)
  func end(end: End) {
    let disposals = Counter()
    let subject = Subject<Int>()
    let subscriptions = (0..<3).map { _ in open(disposals).subscribe(subject) }
    #expect(disposals.value == 0)
    end.send(to: subject)
    #expect(disposals.value == 3)
    #expect(subscriptions.allSatisfy { $0.isDisposed })
  }

  @Test("The end of one signal ends the subject, and with it the subscriptions to the others")
  func oneOfMany() {
    let disposals = Counter()
    let subject = Subject<Int>()
    open(disposals).subscribe(subject)
    Signal<Int>.error(MarbleError.failure).subscribe(subject)
    #expect(disposals.value == 1)
    #expect(Recorder(subject as Signal<Int>).diagram == "#")
  }

  @Test("An end that has to wait disposes when it comes to its turn")
  func endThatWaits() {
    let disposals = Counter()
    let subject = Subject<Int>()
    open(disposals).subscribe(subject)
    let during = Held<Int>()
    subject.subscribe(next: { _ in
      subject.sendCompleted()
      during.value = disposals.value
    })
    subject.sendNext(1)
    #expect(during.value == 0)
    #expect(disposals.value == 1)
  }

  @Test("What is upstream is disposed before the end is told")
  func order() {
    let log = Log()
    let subject = Subject<Int>()
    Signal<Int>.create { _ in ActionDisposable { log.add("disposed") } }.subscribe(subject)
    subject.subscribe(completed: { log.add("completed") })
    subject.sendCompleted()
    #expect(log.lines == ["disposed", "completed"])
  }

  @Test("A subscription to a subject that has ended is disposed at once", arguments: End.allCases)
  func endedBefore(end: End) {
    for subject in [Subject<Int>(), ReplaySubject(), BehaviorSubject(0)] {
      let disposals = Counter()
      end.send(to: subject)
      #expect(open(disposals).subscribe(subject).isDisposed)
      #expect(disposals.value == 1)
    }
  }

  @Test("A timer that feeds a subject stops with it, and the subject is released")
  func timer() throws {
    weak var released: Subject<Duration>?
    do {
      let subject = Subject<Duration>()
      released = subject
      Signal.interval(.seconds(1), on: scheduler).subscribe(subject)
      #expect(scheduler.pendingCount == 1)
      subject.sendCompleted()
      #expect(scheduler.pendingCount == 0)
    }
    #expect(released == nil)
  }

  @Test(
    "A connection is disposed when its subject ends, or has ended before", arguments: [false, true])
  func connection(before: Bool) {
    let disposals = Counter()
    let subject = Subject<Int>()
    let connection = open(disposals).multicast(subject)
    if before { subject.sendCompleted() }
    let subscription = connection.connect()
    if !before {
      #expect(disposals.value == 0)
      subject.sendCompleted()
    }
    #expect(disposals.value == 1)
    #expect(subscription.isDisposed)
    #expect(Recorder(connection.signal).diagram == "|")
  }

  @Test("A subscription that is disposed leaves a subject that goes on, however many come")
  func disposedSubscriptions() {
    let lives = Lives()
    let subject = Subject<Int>()
    for _ in 0..<1_000 {
      Signal<Int>.create { [token = lives.token()] _ in ActionDisposable { token.touch() } }
        .subscribe(subject).dispose()
    }
    #expect(lives.count == 0)
    #expect(Recorder(subject as Signal<Int>).diagram == "")
  }

  @Test("Threads that subscribe and end at once leave nothing running", .timeLimit(.minutes(5)))
  func contention() async {
    for _ in 0..<200 {
      let subject = Subject<Int>()
      let started = Counter()
      let disposals = Counter()
      await onThreads(4) { number in
        if number == 0 { return subject.sendCompleted() }
        Signal<Int>.create { _ in
          started.increment()
          return ActionDisposable { disposals.increment() }
        }
        .subscribe(subject)
      }
      #expect((started.value, disposals.value) == (3, 3))
    }
  }

  // MARK: Subscribers of one's own

  /// Takes some values and then ends its subscriptions.
  private final class Taker: SubscriberProtocol {
    let subscriptions = CompoundDisposable()
    let log = Log()
    private let limit: Int

    init(_ limit: Int) {
      self.limit = limit
      if limit == 0 { subscriptions.dispose() }
    }

    func didSubscribe(with disposable: any Disposable) {
      log.add("subscribed")
      subscriptions.add(disposable)
    }

    func sendNext(_ value: Int) {
      log.add("\(value)")
      if log.lines.count > limit { subscriptions.dispose() }
    }

    func sendError(_ error: any Error) { log.add("error") }

    func sendCompleted() { log.add("completed") }
  }

  @Test("A subscriber of one's own receives its subscription before the events")
  func ownSubscriber() {
    let taker = Taker(10)
    let subscription = Signal.from([1, 2]).subscribe(taker)
    #expect(taker.log.lines == ["subscribed", "1", "2", "completed"])
    #expect(subscription.isDisposed)
  }

  @Test("A subscriber of one's own can end its subscriptions, before the first event too")
  func ownEnd() {
    let disposals = Counter()
    let endless = Signal<Int>.create { subscriber in
      for value in 1... {
        if subscriber.isDisposed { break }
        subscriber.sendNext(value)
      }
      return ActionDisposable { disposals.increment() }
    }
    let taker = Taker(2)
    endless.subscribe(taker)
    #expect(taker.log.lines == ["subscribed", "1", "2"])
    #expect(disposals.value == 1)

    let ended = Taker(0)
    endless.subscribe(ended)
    Signal.just(1).subscribe(ended)
    #expect(ended.log.lines == ["subscribed", "subscribed"])
    #expect(disposals.value == 2)
  }

  @Test("The subscriber of create disposes what it is subscribed to with its own subscription")
  func createdSubscriber() {
    let disposals = Counter()
    let source = open(disposals)
    Signal<Int>.create { subscriber in
      source.subscribe(subscriber)
      return nil
    }
    .subscribe().dispose()
    #expect(disposals.value == 1)
  }
}
