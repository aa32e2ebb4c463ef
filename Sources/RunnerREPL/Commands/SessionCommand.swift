import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// Writes the variables of the session to a file, or executes such a file.
  func session(_ request: String) {
    let words = request.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, ["save", "restore"].contains(words[0]) else {
      return complain("usage: :session save | restore NAME")
    }
    guard let path = SavedSession.path(words[1].trimmed) else {
      return complain(
        "no variable says where sessions are kept; give a path, such as ./\(words[1])")
    }
    words[0] == "save" ? saveSession(to: path) : restoreSession(from: path)
  }

  private func saveSession(to path: String) {
    let session = SessionText(workspace, log)
    guard session.count > 0 else { return complain("there are no variables to keep") }
    _ = makeFolders(above: path)
    let target = resolvedPath(path) ?? path
    guard let (file, fresh) = makeFile(beside: target, 0o600) else {
      return complain("cannot write \(path): \(systemErrorText(errno))")
    }
    let bytes = session.text.exactBytes
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count, rename(fresh, target) == 0 else {
      let code = errno
      unlink(fresh)
      return complain("cannot write \(path): \(systemErrorText(code))")
    }
    for line in session.omitted { printer.note("left out: \(line)") }
    printer.note(
      "\(session.count) variable\(session.count == 1 ? "" : "s") written to \(path)")
  }

  private func restoreSession(from path: String) {
    guard let text = WholeFile.read(path) else {
      return complain("cannot read \(path): \(systemErrorText(errno))")
    }
    guard case .ready(let function) = workspace.environment.compile(text, named: "@\(path)") else {
      return complain("\(path) is not a session written by ':session save'")
    }
    guard evaluate(function) != nil else { return }
    printer.note("restored from \(path)")
  }
}

/// The files of saved sessions.
enum SavedSession {
  /// The path of a session by its name, or by a path; nil if no variable tells the folder.
  static func path(_ name: String) -> String? {
    if name.contains("/") { return name }
    return HistoryFile.folder.map { "\($0)/sessions/\(name).lua" }
  }

  /// The names of the sessions in the usual folder.
  static var names: [String] {
    let files = HistoryFile.folder.flatMap { Platform.names(inFolder: "\($0)/sessions") } ?? []
    return files.filter { $0.hasSuffix(".lua") }.map { String($0.dropLast(4)) }
  }
}
