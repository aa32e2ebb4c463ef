import LuaRuntime
import RunnerCore
import Scripting

extension Repl {
  func help(_ name: String) {
    guard !name.isEmpty else { return printer.show(Self.overview) }
    if let command = MetaCommand.named(name) { return document(command) }
    document(name)
  }

  private func document(_ command: MetaCommand) {
    printer.show("\(command.usage)\n  \(command.summary)")
  }

  private static var overview: String {
    """
    A line of Lua is executed; the value of an expression is shown. The values of a signal are shown
    as they arrive, until it ends or Ctrl-C ends it; a line that ends with & runs as a job. Locals
    remain available in later lines; _ is the last value, _error the last error.

    \(TextColumns.text(MetaCommand.all.map { ($0.usage, $0.summary) }))
    """
  }

  /// Commands of other shells, with their names here.
  static let habits = ["help": ":help", "exit": ":quit", "quit": ":quit", "q": ":quit"]

  func document(_ name: String) {
    if name.hasPrefix(":"), let command = MetaCommand.named(String(name.dropFirst())) {
      return document(command)
    }
    if let command = workspace.host.command(named: name) { return document(command) }
    let standard = StandardLibrary.entries(for: name)
    if let own = explanation(ofFunction: name), standard.first?.name != name {
      return printer.show(own)
    }
    let texts =
      Library.entries(named: name).map(explanation)
      + standard.map { "\($0.signature)\n  \($0.summary)" }
    guard texts.isEmpty else { return printer.show(texts.joined(separator: "\n")) }
    if documentValue(name) { return }
    if let command = MetaCommand.named(name) { return document(command) }
    let known =
      Library.moduleEntries.flatMap { [$0.name, $0.shortName] }
      + Library.members(of: "signal").map(\.shortName) + workspace.host.commands.map(\.name)
      + MetaCommand.all.map { ":\($0.name)" } + StandardLibrary.names
    complain("nothing is known about '\(name)'" + didYouMean(name, among: known))
  }

  private func document(_ command: ScriptCommand) {
    printer.show(
      command.helpText.trimmed.replacing(
        "raclette run \(command.name)", with: ":run \(command.name)"))
  }

  /// The signature, the description and the example of a part of the library.
  private func explanation(_ entry: LibraryEntry) -> String {
    let example = (entry.example ?? "").split(separator: "\n")
    return
      (["\(entry.signature)", "  \(entry.summary)"]
      + example.map { printer.values.faint("    \($0)") }).joined(separator: "\n")
  }

  /// Shows what a variable or a field holds, and what the library knows of such an object.
  ///
  /// - Returns: false if there is no such value.
  private func documentValue(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    let members = LuaMembers(workspace)
    guard let path = MemberPath(bytes, Array(LuaTokens(bytes))) else { return false }
    if let entry = members.entry(of: path) {
      printer.show(explanation(entry))
      return true
    }
    guard let value = members.value(at: path) else { return false }
    let object = workspace.host.object(value)
    if case .command(let command) = object {
      document(command)
      return true
    }
    printer.show("\(name): \(object?.kind ?? value.type.name)")
    printer.show(values.text(of: value))
    return true
  }

  /// Describes a user-defined function: its parameters, its position, and the comment above it.
  private func explanation(ofFunction name: String) -> String? {
    guard let facts = facts(ofFunction: name) else { return nil }
    let text = FunctionText(facts, log)
    let comment = text.comment.map { "  \($0)" }
    return
      (["\(name)(\(facts.parameters.joined(separator: ", ")))", "  \(text.place)"] + comment)
      .joined(separator: "\n")
  }

  private func facts(ofFunction name: String) -> LuaFunctionFacts? {
    let bytes = Array(name.utf8)
    let members = LuaMembers(workspace)
    guard let path = MemberPath(bytes, Array(LuaTokens(bytes))),
      let function = members.function(at: path)
    else { return nil }
    return members.facts(of: function)
  }

  func showSource(_ name: String) {
    guard let facts = facts(ofFunction: name) else {
      return complain("'\(name)' is not a function written in Lua")
    }
    let text = FunctionText(facts, log)
    guard let lines = text.lines else {
      return complain("the text of \(name) cannot be read: \(text.place)")
    }
    printer.show(([printer.values.faint("-- \(text.place)")] + lines).joined(separator: "\n"))
  }

  func listCommands() {
    let commands = workspace.host.commands.filter { !$0.isPrivate }
    guard !commands.isEmpty else { return printer.show("no commands are defined") }
    let rows = commands.map { command in
      let error = workspace.lastError(of: command).map { ", last error: \($0)" } ?? ""
      return (
        command.signature,
        "\(command.summary ?? "")  \(printer.values.faint("(\(command.liveState)\(error))"))"
          .trimmed
      )
    }
    printer.show(TextColumns.text(rows))
  }

  func listErrors() {
    guard !workspace.errors.isEmpty else { return printer.show("no errors so far") }
    for (source, failure) in workspace.errors.suffix(20) {
      let message = text(ofRaised: failure) ?? failure.message
      printer.show("\(source): \(message)")
    }
    if let traceback = workspace.errors.last?.failure.traceback {
      printer.show(printer.values.faint(traceback))
    }
  }
}
