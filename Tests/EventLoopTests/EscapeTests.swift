import EventLoop
import Platform
import Testing

/// Processes that leave the group that they were born in.
@Suite(.timeLimit(.minutes(5)))
struct EscapeTests {
  /// Leaves by `setsid`, says its process id, and holds the pipe open.
  private static let escapee = "setsid sh -c 'echo $$; exec sleep 1000' & wait"

  /// Starts the escapee and calls `onEscape` when it has spoken; kills it at the end.
  private func escape(
    _ line: String, onEscape: @escaping @Sendable (ChildProcess) -> Void
  ) async throws -> (end: ProcessEnd?, isEscapeeReaped: Bool) {
    try await withLoop { loop in
      var end: ProcessEnd?
      var output: [UInt8] = []
      var process: ChildProcess?
      process = try loop.spawn(
        ProcessRequest(["/bin/sh", "-c", line]),
        onOutput: { chunk in
          let isFirst = output.isEmpty
          output += chunk
          if isFirst, let process { onEscape(process) }
        }, onEnd: { end = $0 })
      loop.run()
      process = nil

      let first = String(decoding: output, as: UTF8.self).split(separator: "\n").first
      guard let pid = first.flatMap({ pid_t($0) }) else { return (end, false) }
      kill(pid, SIGKILL)
      var watch: Timer?
      watch = loop.timer(after: .milliseconds(1), every: .milliseconds(1)) {
        if kill(pid, 0) < 0 && errno == ESRCH { watch?.cancel() }
      }
      loop.run()
      watch = nil
      return (end, true)
    }
  }

  @Test func anEscapeeThatHoldsThePipeIsNotWaitedForAfterTermination() async throws {
    let (end, isReaped) = try await escape(EscapeTests.escapee) {
      $0.terminate(grace: .seconds(60))
    }
    #expect(end?.status == .signalled(SIGTERM))
    #expect(isReaped)
  }

  @Test func terminationEndsAChildWhoseGroupIsGoneAlready() async throws {
    let (end, isReaped) = try await withLoop { loop in
      var end: ProcessEnd?
      var escapee: pid_t = 0
      let process = try loop.spawn(
        ProcessRequest(["/bin/sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & exit 0"]),
        onOutput: { chunk in
          let text = String(decoding: chunk, as: UTF8.self)
          escapee = text.split(separator: "\n").first.flatMap { pid_t($0) } ?? 0
        }, onEnd: { end = $0 })
      var watch: Timer?
      watch = loop.timer(after: .milliseconds(1), every: .milliseconds(1)) {
        // The leader's end alone ends nothing while the pipe is held.
        guard escapee > 0, kill(-process.processID, 0) < 0, end == nil else { return }
        watch?.cancel()
        process.terminate(grace: .seconds(60))
      }
      loop.run()
      watch = loop.timer(after: .milliseconds(1), every: .milliseconds(1)) {
        if kill(escapee, 0) < 0 && errno == ESRCH { watch?.cancel() }
      }
      kill(escapee, SIGKILL)
      loop.run()
      return (end, true)
    }
    #expect(end == ProcessEnd(status: .exited(0), errorTail: [], wasTerminated: true))
    #expect(isReaped)
  }

  @Test func outputOfAnEscapeeIsStreamedAsLongAsItHoldsThePipe() async throws {
    let run = try await shell(
      "setsid sh -c 'while kill -0 '$$' 2>/dev/null; do :; done; echo late' & echo early")
    #expect(run.text == "early\nlate\n")
    #expect(run.status == .exited(0))
  }

  @Test func aMemberWhoseParentLeftTheGroupIsWaitedFor() async throws {
    // The middle process leaves the group and reaps the member, so that nothing announces its end.
    let script = """
      use POSIX;
      my $leader = $$;
      if (!fork) {
        my $member = fork;
        if (!$member) {
          1 while kill 0, $leader;
          close STDOUT;
          1 for 1 .. 3_000_000;
          print STDERR "late\\n";
          exit 0;
        }
        setsid();
        close STDOUT; close STDERR;
        waitpid $member, 0;
        exit 0;
      }
      exit 2;
      """
    let run = try await run {
      var request = ProcessRequest(["perl", "-e", script])
      request.errors = .capture
      return request
    }
    #expect(run.errorText == "late\n")
    #expect(run.status == .exited(2))
  }
}
