import EventLoop
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimerTests {
  @Test func timersFireInTheOrderOfTheirInstants() async throws {
    let order = try await withLoop { loop in
      // Once more if a busy machine started the last one when the first was due.
      while true {
        var order: [Int] = []
        let start = EventLoop.now
        for delay in [30, 10, 20, 0] {
          loop.timer(after: .milliseconds(delay)) { order.append(delay) }
        }
        let isUndisturbed = EventLoop.now - start < .milliseconds(9)
        loop.run()
        if isUndisturbed { return order }
      }
    }
    #expect(order == [0, 10, 20, 30])
  }

  @Test func timersOfOneInstantFireInOneTurn() async throws {
    let turns = try await withLoop { loop in
      var turn = 0
      var turns: [Int] = []
      let instant = EventLoop.now + .milliseconds(20)
      for _ in 0..<10 { loop.timer(at: instant) { turns.append(turn) } }
      while turns.isEmpty {
        turn += 1
        loop.runOnce()
      }
      return turns
    }
    #expect(turns.count == 10, "\(turns)")
  }

  @Test(arguments: [0, 1, 300, 999, 1_001, 2_500, 7_777])
  func aTimerNeverFiresEarly(microseconds: Int) async throws {
    let delay = Duration.microseconds(microseconds)
    let elapsed = try await withLoop { loop in
      // Between two milliseconds, where rounding shows.
      let start = EventLoop.now
      var end = start
      loop.timer(after: delay) { end = EventLoop.now }
      loop.run()
      return end - start
    }
    #expect(elapsed >= delay)
  }

  @Test func aCancelledTimerNeverFiresAndReleasesItsClosureAtOnce() async throws {
    final class Witness {}
    let outcome = try await withLoop { loop in
      var hasFired = false
      weak var witness: Witness?
      let timer: Timer
      do {
        let held = Witness()
        witness = held
        timer = loop.timer(after: .milliseconds(1)) {
          hasFired = true
          _ = held
        }
      }
      let wasHeld = witness != nil
      timer.cancel()
      let isReleased = witness == nil
      timer.cancel()
      loop.run()
      return [wasHeld, isReleased, !timer.isActive, !hasFired]
    }
    #expect(outcome == [true, true, true, true])
  }

  @Test func aRepeatingTimerKeepsToItsGridAndCancelsItself() async throws {
    let period = Duration.milliseconds(3)
    let elapsed = try await withLoop { loop in
      let start = EventLoop.now
      var elapsed: [Duration] = []
      var timer: Timer?
      timer = loop.timer(after: period, every: period) {
        elapsed.append(EventLoop.now - start)
        if elapsed.count == 10 {
          timer?.cancel()
          timer = nil
        }
      }
      loop.run()
      return elapsed
    }
    #expect(elapsed.count == 10)
    for (round, time) in elapsed.enumerated() {
      #expect(time >= period * (round + 1))
    }
  }

  @Test func roundsMissedByABusyLoopAreLeftOut() async throws {
    let rounds = try await withLoop { loop in
      var rounds = 0
      var timer: Timer?
      let start = EventLoop.now
      timer = loop.timer(after: .milliseconds(1), every: .milliseconds(1)) {
        rounds += 1
        while rounds == 1, EventLoop.now - start < .milliseconds(30) {}
        if EventLoop.now - start > .milliseconds(32) { timer?.cancel() }
      }
      loop.run()
      timer = nil
      return rounds
    }
    #expect(rounds < 20)
  }

  @Test func aTimerThatIsCancelledByAnotherOfItsTurnDoesNotFire() async throws {
    let hasFired = try await withLoop { loop in
      var hasFired = false
      var second: Timer?
      loop.timer(after: .zero) { second?.cancel() }
      second = loop.timer(after: .zero) { hasFired = true }
      loop.run()
      return hasFired
    }
    #expect(!hasFired)
  }

  @Test func aDelayBeyondAllTimeIsNoTrap() async throws {
    let isActive = try await withLoop { loop in
      loop.timer(after: .seconds(Int64.max)) {}.isActive
    }
    #expect(isActive)
  }
}
