import Reactive
import ReactiveTesting
import Testing

/// The scheduler of `delay`, `throttle` and `buffer` where none is named.
@Suite("Timers on the scheduler of the event")
struct EventSchedulerTests {
  enum Operator: String, CaseIterable, Sendable {
    case delay, throttle, buffer

    func apply(_ signal: Signal<Int>) -> Signal<Int> {
      switch self {
      case .delay: signal.delay(.seconds(1))
      case .throttle: signal.throttle(.seconds(1))
      case .buffer: signal.buffer(.seconds(1)).map { $0[0] }
      }
    }
  }

  @Test(
    "A value is kept by the scheduler that is current where it arrives",
    arguments: Operator.allCases)
  func whereItArrives(operation: Operator) throws {
    let subscribing = TestScheduler()
    let sending = TestScheduler()
    let subject = Subject<Int>()
    let received = Held<Scheduler?>()
    subscribing.schedule {
      operation.apply(subject).subscribe(next: { _ in received.value = Scheduler.current })
    }
    try subscribing.run()
    sending.schedule { subject.sendNext(1) }
    sending.advance(by: .milliseconds(999))
    #expect(received.value == nil)
    #expect(subscribing.pendingCount == 0)
    try sending.run()
    #expect(received.value as? Scheduler === sending)
  }

  @Test("Where no scheduler is current it is a serial queue of its own", .timeLimit(.minutes(5)))
  func ownQueue() async {
    let delivered = AsyncStream<Scheduler?>.makeStream()
    let subject = Subject<Int>()
    subject.delay(.milliseconds(1)).subscribe(
      next: { _ in delivered.continuation.yield(Scheduler.current) },
      completed: { delivered.continuation.finish() })
    await onThreads(1) { _ in
      #expect(Scheduler.current == nil)
      for value in 1...3 { subject.sendNext(value) }
      subject.sendCompleted()
    }
    var schedulers: [Scheduler] = []
    for await case let scheduler? in delivered.stream { schedulers.append(scheduler) }
    #expect(schedulers.count == 3)
    #expect(schedulers.allSatisfy { $0 === schedulers[0] && $0 is QueueScheduler })
  }

  @Test("What is delayed behind the immediate scheduler arrives on the scheduler around it")
  func immediate() throws {
    let scheduler = TestScheduler()
    let received = Held<Scheduler?>()
    scheduler.schedule {
      Signal.just(1).delay(.seconds(1)).subscribeOn(.immediate)
        .subscribe(next: { _ in received.value = Scheduler.current })
    }
    try scheduler.run()
    #expect(received.value as? Scheduler === scheduler)
  }

  @Test("Events of several schedulers keep their order, each on its own")
  func severalSchedulers() throws {
    let one = TestScheduler()
    let other = TestScheduler()
    let subject = Subject<Int>()
    let log = Log()
    let note: @Sendable (String) -> Void = { event in
      log.add(event + (Scheduler.current === one ? " on one" : " on the other"))
    }
    subject.delay(.seconds(1)).subscribe(
      next: { note("\($0)") }, completed: { note("completed") })
    one.schedule { subject.sendNext(1) }
    one.advance(by: .zero)
    other.schedule { subject.sendNext(2) }
    other.advance(by: .zero)
    one.schedule { subject.sendNext(3) }
    one.schedule { subject.sendCompleted() }
    one.advance(by: .zero)
    // Due, but behind a value that is not.
    try other.run()
    #expect(log.lines == [])
    one.advance(by: .seconds(1))
    #expect(log.lines == ["1 on one"])
    other.advance(by: .seconds(1))
    one.advance(by: .seconds(1))
    #expect(log.lines == ["1 on one", "2 on the other", "3 on one", "completed on one"])
  }
}
