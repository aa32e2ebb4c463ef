import Scripting

import Platform

extension Subcommand {
  static let list: Subcommand = Subcommand(
    name: "list", arguments: "", summary: "List the commands of a command file",
    options: [.file, .json, .conditionTimeout] + Option.confinement, passesArguments: false
  ) { line in
    if let surplus = line.words.first {
      throw UsageError.unexpectedArgument(surplus, usage: Subcommand.list.usage)
    }
    return try CommandFileSession(line, timeLimit: CommandFileSession.lookingTime).use {
      session, file in
      let commands = session.host.commands.filter { !$0.isPrivate }
      session.awaitConditions(of: commands)
      let verdicts = session.verdicts(ofPlain: commands, within: CommandFileSession.lookingTime)
      if line.has(.json) {
        try Terminal.output(
          json: JSONValue.list(
            zip(commands, verdicts).map { .object($0.fields + $1.fields) }
          ).text)
      } else if commands.isEmpty {
        session.report.say("\(file) defines no commands" + anonymousHint(session.host))
      } else {
        let style = Style(option: line[.color], descriptor: STDOUT_FILENO)
        try Terminal.output(CommandList(commands, verdicts, style).text)
      }
      return ExitStatus.success
    }
  }
}

/// A hint about commands that cannot be listed because they have no names.
private func anonymousHint(_ host: ScriptHost) -> String {
  guard let place = host.anonymousCommands.first else { return "" }
  let others = host.anonymousCommands.count - 1
  let more = others > 0 ? ", nor have \(others) more" : ""
  return " by name: the one at \(place) has none\(more)"
}

/// The commands by group, aligned, with the disabled ones marked.
private struct CommandList {
  private struct Row {
    let signature: String
    let summary: String
    let disabledReason: String?
    let isUpToDate: Bool
  }

  private var groups: [(name: String?, rows: [Row])] = []
  private let style: Style

  init(_ commands: [ScriptCommand], _ verdicts: [UpToDateVerdict], _ style: Style) {
    self.style = style
    for (command, verdict) in zip(commands, verdicts) {
      let row = Row(
        signature: command.signature.visibleInLine, summary: (command.summary ?? "").visibleInLine,
        disabledReason: command.disabledReason?.visibleInLine, isUpToDate: verdict.isUpToDate)
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
    var text = ""
    for (name, rows) in groups {
      if !text.isEmpty { text += "\n" }
      if let name { text += style.strong("\(name.visibleInLine):") + "\n" }
      for row in rows { text += line(of: row, width) + "\n" }
    }
    return text
  }

  private func line(of row: Row, _ width: Int) -> String {
    var line = "  \(row.signature)"
    var gap = String(repeating: " ", count: width - row.signature.count + 2)
    if !row.summary.isEmpty {
      line += gap + row.summary
      gap = "  "
    }
    if row.isUpToDate { line += gap + style.faint("(up to date)"); gap = "  " }
    if let reason = row.disabledReason { line += gap + style.faint("(not enabled: \(reason))") }
    return line
  }
}
