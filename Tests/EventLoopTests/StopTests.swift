import CLateStop
import Platform
import Testing

@testable import EventLoop

@Suite("Stop of a process group", .timeLimit(.minutes(5)))
struct StopTests {
  @Test("is awaited for a member that has had no processor since the signal")
  func late() throws {
    var release: Int32 = -1
    let leader = late_stop_start(&release)
    try #require(leader > 0)
    let group = ProcessGroup(leader: leader)
    defer {
      group.send(SIGKILL)
      var status: Int32 = 0
      waitpid(leader, &status, 0)
    }
    #expect(!group.isStopping)
    group.send(SIGTSTP)
    #expect(group.isStopping)
    close(release)
    group.awaitStop()
    #expect(!group.isStopping)
    var status: Int32 = 0
    #expect(waitpid(leader, &status, WUNTRACED | WNOHANG) == leader)
    #expect(status & 0xff == 0x7f)
  }

  @Test("is not awaited for a member that ignores the signal")
  func ignored() async throws {
    let isStopping = try await withLoop { loop in
      var isReady = false
      let child = try loop.spawn(
        ProcessRequest(["/bin/sh", "-c", "trap '' TSTP; echo ready; exec sleep 600"]),
        onOutput: { _ in isReady = true }, onEnd: { _ in })
      while !isReady { loop.runOnce() }
      let group = ProcessGroup(leader: child.processID)
      group.send(SIGTSTP)
      let isStopping = group.isStopping
      group.send(SIGKILL)
      loop.run()
      return isStopping
    }
    #expect(!isStopping)
  }
}
