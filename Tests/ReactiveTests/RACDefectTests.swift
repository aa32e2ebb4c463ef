import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// How many run, and how many did at most.
private final class Running: Sendable {
  private let counts = Mutex((now: 0, most: 0))

  var most: Int { counts.withLock { $0.most } }

  func begin() {
    counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
  }

  func end() {
    counts.withLock { $0.now -= 1 }
  }
}

/// The known defects of ReactiveCocoa, each with what holds here instead.
@Suite("Defects of RAC")
struct RACDefectTests {
  @Test(
    "Sends while a lock is held: a subscriber may wait for another thread that sends and subscribes",
    .timeLimit(.minutes(5)), arguments: [Subject<Int>(), ReplaySubject(), BehaviorSubject(0)])
  func locks(subject: Subject<Int>) {
    let received = Recorder<Int>(react: { value in
      guard value == 1 else { return }
      let sent = Wait()
      startThread {
        subject.subscribe().dispose()
        subject.sendNext(2)
        sent.signal()
      }
      sent.wait()
    })
    received.observe(subject)
    subject.sendNext(1)
    #expect(received.values.suffix(2) == [1, 2])
    #expect(received.violations == [])
  }

  @Test("A re-entrant send during replay: it comes after everything that is replayed")
  func replay() {
    let subject = ReplaySubject<Int>()
    for value in 1...3 { subject.sendNext(value) }
    let sender = Recorder<Int>(react: { if $0 == 1 { subject.sendNext(4) } })
    sender.observe(subject)
    #expect(sender.diagram == "(1234)")
    #expect(sender.violations == [])
    #expect(Recorder(subject as Signal<Int>).diagram == "(1234)")
  }

  @Test("Reversed order for later subscribers on nested sends: all see one order")
  func nestedOrder() {
    let subject = Subject<Int>()
    let first = Recorder<Int>(react: { if $0 < 4 { subject.sendNext($0 + 1) } })
    first.observe(subject)
    let second = Recorder(subject)
    let third = Recorder(subject)
    subject.sendNext(1)
    for recorder in [first, second, third] {
      #expect(recorder.values == [1, 2, 3, 4])
      #expect(recorder.violations == [])
    }
  }

  @Test("A completed subject that still delivers to late subscribers: they get the end only")
  func completedSubject() {
    let subject = Subject<Int>()
    subject.sendCompleted()
    let late = Recorder(subject as Signal<Int>)
    subject.sendNext(1)
    subject.sendError(MarbleError.failure)
    #expect(late.diagram == "|")
    #expect(late.violations == [])
  }

  @Test("switchToLatest subscribing before it disposes: the old signal is disposed first")
  func switchOrder() {
    let log = Log()
    let outer = Subject<Int>()
    outer.map { number in
      Signal<Int>.create { _ in
        log.add("subscribe \(number)")
        return ActionDisposable { log.add("dispose \(number)") }
      }
    }
    .switchToLatest().subscribe()
    outer.sendNext(1)
    outer.sendNext(2)
    #expect(log.lines == ["subscribe 1", "dispose 1", "subscribe 2"])
  }

  @Test(
    "flatten(max) exceeding max in a race: signals end on one thread while others come on another",
    .timeLimit(.minutes(5)))
  func flattenRace() async {
    let running = Running()
    let outer = Subject<Signal<Int>>()
    let recorder = Recorder<Int>()
    recorder.observe(outer.flatten(2))
    let started = AsyncStream<Subscriber<Int>>.makeStream()
    let inner = Signal<Int>.create { subscriber in
      running.begin()
      started.continuation.yield(subscriber)
      return nil
    }
    let rounds = 2_000
    startThread {
      for _ in 0..<rounds { outer.sendNext(inner) }
      outer.sendCompleted()
    }
    var ended = 0
    for await subscriber in started.stream {
      running.end()
      subscriber.sendCompleted()
      ended += 1
      if ended == rounds { break }
    }
    #expect(running.most <= 2)
  }

