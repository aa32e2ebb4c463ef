import Scripting

extension Subcommand {
  static let list: Subcommand = Subcommand(
    name: "list", arguments: "", summary: "List the commands of a command file",
    options: [.file, .json], passesArguments: false
  ) { line in
    if let surplus = line.words.first {
      throw UsageError.unexpectedArgument(surplus, usage: Subcommand.list.usage)
    }
    return try CommandFileSession(line).use { session, _ in
      let commands = session.host.commands.filter { !$0.isPrivate }
      if line.has(.json) {
        let list = JSONValue.list(commands.map(\.listing))
        Terminal.output(list.text + "\n")
      } else {
        Terminal.output(listing(commands, session.report.style))
      }
      return ExitStatus.success
    }
  }
}

/// The commands by group, aligned, with those marked that are not enabled now.
private func listing(_ commands: [ScriptCommand], _ style: Style) -> String {
  var groups: [(name: String?, commands: [ScriptCommand])] = []
  for command in commands {
    if let index = groups.firstIndex(where: { $0.name == command.group }) {
      groups[index].commands.append(command)
    } else {
      groups.append((command.group, [command]))
    }
  }
  // Commands without a group come first, under no heading.
  groups.sort { $0.name == nil && $1.name != nil }
  let width = commands.map(\.signature.count).max() ?? 0
  return
    groups
    .map { group in
      let heading = group.name.map { "\($0):\n" } ?? ""
      return heading
        + group.commands.map { line($0, width, style) + "\n" }.joined()
    }
    .joined(separator: "\n")
}

private func line(_ command: ScriptCommand, _ width: Int, _ style: Style) -> String {
  let padding = String(repeating: " ", count: width - command.signature.count)
  var parts = ["  \(command.signature)"]
  if command.summary != nil || !command.isEnabled { parts = ["  \(command.signature)\(padding)"] }
  if let summary = command.summary { parts.append(summary) }
  if !command.isEnabled { parts.append("(not enabled)") }
  return parts.joined(separator: "  ")
}
