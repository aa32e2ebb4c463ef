import Testing

@testable import Scripting

@Suite("The pace of probes") struct ProbePaceTests {
  @Test func isFastAtFirstAndSlowerTheLongerItTakes() {
    var pace = ProbePace(now: .seconds(5))
    #expect(pace.delay(after: false, now: .seconds(5)) == .milliseconds(10))
    #expect(pace.delay(after: false, now: .seconds(5) + .milliseconds(500)) == .milliseconds(50))
    #expect(pace.delay(after: false, now: .seconds(65)) == .milliseconds(250))
  }

  @Test func isOnceASecondWhileTheAnswerIsYesAtTheSameMomentsForAll() {
    var pace = ProbePace(now: .zero)
    #expect(pace.delay(after: true, now: .milliseconds(5_300)) == .milliseconds(700))
    // Not twice in a short time.
    #expect(pace.delay(after: true, now: .milliseconds(5_900)) == .milliseconds(1_100))
  }

  @Test func isFastAgainAfterALoss() {
    var pace = ProbePace(now: .zero)
    _ = pace.delay(after: false, now: .seconds(60))
    _ = pace.delay(after: true, now: .seconds(60))
    #expect(pace.delay(after: false, now: .seconds(61)) == .milliseconds(10))
  }
}
