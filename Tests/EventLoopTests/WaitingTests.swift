import Testing

@testable import EventLoop

@Suite("Waiting for an event without handling it")
struct WaitingTests {
  @Test("a timer further off than the limit is reached by waiting again")
  func timer() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var hasFired = false
    let start = EventLoop.now
    _ = loop.timer(after: .milliseconds(30)) { hasFired = true }
    loop.poll()
    let isEvent = loop.waitForEvent(atMost: .milliseconds(10))
    // On a busy machine its time may have come meanwhile.
    #expect(!isEvent || EventLoop.now - start >= .milliseconds(29))
    // A timer is due by whole milliseconds, so that the first turn may find it not quite there.
    while !hasFired {
      while !loop.waitForEvent(atMost: .milliseconds(10)) {}
      loop.poll()
    }
  }

  @Test("a queued job is an event, a child at work is none")
  func jobs() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var hasEnded = false
    let child = try loop.spawn(ProcessRequest(["sleep", "1000"])) { _ in hasEnded = true }
    // The end of a child of another test is an event too, for a moment.
    let hasNone = (0..<1_000).contains { _ in
      loop.poll()
      return !loop.waitForEvent(atMost: .zero)
    }
    #expect(hasNone)
    loop.enqueue {}
    #expect(loop.waitForEvent(atMost: .zero))
    child.kill()
    while !hasEnded { loop.runOnce() }
  }
}
