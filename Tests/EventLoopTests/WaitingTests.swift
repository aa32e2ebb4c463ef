import Testing

@testable import EventLoop

@Suite("Waiting for an event without handling it")
struct WaitingTests {
  @Test("a timer further off than the limit is reached by waiting again")
  func timer() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var hasFired = false
    _ = loop.timer(after: .milliseconds(30)) { hasFired = true }
    loop.poll()
    var rounds = 0
    // A timer is due by whole milliseconds, so that the first turn may find it not quite there.
    while !hasFired {
      while !loop.waitForEvent(atMost: .milliseconds(10)) { rounds += 1 }
      #expect(!hasFired)
      loop.poll()
    }
    #expect(rounds > 0)
  }

  @Test("a queued job is an event, a child at work is none")
  func jobs() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var hasEnded = false
    let child = try loop.spawn(ProcessRequest(["sleep", "1000"])) { _ in hasEnded = true }
    loop.poll()
    #expect(!loop.waitForEvent(atMost: .zero))
    loop.enqueue {}
    #expect(loop.waitForEvent(atMost: .zero))
    child.kill()
    while !hasEnded { loop.runOnce() }
  }
}
