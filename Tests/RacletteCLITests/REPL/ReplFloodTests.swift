import Platform
import Testing

/// Ctrl-C while a session floods its terminal.
@Suite(.timeLimit(.minutes(5)))
struct ReplFloodTests {
  /// A signal cuts the write short that it arrives in. Fifty times, because few arrive there.
  @Test(arguments: ["print('x')", "assert(io.write('x\\n'))", "assert(io.stderr:write('x\\n'))"])
  func leavesNoFailureOfOutput(_ call: String) async {
    let (missing, ending, status) = await onThread {
      let session = FloodedSession()
      var missing = session.reads("rac> ") ? 0 : 1
      for _ in 1...50 {
        session.type("while true do \(call) end\r")
        if !session.reads("x\r\nx\r\nx\r\n") { missing += 1 }
        session.type("\u{03}")
        if !session.reads("interrupted") || !session.reads("rac> ") { missing += 1 }
      }
      session.type("\u{04}")
      let (ending, status) = session.finish()
      return (missing, ending, status)
    }
    #expect(missing == 0)
    #expect(!ending.contains("error"), "\(ending)")
    #expect(status == 0)
  }
}

/// A session at a terminal, of whose output only the end is kept: a screen would be drawn as long as
/// the flood lasts. Its methods block.
private final class FloodedSession {
  private let terminal: Int32
  private let pid: pid_t
  private let folder = Folder()
  private var text: [UInt8] = []

  init() {
    let (terminal, name) = makeTerminal()
    self.terminal = terminal
    let launch = Launch(
      arguments: ["repl"], folder: folder.path,
      environment: [
        "HOME": folder.path, "XDG_STATE_HOME": folder["state"], "XDG_CONFIG_HOME": folder["config"],
        "TERM": "xterm",
      ])
    pid = launch.start((nil, nil, nil), terminal: name)
  }

  deinit { close(terminal) }

  func type(_ keys: String) { writeWhole(Array(keys.utf8), to: terminal) }

  /// Reads until a text has come, which is taken; false if it does not come within a minute.
  func reads(_ wanted: String) -> Bool {
    let wanted = Array(wanted.utf8)
    while true {
      if let range = text.firstRange(of: wanted) {
        text.removeSubrange(..<range.upperBound)
        return true
      }
      text = text.suffix(wanted.count)
      guard receive() else { return false }
    }
  }

  /// Reads to the end.
  ///
  /// - Returns: the text and the exit status.
  func finish() -> (String, Int32) {
    while receive() {}
    return (String(decoding: text, as: UTF8.self), exitStatus(of: pid))
  }

  /// Reads once; false at the end, or after a minute without output.
  private func receive() -> Bool {
    var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    guard uninterrupted({ poll(&state, 1, 60_000) }) > 0 else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      let count = readBytes(from: terminal, into: space)
      if count > 0 { text += UnsafeRawBufferPointer(rebasing: space[..<count]) }
      return count > 0
    }
  }
}
