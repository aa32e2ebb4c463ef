import EventLoop
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StreamTests {
  @Test func outputArrivesBeforeTheEnd() async throws {
    let run = try await shell("echo one; echo two")
    #expect(run.text == "one\ntwo\n")
    #expect(run.end == ProcessEnd(status: .exited(0), errorTail: [], wasTerminated: false))
  }
}
