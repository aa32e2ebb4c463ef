import Reactive
import ReactiveTesting
import Testing

@Suite("buffer")
struct BufferTests {
  let scheduler = TestScheduler()

  private func buffered(_ source: Signal<String>) -> Signal<String> {
    source.buffer(scheduler.frame * 3, on: scheduler).map { $0.joined() }
  }

  @Test("Values within the time of the first come together")
  func values() throws {
    let source = try scheduler.hot("-ab------c-d-e---|")
    try scheduler.expect(buffered(source), "----'ab'-------'cd'---e|")
  }

  @Test("Completion flushes what is collected")
  func completion() throws {
    try scheduler.expect(buffered(scheduler.cold("-ab|")), "---('ab'|)")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("An error drops what is collected")
  func error() throws {
    try scheduler.expect(buffered(scheduler.cold("-ab#")), "---#")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Disposal drops what is collected and stops the timer")
  func disposal() throws {
    let source = try scheduler.cold("-ab-----")
    try scheduler.expect(buffered(source), "---!")
    #expect(source.subscriptions == ["^--!"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A silent source sends no empty arrays")
  func silence() throws {
    try scheduler.expect(buffered(scheduler.hot("-----------|")), "-----------|")
  }

  @Test("A synchronous source comes as one array")
  func synchronous() {
    #expect(Recorder(buffered(.from(["a", "b", "c"]))).diagram == "('abc'|)")
  }
}
