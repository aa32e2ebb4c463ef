import Testing
import TextFiles

/// The history of entries, of one session and of several.
struct ReplHistoryTests {
  @Test func aLeadingSpaceKeepsAnEntryOutOfTheHistory() async throws {
    let folder = Folder()
    let lines = await onThread {
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.enter("a = 1")
      session.enter(" secret = 'x'")
      session.enter("#secret")
      session.wait(forLine: "1")
      session.type("\u{1B}[A\u{1B}[A")
      session.wait { $0.lines.last == "rac> a = 1" }
      session.type("\u{03}")
      session.waitForPrompt()
      session.enter(":history")
      session.wait(for: "[3] #secret")
      let lines = session.screen.lines
      session.enter(":save session.lua")
      session.enter(":quit")
      _ = session.finish()
      return lines
    }
    #expect(lines.contains("[1] a = 1") && !lines.contains { $0.hasPrefix("[2]") }, "\(lines)")
    let stored = try TextFile(folder["state/raclette/history"]).lines
    #expect(
      stored.filter { !$0.isEmpty } == [
        "a = 1", "#secret", ":history", ":save session.lua", ":quit",
      ])
    #expect(try TextFile(folder["session.lua"]).lines.first == "a = 1")
  }

  @Test func sessionsBesideOneAnotherShareIt() async {
    let folder = Folder()
    let isThere = await onThread {
      let first = TerminalSession(in: folder)
      let second = TerminalSession(in: folder)
      first.waitForPrompt()
      second.waitForPrompt()
      first.enter("a = 'one'")
      first.waitForPrompt()
      second.type("\u{1B}[A")
      guard second.wait(until: { $0.lines.last == "rac> a = 'one'" }) else { return false }
      second.type("\r")
      second.waitForPrompt()
      second.enter("b = 'two'")
      second.waitForPrompt()
      first.enter("c = 'three'")
      first.waitForPrompt()
      first.type("\u{1B}[A\u{1B}[A")
      return first.wait { $0.lines.last == "rac> b = 'two'" }
    }
    #expect(isThere)
  }
}
