import LuaRuntime
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The user's own editor: `$VISUAL`, `$EDITOR` or vi.
enum ExternalEditor {
  /// Lets the user change a text in a file that only they can read.
  ///
  /// The terminal is the editor's until it ends; the session waits.
  static func edit(_ text: String) -> Result<String, ExternalEditorError> {
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
    guard run(program, on: name) else { return .failure(.failed(program)) }
    guard let file = fopen(name, "re") else { return .failure(.cannotRead(name, errno)) }
    defer { fclose(file) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      result += buffer[..<count]
    }
    while result.last == 10 { result.removeLast() }
    return .success(String(decoding: result, as: UTF8.self))
  }

  private static func run(_ program: String, on file: String) -> Bool {
    // The shell takes the editor's options apart, as every program does that calls it.
    let words = ["sh", "-c", "\(program) \"$1\"", "sh", file]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, "/bin/sh", nil, nil, &arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      guard errno == EINTR else { return false }
    }
    return status == 0
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
