import EventLoop
import Platform
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EndTests {
  /// Runs a shell line; `onReady` is called at its first output.
  private func shell(
    _ line: String, input: ProcessRequest.Input = .pipe,
    onReady: @escaping @Sendable (ChildProcess) -> Void
  ) async throws -> (run: Run, ends: Int) {
    try await withLoop { loop in
      var run = Run()
      var ends = 0
      var process: ChildProcess?
      var request = ProcessRequest(["/bin/sh", "-c", line])
      request.input = input
      process = try loop.spawn(
        request,
        onOutput: { chunk in
          let isFirst = run.output.isEmpty
          run.output += chunk
          if isFirst, let process { onReady(process) }
        },
        onEnd: {
          run.end = $0
          ends += 1
        })
      loop.run()
      process = nil
      return (run, ends)
    }
  }

  /// Whether nobody of the group is left.
  private func isGone(group: pid_t) -> Bool {
    kill(-group, 0) < 0 && errno == ESRCH
  }

  @Test func theStatusIsTheLeadersCodeOrSignal() async throws {
    #expect(try await EventLoopTests.shell("exit 0").status == .exited(0))
    #expect(try await EventLoopTests.shell("exit 255").status == .exited(255))
    #expect(try await EventLoopTests.shell("kill -SEGV $$").status == .signalled(SIGSEGV))
    #expect(try await EventLoopTests.shell("kill -KILL $$").status == .signalled(SIGKILL))
  }

  @Test func aChildThatObeysTermEndsByIt() async throws {
    let (run, ends) = try await shell("echo ready; read line") {
      $0.terminate(grace: .seconds(60))
    }
    #expect(run.end == ProcessEnd(status: .signalled(SIGTERM), errorTail: [], wasTerminated: true))
    #expect(ends == 1)
  }

  @Test func theLastWordsOfATerminatedChildAreDelivered() async throws {
    let (run, _) = try await shell("trap 'echo bye; exit 7' TERM; echo ready; read line") {
      $0.terminate(grace: .seconds(60))
    }
    #expect(run.text == "ready\nbye\n")
    #expect(run.status == .exited(7))
  }

  @Test func aChildThatHasLeftItsGroupIsSignalledByItsId() async throws {
    let (run, ends) = try await shell(
      "exec perl -e '$| = 1; setpgrp(0, getpgrp(getppid())); print \"ready\\n\"; sleep 1000'"
    ) {
      $0.terminate(grace: .seconds(60))
    }
    #expect(run.status == .signalled(SIGTERM))
    #expect(ends == 1)
  }

  @Test func aChildThatIgnoresTermIsKilledAfterTheGrace() async throws {
    let (run, ends) = try await shell("trap '' TERM; echo ready; while :; do read x; done") {
      $0.terminate(grace: .milliseconds(20))
    }
    #expect(run.status == .signalled(SIGKILL))
    #expect(ends == 1)
  }

  @Test func aSecondTerminationOnlyShortensTheGrace() async throws {
    let (run, ends) = try await shell("trap '' TERM; echo ready; while :; do read x; done") {
      $0.terminate(grace: .seconds(600))
      $0.terminate(grace: .seconds(900))
      $0.terminate(grace: .zero)
    }
    #expect(run.status == .signalled(SIGKILL))
    #expect(ends == 1)
  }

  @Test func aStoppedChildCanBeTerminated() async throws {
    let (run, _) = try await shell("echo ready; kill -STOP $$; read line") {
      $0.terminate(grace: .seconds(60))
    }
    #expect(run.status == .signalled(SIGTERM))
  }

  @Test func aChildThatClosesItsOutputEarlyGoesOnRunning() async throws {
    let (wasAlive, status) = try await withLoop { loop in
      var wasAlive = false
      var status: ProcessEnd.Status?
      var process: ChildProcess?
      var request = ProcessRequest(["/bin/sh", "-c", "exec >&-; echo closed >&2; read x; exit 4"])
      request.input = .pipe
      request.errors = .forward { _ in
        // Later, so that the end of output has been seen.
        loop.timer(after: .milliseconds(5)) {
          wasAlive = process?.isAlive == true
          process?.write([10])
        }
      }
      process = try loop.spawn(request) { status = $0.status }
      loop.run()
      process = nil
      return (wasAlive, status)
    }
    #expect(wasAlive)
    #expect(status == .exited(4))
  }

  @Test func aGrandchildThatOutlivesItsParentKeepsTheExecutionAlive() async throws {
    // The grandchild speaks only once its parent has been reaped.
    let run = try await EventLoopTests.shell(
      "p=$$; (while kill -0 $p 2>/dev/null; do :; done; echo late) & echo early; exit 3")
    #expect(run.text == "early\nlate\n")
    #expect(run.status == .exited(3))
    #expect(run.end?.wasTerminated == false)
  }

  @Test func aGrandchildWithoutThePipeKeepsTheExecutionAlive() async throws {
    let run = try await withLoop { loop in
      var run = Run()
      var request = ProcessRequest([
        "/bin/sh", "-c",
        "p=$$; (exec >&-; while kill -0 $p 2>/dev/null; do :; done; echo late >&2) & exit 3",
      ])
      request.errors = .capture
      try loop.spawn(request, onOutput: { run.output += $0 }, onEnd: { run.end = $0 })
      loop.run()
      return run
    }
    #expect(run.errorText == "late\n")
    #expect(run.status == .exited(3))
  }

  @Test func terminationReachesTheWholeGroupAndLeavesNobody() async throws {
    let group = Mutex<pid_t>(0)
    let (run, _) = try await shell(
      "for i in 1 2 3 4 5; do (trap '' TERM; read x) <&0 & done; sleep 1000 & echo ready; wait"
    ) {
      let pid = $0.processID
      group.withLock { $0 = pid }
      $0.terminate(grace: .milliseconds(10))
    }
    #expect(run.end?.wasTerminated == true)
    #expect(isGone(group: group.withLock { $0 }))
  }

  @Test func aGroupThatOutlivesItsLeaderCanBeKilled() async throws {
    let (run, ends) = try await shell("sleep 1000 & echo ready; exit 5") { $0.kill() }
    #expect(ends == 1)
    #expect(run.end?.wasTerminated == true)
  }

  @Test func afterTheEndNothingHappensAnyMore() async throws {
    let outcome = try await withLoop { loop in
      let process = try loop.spawn(ProcessRequest(["true"]), onEnd: { _ in })
      loop.run()
      var outcome: InputOutcome?
      process.terminate(grace: .seconds(1))
      process.kill()
      process.pauseOutput()
      process.resumeOutput()
      process.closeInput()
      process.write([1]) { outcome = $0 }
      loop.run()
      return (process.isAlive, outcome)
    }
    #expect(!outcome.0)
    #expect(outcome.1 == .closed)
  }

  @Test func handlersAreReleasedAtTheEnd() async throws {
    final class Witness {}
    let (process, isReleased) = try await withLoop { loop in
      weak var witness: Witness?
      let process: ChildProcess
      do {
        let held = Witness()
        witness = held
        var request = ProcessRequest(["true"])
        request.errors = .forward { _ in _ = held }
        process = try loop.spawn(
          request, onOutput: { _ in _ = held }, onEnd: { _ in _ = held })
      }
      loop.run()
      return (LoopBound(process), witness == nil)
    }
    #expect(isReleased)
    _ = process
  }

  @Test func anEndedProcessIsFreedWithItsLastReference() async throws {
    let isFreed = try await withLoop { loop in
      weak var freed: ChildProcess?
      do {
        var request = ProcessRequest(["sleep", "1000"])
        request.input = .pipe
        request.errors = .capture
        let process = try loop.spawn(request, onEnd: { _ in })
        freed = process
        process.terminate(grace: .seconds(600))
      }
      loop.run()
      // The pipes' handles let go in the turn after their close.
      loop.poll()
      return freed == nil
    }
    #expect(isFreed)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func childrenThatAreEndedInAnyWayEndExactlyOnce(seed: UInt64) async throws {
    let count = 60
    let (ends, left) = try await withLoop { loop in
      var random = SplitMix(state: seed)
      var ends = [Int](repeating: 0, count: count)
      for index in 0..<count {
        let line = ["exit 0", "read x", "sleep 1000 & exit 0", "trap '' TERM; read x; read x"]
        var request = ProcessRequest(["/bin/sh", "-c", line.randomElement(using: &random) ?? ""])
        request.input = .pipe
        request.errors = Bool.random(using: &random) ? .capture : .mergeIntoOutput
        let process = try loop.spawn(request) { _ in ends[index] += 1 }
        for _ in 0..<3 {
          let grace = Duration.milliseconds(Int.random(in: 0...3, using: &random))
          let action = Int.random(in: 0..<5, using: &random)
          loop.timer(after: .milliseconds(Int.random(in: 0...20, using: &random))) {
            switch action {
            case 0: process.pauseOutput()
            case 1: process.resumeOutput()
            case 2: process.closeInput()
            case 3: process.write([10])
            default: process.terminate(grace: grace)
            }
          }
        }
        loop.timer(after: .milliseconds(30)) { process.kill() }
      }
      loop.run()
      return (ends, loop.liveProcesses)
    }
    #expect(ends == Array(repeating: 1, count: count))
    #expect(left == 0)
  }

  @Test func allGroupsCanBeKilledAtOnce() async throws {
    let (live, ends, left) = try await withLoop { loop in
      var ends: [ProcessEnd] = []
      for _ in 0..<10 {
        try loop.spawn(ProcessRequest(["sleep", "1000"])) { ends.append($0) }
      }
      let live = loop.liveProcesses
      loop.killAllGroups()
      loop.run()
      return (live, ends, loop.liveProcesses)
    }
    #expect(live == 10)
    #expect(ends.map(\.status) == Array(repeating: .signalled(SIGKILL), count: 10))
    #expect(left == 0)
  }

  @Test func closingTheLoopKillsItsChildrenAndCallsNobody() async throws {
    let (pid, isCalled) = try await withLoop { loop in
      var isCalled = false
      let process = try loop.spawn(ProcessRequest(["sleep", "1000"])) { _ in isCalled = true }
      loop.close()
      return (process.processID, isCalled)
    }
    #expect(!isCalled)
    #expect(isGone(group: pid))
  }

  @Test(arguments: [ProcessRequest.Output.null, .inherit])
  func aChildWithoutPipesKeepsTheLoopRunning(output: ProcessRequest.Output) async throws {
    let status = try await withLoop { loop in
      var status: ProcessEnd.Status?
      var request = ProcessRequest(["sh", "-c", "exit 6"])
      request.input = .inherit
      request.output = output
      try loop.spawn(request) { status = $0.status }
      loop.run()
      return status
    }
    #expect(status == .exited(6))
  }

  @Test func manyLoopsReapOnlyTheirOwn() async throws {
    let statuses = try await withThrowingTaskGroup(of: (Int32, [ProcessEnd.Status]).self) { group in
      for code in Int32(1)...6 {
        group.addTask {
          let statuses = try await withLoop { loop in
            var statuses: [ProcessEnd.Status] = []
            for _ in 0..<40 {
              try loop.spawn(ProcessRequest(["sh", "-c", "exit \(code)"])) {
                statuses.append($0.status)
              }
            }
            loop.run()
            return statuses
          }
          return (code, statuses)
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for code in Int32(1)...6 {
      #expect(statuses[code] == Array(repeating: .exited(code), count: 40))
    }
  }

  @Test func childrenOfOtherCodeAreLeftToIt() async throws {
    let status = try await withLoop { loop in
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      var pid: pid_t = 0
      let name = strdup("sh")
      let option = strdup("-c")
      let line = strdup("exit 9")
      let code = posix_spawn(&pid, "/bin/sh", nil, &attributes, [name, option, line, nil], nil)
      for string in [name, option, line] { free(string) }
      posix_spawnattr_destroy(&attributes)
      guard code == 0 else { return Int32(-1) }
      // Waits until it has ended, without taking its status.
      var information = siginfo_t()
      waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT)
      try loop.spawn(ProcessRequest(["true"]), onEnd: { _ in })
      loop.run()
      var status: Int32 = -1
      return waitpid(pid, &status, 0) == pid ? status >> 8 : -1
    }
    #expect(status == 9)
  }
}
