import EventLoop
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// A program that the user has chosen for a file, such as `$EDITOR` or `$PAGER`. It owns the
/// terminal until it ends; the session waits, and running jobs continue.
enum TerminalProgram {
  /// - Returns: true if it succeeded.
  static func run(_ program: String, on file: String, _ session: Session) -> Bool {
    // The shell parses the program's options, as in every program that calls it.
    var request = ProcessRequest(["/bin/sh", "-c", "\(program) \"$1\"", "sh", file])
    request.input = .inherit
    request.output = .inherit
    request.errors = .inherit
    request.terminal = .always
    let end = Once<ProcessEnd>()
    // The terminal is lent to the program alone, not to a job that waits for it.
    let keepsTerminal = session.loop.keepsTerminal
    session.loop.keepsTerminal = false
    defer { session.loop.keepsTerminal = keepsTerminal }
    do { try session.loop.spawn(request) { end.value = $0 } } catch { return false }
    session.loop.keepsTerminal = true
    session.wait { end.value != nil || session.isEnding }
    KeyboardInterrupt.take()
    if case .exited(0)? = end.value?.status { return true }
    return false
  }
}

/// A file with a text that only the user can read.
enum TemporaryText {
  /// - Returns: its path; the caller removes it.
  static func make(_ text: String, suffix: String) -> Result<String, ExternalEditorError> {
    let folder = environment("TMPDIR") ?? "/tmp"
    var path = Array("\(folder)/raclette-XXXXXX\(suffix)".utf8CString)
    let descriptor = mkstemps(&path, Int32(suffix.utf8.count))
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { return .failure(.cannotWrite(name, errno)) }
    let code = text.withExactBytes { Terminal.write($0, to: descriptor) }
    close(descriptor)
    guard code == 0 else {
      unlink(name)
      return .failure(.cannotWrite(name, code))
    }
    return .success(name)
  }
}
