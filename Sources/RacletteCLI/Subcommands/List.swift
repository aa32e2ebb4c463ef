import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Subcommand {
  static let list: Subcommand = Subcommand(
    name: "list", arguments: "", summary: "List the commands of a command file",
    options: [.file, .json] + Option.confinement, passesArguments: false
  ) { line in
    if let surplus = line.words.first {
      throw UsageError.unexpectedArgument(surplus, usage: Subcommand.list.usage)
    }
    return try CommandFileSession(line).use { session, file in
      let commands = session.host.commands.filter { !$0.isPrivate }
      session.awaitConditions(of: commands)
      if line.has(.json) {
        try Terminal.output(json: JSONValue.list(commands.map { .object($0.fields) }).text)
      } else if commands.isEmpty {
        session.report.say("\(file) defines no commands" + anonymousHint(session.host))
      } else {
        let style = Style(option: line[.color], descriptor: STDOUT_FILENO)
        try Terminal.output(CommandList(commands, style).text)
      }
      return ExitStatus.success
    }
  }
}

/// Where commands are that cannot be listed, as they have no names.
private func anonymousHint(_ host: ScriptHost) -> String {
  guard let place = host.anonymousCommands.first else { return "" }
  let others = host.anonymousCommands.count - 1
  let more = others > 0 ? ", nor have \(others) more" : ""
  return " by name: the one at \(place) has none\(more)"
}

/// The commands by group, aligned, with those marked that are not enabled now.
private struct CommandList {
  private struct Row {
    let signature: String
    let summary: String
    let disabledReason: String?
  }

  private var groups: [(name: String?, rows: [Row])] = []
  private let style: Style

  init(_ commands: [ScriptCommand], _ style: Style) {
    self.style = style
    for command in commands {
      let row = Row(
        signature: command.signature, summary: command.summary ?? "",
        disabledReason: command.disabledReason)
      if let index = groups.firstIndex(where: { $0.name == command.group }) {
        groups[index].rows.append(row)
      } else {
        groups.append((command.group, [row]))
      }
    }
    // Commands without a group come first, under no heading.
    if let index = groups.firstIndex(where: { $0.name == nil }) {
      groups.insert(groups.remove(at: index), at: 0)
    }
  }

  var text: String {
    let width = groups.flatMap(\.rows).map(\.signature.count).max() ?? 0
    return groups.map { text(of: $0.rows, under: $0.name, width) }.joined(separator: "\n")
  }

  private func text(of rows: [Row], under name: String?, _ width: Int) -> String {
    let heading = name.map { style.strong("\($0):") + "\n" } ?? ""
    return heading + rows.map { text(of: $0, width) + "\n" }.joined()
  }

  private func text(of row: Row, _ width: Int) -> String {
    let marks = row.disabledReason.map { [style.faint("(not enabled: \($0))")] } ?? []
    let rest = ([row.summary].filter { !$0.isEmpty } + marks).joined(separator: "  ")
    guard !rest.isEmpty else { return "  \(row.signature)" }
    let padding = String(repeating: " ", count: width - row.signature.count)
    return "  \(row.signature)\(padding)  \(rest)"
  }
}
