import Platform
import Testing

@testable import RunnerCore

@Suite("signals that belong to one request to end") struct InterruptionTests {
  @Test(
    "are those that come together, whichever they are",
    arguments: [(SIGINT, SIGINT), (SIGTERM, SIGTERM), (SIGINT, SIGTERM), (SIGTERM, SIGHUP)])
  func together(first: Int32, signal: Int32) {
    #expect(Interruption.isSameRequest(signal, as: first, after: .zero))
    #expect(Interruption.isSameRequest(signal, as: first, after: .milliseconds(199)))
    #expect(!Interruption.isSameRequest(signal, as: first, after: .milliseconds(200)))
  }

  @Test("are all that say that the terminal is gone")
  func hangUp() {
    #expect(Interruption.isSameRequest(SIGHUP, as: SIGHUP, after: .seconds(100)))
    #expect(!Interruption.isSameRequest(SIGINT, as: SIGHUP, after: .seconds(1)))
    #expect(!Interruption.isSameRequest(SIGHUP, as: SIGINT, after: .seconds(1)))
  }
}
