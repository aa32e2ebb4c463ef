import Platform
import RunnerCore
import Scripting

/// The external editor: `$VISUAL`, `$EDITOR` or vi.
enum ExternalEditor {
  /// Lets the user edit a text in a file that only that user can read.
  ///
  /// The editor owns the terminal until it ends; the session waits, and running jobs continue.
  static func edit(_ text: String, _ session: Session) -> Result<String, ExternalEditorError> {
    let name: String
    switch TemporaryText.make(text + "\n", suffix: ".lua") {
    case .success(let path): name = path
    case .failure(let error): return .failure(error)
    }
    defer { unlink(name) }
    let program = environment("VISUAL") ?? environment("EDITOR") ?? "vi"
    guard TerminalProgram.run(program, on: name, session) else { return .failure(.failed(program)) }
    guard var result = WholeFile.read(name) else { return .failure(.cannotRead(name, errno)) }
    while result.last == 10 { result.removeLast() }
    return .success(String(decoding: result, as: UTF8.self))
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
