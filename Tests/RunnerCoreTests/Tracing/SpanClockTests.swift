import Testing

@testable import RunnerCore

@Suite("the clock of spans")
struct SpanClockTests {
  private final class Readings {
    var next: Duration = .seconds(5)
  }

  @Test("goes on from the time of day by the clock that nobody sets")
  func times() {
    let readings = Readings()
    var clock = SpanClock(begin: 1_000) { readings.next }
    #expect(clock.read() == 1_000)
    readings.next += .nanoseconds(250)
    #expect(clock.read() == 1_250)
    readings.next += .seconds(2)
    #expect(clock.read() == 2_000_001_250)
  }

  @Test("reads a moment that has passed, unless it has read a later one")
  func moment() {
    let readings = Readings()
    var clock = SpanClock(begin: 1_000) { readings.next }
    let moment = readings.next + .nanoseconds(100)
    readings.next += .nanoseconds(500)
    #expect([clock.read(moment), clock.read(), clock.read(moment)] == [1_100, 1_500, 1_501])
  }

  @Test("never reads the same time twice, however coarse it is")
  func order() {
    let readings = Readings()
    var clock = SpanClock(begin: 1_000) { readings.next }
    #expect([clock.read(), clock.read(), clock.read()] == [1_000, 1_001, 1_002])
    readings.next += .nanoseconds(1)
    #expect(clock.read() == 1_003)
    readings.next += .nanoseconds(10)
    #expect(clock.read() == 1_011)
  }
}
