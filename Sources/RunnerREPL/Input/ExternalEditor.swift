import EventLoop
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The external editor: `$VISUAL`, `$EDITOR` or vi.
enum ExternalEditor {
  /// Lets the user edit a text in a file that only that user can read.
  ///
  /// The editor owns the terminal until it ends; the session waits, and running jobs continue.
  static func edit(_ text: String, _ session: Session) -> Result<String, ExternalEditorError> {
    var path = Array("\(environment("TMPDIR") ?? "/tmp")/raclette-XXXXXX.lua".utf8CString)
    let descriptor = mkstemps(&path, 4)
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { return .failure(.cannotWrite(name, errno)) }
    defer { unlink(name) }
    let bytes = Array(text.utf8) + [10]
    let count = write(descriptor, bytes, bytes.count)
    let code = errno
    close(descriptor)
    guard count == bytes.count else { return .failure(.cannotWrite(name, code)) }
    let program = environment("VISUAL") ?? environment("EDITOR") ?? "vi"
    guard run(program, on: name, session) else { return .failure(.failed(program)) }
    guard var result = WholeFile.read(name) else { return .failure(.cannotRead(name, errno)) }
    while result.last == 10 { result.removeLast() }
    return .success(String(decoding: result, as: UTF8.self))
  }

  private static func run(_ program: String, on file: String, _ session: Session) -> Bool {
    // The shell parses the editor's options, as in every program that calls it.
    var request = ProcessRequest(["/bin/sh", "-c", "\(program) \"$1\"", "sh", file])
    request.input = .inherit
    request.output = .inherit
    request.errors = .inherit
    request.terminal = .always
    let end = Once<ProcessEnd>()
    // The terminal is lent to the editor alone, not to a job that waits for it.
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

enum ExternalEditorError: Error, CustomStringConvertible {
  case cannotWrite(String, Int32)
  case cannotRead(String, Int32)
  case failed(String)

  var description: String {
    switch self {
    case .cannotWrite(let path, let code): "cannot write \(path): \(systemErrorText(code))"
    case .cannotRead(let path, let code): "cannot read \(path): \(systemErrorText(code))"
    case .failed(let program): "'\(program)' failed; the entry is as it was"
    }
  }
}
