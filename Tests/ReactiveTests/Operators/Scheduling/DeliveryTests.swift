import Reactive
import ReactiveTesting
import Testing

@Suite("deliverOn, subscribeOn")
struct DeliveryTests {
  let scheduler = TestScheduler()

  @Test("deliverOn delivers every event on its scheduler, in order")
  func deliver() {
    let recorder = Recorder(Signal.from([1, 2]).deliverOn(scheduler), on: scheduler)
    #expect(recorder.diagram == "")
    scheduler.advance()
    #expect(recorder.diagram == "(12|)")
  }

  @Test("An error comes after the values before it")
  func error() throws {
    try scheduler.expect(try scheduler.cold("a(b#)").deliverOn(scheduler), "a(b#)")
  }

  @Test("Inside an event the scheduler is current")
  func current() {
    let held = Held<Bool>()
    Signal.just(1).deliverOn(scheduler).subscribe(
      next: { _ in held.value = Scheduler.current === scheduler })
    scheduler.advance()
    #expect(held.value == true)
  }

  @Test("Disposal drops what has not been delivered and releases everything at once")
  func disposal() {
    let lives = Lives()
    let recorder = Recorder<Lives.Token>()
    recorder.observe(Signal.from([lives.token()]).deliverOn(scheduler))
    #expect(lives.count == 1)
    recorder.dispose()
    #expect(lives.count == 0)
    scheduler.advance()
    #expect(recorder.diagram == "!")
  }

  @Test("Disposal from inside a value drops the following ones")
  func inside() {
    let recorder = disposed(Signal.from(1...5).deliverOn(scheduler), by: { $0 == 2 })
    scheduler.advance()
    #expect(recorder.diagram == "(12!)")
  }

  @Test("A value that a subscriber sends back is delivered after those before it")
  func reentrant() {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 == 1 { subject.sendNext(3) } })
    recorder.observe(subject.deliverOn(scheduler))
    subject.sendNext(1)
    subject.sendNext(2)
    scheduler.advance()
    #expect(recorder.values == [1, 2, 3])
    #expect(recorder.violations == [])
  }

  @Test("On the immediate scheduler nesting becomes a loop")
  func immediate() {
    let subject = Subject<Int>()
    let recorder = Recorder<Int>(react: { if $0 < 100_000 { subject.sendNext($0 + 1) } })
    recorder.observe(subject.deliverOn(.immediate))
    subject.sendNext(1)
    #expect(recorder.values.count == 100_000)
  }

  @Test("subscribeOn subscribes on its scheduler")
  func subscribe() throws {
    let held = Held<Bool>()
    let source = Signal<Int>.defer {
      held.value = Scheduler.current === scheduler
      return .just(1)
    }
    let recorder = Recorder(source.subscribeOn(scheduler))
    #expect(held.value == nil)
    scheduler.advance()
    #expect(held.value == true)
    #expect(recorder.diagram == "(1|)")
  }

  @Test("subscribeOn disposed before its turn does not subscribe")
  func subscribeDisposed() throws {
    let source = try scheduler.cold("a|")
    let recorder = Recorder(source.subscribeOn(scheduler))
    recorder.dispose()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance()
    #expect(source.subscriptions == [])
  }

  @Test("subscribeOn passes every event on", arguments: ["a-b|", "-#"])
  func subscribeEvents(diagram: String) throws {
    try scheduler.expect(try scheduler.cold(diagram).subscribeOn(scheduler), diagram)
  }

  @Test(
    "Events of many threads arrive once each on a background scheduler",
    .timeLimit(.minutes(5)))
  func threads() async throws {
    let subject = ReplaySubject<Int>()
    let delivered = subject.deliverOn(.background())
    async let received = delivered.values.reduce(into: []) { $0.append($1) }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask { for value in 0..<500 { subject.sendNext(thread * 500 + value) } }
      }
    }
    subject.sendCompleted()
    #expect(try await received.sorted() == Array(0..<2_000))
  }
}
