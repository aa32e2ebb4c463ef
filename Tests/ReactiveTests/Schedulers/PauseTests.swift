import Reactive
import ReactiveTesting
import Testing

/// Synchronous loops without end, which only an event loop's turn can stop.
@Suite("Loops give way to the event loop", .timeLimit(.minutes(5)))
struct PauseTests {
  enum Endless: String, CaseIterable, Sendable {
    case `repeat`, retry, from, concat, feedback, created, merged, recursion, immediate

    /// Loops that an error can end.
    static var signals: [Endless] { allCases.filter { $0 != .recursion && $0 != .immediate } }

    /// A signal that never leaves the call that subscribes to it.
    func signal(_ rounds: Counter) -> Signal<Int> {
      let round = Signal<Int>.defer {
        rounds.increment()
        return .empty()
      }
      switch self {
      case .repeat: return round.repeat()
      case .retry: return round.concat(.error(MarbleError.failure)).retry()
      case .from: return Signal.from(0...).doNext { _ in rounds.increment() }
      case .concat:
        return Signal<Int>.create { subscriber in
          let signals = Subject<Signal<Int>>()
          let next = round.doCompleted { signals.sendNext(.empty()) }
          signals.map { _ in next }.concat().subscribe(subscriber)
          signals.sendNext(.empty())
          return ActionDisposable { signals.sendCompleted() }
        }
      case .feedback:
        return Signal<Int>.create { subscriber in
          let subject = Subject<Int>()
          subject.subscribe(subscriber)
          subject.map { _ in rounds.increment() }.subscribe(subject)
          subject.sendNext(0)
          return ActionDisposable { subject.sendCompleted() }
        }
      case .created:
        return Signal<Int>.create { subscriber in
          let inner = Held<Subscriber<Int>>()
          let source = Signal<Int>.create { own in
            inner.value = own
            return nil
          }
          source.doNext { _ in inner.value?.sendNext(rounds.increment()) }.subscribe(subscriber)
          inner.value?.sendNext(0)
          return ActionDisposable { inner.value = nil }
        }
      case .merged:
        return Signal<Int>.create { subscriber in
          let source = LateSource<Int>()
          Signal.merge(source.signal, .never())
            .doNext { _ in source.next(rounds.increment()) }.subscribe(subscriber)
          source.next(0)
          return nil
        }
      case .recursion:
        return Signal<Int>.create { _ in
          Scheduler.immediate.scheduleRecursively { again in
            rounds.increment()
            again()
          }
        }
      case .immediate:
        return Signal<Int>.create { subscriber in
          Self.nest(rounds, subscriber)
          return nil
        }
      }
    }

    private static func nest(_ rounds: Counter, _ subscriber: Subscriber<Int>) {
      rounds.increment()
      guard !subscriber.isDisposed else { return }
      Scheduler.immediate.schedule { nest(rounds, subscriber) }
    }
  }

  @Test(
    "A limit of time comes through, and its disposal ends the loop", arguments: Endless.allCases)
  func limit(endless: Endless) {
    let loop = HandLoop()
    let scheduler = MainScheduler(loop: loop)
    let rounds = Counter()
    let subscription = SerialDisposable()
    scheduler.schedule(limit: .zero) { subscription.dispose() }
    loop.clock.withLock { $0 = .seconds(1) }
    scheduler.schedule { subscription.inner = endless.signal(rounds).subscribe() }
    loop.turn()
    let first = rounds.value
    #expect(first > 0)
    #expect(loop.isWaiting)
    loop.turn()
    #expect(rounds.value > first)
    loop.fireTimers()
    loop.turnAll()
    #expect(subscription.isDisposed)
  }

  @Test("A loop that takes longer than the time limit fails", arguments: Endless.signals)
  func timeLimit(endless: Endless) {
    let loop = HandLoop()
    let scheduler = MainScheduler(loop: loop)
    scheduler.limitLoops(to: .milliseconds(5))
    defer { scheduler.limitLoops(to: nil) }
    let failure = Held<any Error>()
    scheduler.schedule {
      endless.signal(Counter()).subscribe(error: { failure.value = $0 })
    }
    loop.turnAll()
    #expect(failure.value as? SignalError == .endless(after: .milliseconds(5)))
  }

  @Test("A loop that was paused goes on where it was")
  func goesOn() {
    let loop = HandLoop()
    let scheduler = MainScheduler(loop: loop)
    scheduler.schedule(limit: .zero) {}
    loop.clock.withLock { $0 = .seconds(1) }
    let recorder = Held<Recorder<Int>>()
    scheduler.schedule {
      recorder.value = Recorder(
        Signal.from(1...100).flatMap(maxConcurrent: 1) { .just($0) }.doNext { value in
          if value == 90 { loop.fireTimers() }
        })
    }
    loop.turn()
    #expect(recorder.value?.values == Array(1...16))
    loop.turn()
    #expect(recorder.value?.values == Array(1...32))
    loop.turnAll()
    #expect(recorder.value?.values == Array(1...100))
    #expect(recorder.value?.entries.last?.event.isTerminal == true)
  }

  @Test("Loops on other threads, and before the time is over, are left alone")
  func leftAlone() {
    let loop = HandLoop()
    let scheduler = MainScheduler(loop: loop)
    let timer = scheduler.schedule(limit: .seconds(1)) {}
    let counter = Counter()
    let count: @Sendable () -> Void = {
      Signal.from(1...1_000).subscribe(completed: { counter.increment() })
    }
    scheduler.schedule(count)
    loop.turn()
    #expect(counter.value == 1)
    loop.clock.withLock { $0 = .seconds(2) }
    count()
    #expect(counter.value == 2)
    timer.dispose()
    scheduler.schedule(count)
    loop.turn()
    #expect(counter.value == 3)
  }
}
