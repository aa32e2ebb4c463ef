import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// The number of entries that `:history` shows.
  private static let historyCount = 20

  func showHistory(_ request: String) {
    let entries = log.entries(request, usually: Self.historyCount, before: number)
    if let gap = log.gap, entries.isEmpty || entries.first?.number == log.droppedCount + 1 {
      printer.note(gap)
    }
    guard !entries.isEmpty else { return printer.show("no entries") }
    for (number, text) in entries {
      let lead = "[\(number)] "
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      printer.show(
        lines.enumerated().map { index, line in
          (index == 0 ? printer.values.faint(lead) : String(repeating: " ", count: lead.count))
            + line
        }.joined(separator: "\n"))
    }
  }

  /// Writes the entries that are statements of Lua to a new file, which can be loaded.
  func save(_ path: String) {
    let lua = log.texts.dropLast().filter {
      !EntryLog.isPrivate($0.utf8) && !Entry(Array($0.utf8)).isMeta
    }
    let entries = lua.filter { workspace.environment.isStatement(Array($0.utf8)) }
    guard !entries.isEmpty else { return complain("there are no entries to save") }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      return complain("cannot write \(path): \(systemErrorText(errno))")
    }
    let text = Array((entries.joined(separator: "\n") + "\n").utf8)
    let code = text.withUnsafeBytes { Terminal.write($0, to: descriptor) }
    let closing = close(descriptor)
    guard code == 0, closing == 0 else {
      return complain("cannot write \(path): \(systemErrorText(code != 0 ? code : errno))")
    }
    if let gap = log.gap { printer.note("left out: \(gap)") }
    let others = lua.count - entries.count
    if others > 0 {
      printer.note(
        others == 1
          ? "left out: an entry that is not a statement"
          : "left out: \(others) entries that are not statements")
    }
    printer.note("\(entries.count) entr\(entries.count == 1 ? "y" : "ies") written to \(path)")
  }

  /// Opens an entry in the external editor; the result is the next entry.
  func edit(_ request: String) {
    let wanted = request.isEmpty ? number - 1 : Int(request)
    guard let text = wanted.flatMap({ log[$0] }) ?? (request.isEmpty ? "" : nil) else {
      let isDropped = wanted.map(log.hasDropped) ?? false
      return complain(
        isDropped ? log.gap ?? "" : "there is no entry '\(request)'; see :history")
    }
    switch ExternalEditor.edit(text, session) {
    case .success(let text):
      if !editor.prepare(text) { complain("only a terminal can show an entry to be edited") }
    case .failure(let error): complain("\(error)")
    }
  }

  func executeShell(_ line: String) {
    guard !line.isEmpty else { return complain("usage: !COMMAND") }
    let code = "return os.execute(\(LuaQuoting.literal(line)))"
    guard let function = function(of: Array(code.utf8)), let results = evaluate(function) else {
      return
    }
    if results.count == 3, case .integer(let number) = results[2], number != 0 {
      let reason = results[1] == .string(LuaString(Array("signal".utf8))) ? "signal" : "status"
      printer.note("\(reason) \(number)")
    }
  }

  /// Lists the variables of the session, and names those that files have made.
  func listVariables() {
    let members = LuaMembers(workspace)
    let others = members.fileVariables.map(\.name)
    defer {
      if !others.isEmpty { printer.note("of files: \(others.joined(separator: ", "))") }
    }
    let variables = members.sessionVariables
    guard !variables.isEmpty else { return printer.show("no variables") }
    printer.show(
      TextColumns.text(
        variables.map { name, value in
          let text = values.text(of: value)
          let line = text.prefix { $0 != "\n" }
          return (name, line.count < text.count ? line + " …" : String(line))
        }))
  }
}
