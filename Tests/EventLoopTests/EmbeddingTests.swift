import EventLoop
import Testing
import TextFiles

/// What a program that embeds a loop shows. It is a process of its own: an exit test of the library
/// waits for every child of this one, which takes the children of other tests for its own.
@Suite("A program that embeds a loop", .timeLimit(.minutes(5)))
struct EmbeddingTests {
  private func program(_ misuse: String) async throws -> Run {
    let path = builtProgram("EmbeddingProgram")
    return try await run {
      var request = ProcessRequest(
        [path, misuse], environment: ["PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no"])
      request.errors = .capture
      return request
    }
  }

  @Test(arguments: ["value-elsewhere", "function-elsewhere"])
  func anotherThreadStopsTheProgramByUsingWhatBelongsToTheLoop(_ misuse: String) async throws {
    let run = try await program(misuse)
    guard case .signalled = run.status else {
      Issue.record("\(run)")
      return
    }
    #expect(run.errorText.contains("thread"), "\(run.errorText)")
  }

  #if os(Linux)
    @Test func aLoopAdoptsOrphansOnlyWhileItHasChildren() async throws {
      #expect(try await program("orphans").text == "false true false false\n")
    }
  #endif
}