  @Test("replayLast leaking its subscription: it ends with the last who could receive from it")
  func replayLast() {
    let disposals = Counter()
    let subject = Subject<Int>()
    var replayed: Signal<Int>? = subject.onDispose { disposals.increment() }.replayLast()
    let recorder = Recorder(replayed!)
    replayed = nil
    subject.sendNext(1)
    #expect(recorder.values == [1])
    #expect(disposals.value == 0)
    recorder.dispose()
    #expect(disposals.value == 1)
  }

  @Test(
    "Timers without a current scheduler: they run on one of their own", .timeLimit(.minutes(5)),
    arguments: [
      { @Sendable (source: Signal<Int>) in source.delay(.milliseconds(1)) },
      { @Sendable (source: Signal<Int>) in source.throttle(.milliseconds(1)).take(1) },
      { @Sendable (source: Signal<Int>) in
        source.ignoreValues().concat(.never()).timeout(.milliseconds(1)).catchTo(.just(7))
      },
    ])
  func noScheduler(timed: @Sendable (Signal<Int>) -> Signal<Int>) throws {
    #expect(Scheduler.current == nil)
    #expect(try timed(Signal.just(7).concat(.never())).first() == 7)
  }

  @Test("Timers without a current scheduler: the one they run on is current in their values")
  func timerScheduler() throws {
    #expect(Scheduler.current == nil)
    let background = Scheduler.background()
    let seen = try Signal.timer(after: .milliseconds(1), on: background)
      .map { _ in Scheduler.current === background }.toArray()
    #expect(seen == [true])
  }

  @Test("Timers on the wall clock: they count on the monotonic one, and are never early")
  func monotonicClock() throws {
    let background = Scheduler.background()
    let begin = background.now
    let time = try Signal.timer(after: .milliseconds(5), on: background).first()
    let passed = try #require(time) - begin
    #expect(passed >= .milliseconds(5))
  }

  @Test("Blocking waits that deadlock on main: every wait there is refused")
  @MainActor
  func waits() {
    let never = Signal<Int>.never()
    #expect(throws: SignalError.waitOnMainThread(call: "first()")) { try never.first() }
    #expect(throws: SignalError.waitOnMainThread(call: "firstOrDefault()")) {
      try never.firstOrDefault(1)
    }
    #expect(throws: SignalError.waitOnMainThread(call: "waitUntilCompleted()")) {
      try never.waitUntilCompleted()
    }
    let error = #expect(throws: SignalError.self) { try never.toArray() }
    #expect(error.map { "\($0)" }?.contains("toArray() blocks") == true)
  }

  @Test("delay that never drops finished disposables: what it has delivered leaves nothing")
  func delayed() {
    let scheduler = TestScheduler()
    let lives = Lives()
    let subject = Subject<Lives.Token>()
    let count = Counter()
    let subscription = subject.delay(.seconds(1), on: scheduler).subscribe(
      next: { _ in count.increment() })
    for _ in 0..<100 {
      subject.sendNext(lives.token())
      scheduler.advance(by: .seconds(2))
    }
    #expect(count.value == 100)
    #expect(lives.count == 0)
    #expect(scheduler.pendingCount == 0)
    subscription.dispose()
  }

  @Test(
    "Stack overflow in long chains: a thousand subjects that forward work on 512 KiB",
    .measuresStack)
  func chain() async {
    await onSmallStack {
      let subjects = (0..<1_000).map { _ in Subject<Int>() }
      for (subject, next) in zip(subjects, subjects.dropFirst()) { subject.subscribe(next) }
      let received = Recorder(subjects.last! as Signal<Int>)
      subjects[0].sendNext(1)
      subjects[0].sendNext(2)
      subjects[0].sendCompleted()
      #expect(received.diagram == "(12|)")
    }
  }

  @Test(
    "Stack overflow in long chains: a thousand operators in a row work on 512 KiB", .measuresStack)
  func longPipeline() async {
    await onSmallStack {
      let subject = Subject<Int>()
      var signal: Signal<Int> = subject
      for _ in 0..<1_000 { signal = signal.map { $0 + 1 } }
      let received = Recorder(signal)
      subject.sendNext(0)
      subject.sendCompleted()
      #expect(received.values == [1_000])
      #expect(received.isCompleted)
    }
  }
}
