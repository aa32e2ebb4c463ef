import Testing

@testable import Scripting

@Suite("The pace of probes") struct ProbePaceTests {
  @Test func isFastAtFirstAndSlowerTheLongerItTakes() {
    var pace = ProbePace(now: .seconds(5))
    #expect(pace.next(after: false, now: .seconds(5)) == .milliseconds(5_010))
    #expect(pace.next(after: false, now: .milliseconds(5_500)) == .milliseconds(5_550))
    #expect(pace.next(after: false, now: .seconds(65)) == .milliseconds(65_250))
  }

  @Test func isOnceASecondWhileTheAnswerIsYes() {
    var pace = ProbePace(now: .zero)
    #expect(pace.next(after: true, now: .milliseconds(5_300)) == .seconds(6))
    // Not twice in a short time.
    #expect(pace.next(after: true, now: .milliseconds(5_900)) == .seconds(7))
  }

  @Test func isFastAgainAfterALoss() {
    var pace = ProbePace(now: .zero)
    _ = pace.next(after: false, now: .seconds(60))
    _ = pace.next(after: true, now: .seconds(60))
    #expect(pace.next(after: false, now: .seconds(61)) == .milliseconds(61_010))
  }

  @Test("ten services that are ready are asked together, once a second at most, and within 1.25 s")
  func sharedMoments() {
    var random = Noise(state: 39)
    var moments: Set<Duration> = []
    for _ in 0..<10 {
      var pace = ProbePace(now: .zero)
      var now = Duration.milliseconds(Int.random(in: 0..<1_000, using: &random))
      while now < .seconds(60) {
        let next = pace.next(after: true, now: now)
        #expect(next - now <= .milliseconds(1_250))
        moments.insert(next)
        now = next + .microseconds(Int.random(in: 0..<300_000, using: &random))
      }
    }
    #expect(moments.isSubset(of: (1...62).map { .seconds($0) }))
  }
}
