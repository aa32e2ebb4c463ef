import Reactive
import ReactiveTesting
import Testing

@Suite("interval, timer")
struct TimersTests {
  let scheduler = TestScheduler()

  @Test("interval sends at each interval, not at the start, until it is disposed")
  func interval() throws {
    let signal = Signal.interval(.seconds(2), on: scheduler).map { _ in "x" }
    try scheduler.expect(signal, "--x-x-!")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("interval sends the scheduler's time")
  func intervalValues() throws {
    let recorder = Recorder(Signal.interval(.seconds(3), on: scheduler).take(2), on: scheduler)
    try scheduler.run()
    #expect(recorder.values == [.seconds(3), .seconds(6)])
  }

  @Test("interval disposed from inside a value leaves no timer")
  func intervalTaken() throws {
    try scheduler.expect(
      Signal.interval(.seconds(1), on: scheduler).take(2).map { _ in "x" }, "-x(x|)")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("timer sends once and completes")
  func timer() throws {
    let signal = Signal.timer(after: .seconds(2), on: scheduler).map { _ in "x" }
    try scheduler.expect(signal, "--(x|)")
  }

  @Test("timer disposed before its time leaves nothing behind")
  func timerDisposed() throws {
    let lives = Lives()
    let subscription = Signal.timer(after: .seconds(2), on: scheduler).subscribe(
      next: { [token = lives.token()] _ in token.touch() })
    subscription.dispose()
    #expect(scheduler.pendingCount == 0)
    #expect(lives.count == 0)
  }
}
