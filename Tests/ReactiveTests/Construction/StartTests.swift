import Reactive
import ReactiveTesting
import Testing

@Suite("startEagerly, startLazily")
struct StartTests {
  let scheduler = TestScheduler()
  let count = Counter()

  private func block() -> @Sendable (Subscriber<Int>) -> Void {
    { [count] subscriber in
      subscriber.sendNext(count.increment())
      subscriber.sendCompleted()
    }
  }

  @Test("startEagerly starts without subscribers, once, on its scheduler")
  func eagerly() {
    let signal = Signal.startEagerly(on: scheduler, block())
    #expect(count.value == 0)
    scheduler.advance()
    #expect(count.value == 1)
    #expect(Recorder(signal).diagram == "(1|)")
    #expect(Recorder(signal).diagram == "(1|)")
    #expect(count.value == 1)
  }

  @Test("startEagerly does its work even if nobody keeps the signal")
  func eagerlyDropped() {
    _ = Signal.startEagerly(on: scheduler, block())
    scheduler.advance()
    #expect(count.value == 1)
  }

  @Test("startLazily starts at the first subscription, once")
  func lazily() throws {
    let signal = Signal.startLazily(on: scheduler, block())
    scheduler.advance()
    #expect(count.value == 0)
    let first = Recorder(signal, on: scheduler)
    #expect(first.diagram == "")
    scheduler.advance()
    #expect(first.diagram == "(1|)")
    #expect(Recorder(signal).diagram == "(1|)")
    #expect(count.value == 1)
  }

  @Test("The work goes on when its subscriber leaves")
  func leaving() {
    let signal = Signal.startLazily(on: scheduler, block())
    signal.subscribe().dispose()
    scheduler.advance()
    #expect(Recorder(signal).diagram == "(1|)")
  }

  @Test("An error is replayed")
  func error() {
    let signal = Signal<Int>.startEagerly(on: scheduler) { $0.sendError(MarbleError.failure) }
    scheduler.advance()
    #expect(Recorder(signal).diagram == "#")
  }
}
