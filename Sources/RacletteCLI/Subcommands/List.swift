import Platform
import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let list: Subcommand = Subcommand(
    name: "list", underMake: .answered, arguments: "",
    summary: "List the commands of a command file",
    options: [.file, .adopt, .global, .all, .json, .conditionTimeout] + Option.confinement,
    passesArguments: false,
    preparing: { line in
      if let surplus = line.words.first {
        throw UsageError.unexpectedArgument(surplus, usage: Subcommand.list.usage)
      }
      return .session(
        CommandFileSession(
          line, confirmation: Confirmations.refuse, timeLimit: CommandFileSession.lookingTime)
      ) {
        session, file in
        try list(line, session, file)
      }
    })

  /// Prints the list of the commands of a session.
  static func list(_ line: CommandLine, _ session: Session, _ file: String) throws -> Int32 {
    let commands = session.host.commands.filter { line.has(.all) || !$0.isPrivate }
    session.awaitConditions(of: commands)
    session.host.leavesLazyValues = true
    let verdicts = session.verdicts(ofPlain: commands, within: CommandFileSession.lookingTime)
    if line.has(.json) {
      try Terminal.output(
        json: JSONValue.list(
          zip(commands, verdicts).map { .object($0.fields + $1.fields) }
        ).text)
    } else if commands.isEmpty {
      session.report.say("\(file) defines no commands" + session.host.unnamedHint)
    } else {
      let style = Style(option: line[.color], descriptor: STDOUT_FILENO)
      let width = Terminal.isTerminal ? TerminalSize(of: STDOUT_FILENO).columns : nil
      try Terminal.output(CommandList(commands, verdicts, style, width: width).text)
    }
    return ExitStatus.success
  }
}

/// The commands by group, aligned, with the disabled ones marked.
private struct CommandList {
  private struct Row {
    let signature: String
    let summary: String
    /// Its aliases, and that it is private.
    let remark: String?
    let disabledReason: String?
    /// Which executions are in the way of another one.
    let busyReason: String?
    let isUpToDate: Bool
  }

  /// The heading of a group.
  private struct Heading: Equatable {
    let namespace: String?
    let group: String?

    /// The namespace after those that it is in: `a`, `a:b`.
    var namespaces: [String] {
      guard let namespace else { return [] }
      let ends = namespace.indices.filter { namespace[$0] == ":" } + [namespace.endIndex]
      return ends.map { String(namespace[..<$0]) }
    }

    var text: String? {
      let parts = [namespace, group].compactMap { $0 }
      return parts.isEmpty ? nil : parts.joined(separator: " / ")
    }
  }

  private var groups: [(heading: Heading, rows: [Row])] = []
  private let style: Style

  /// - Parameter width: that of the terminal, half of which is for signatures; nil for no limit.
  init(
    _ commands: [ScriptCommand], _ verdicts: [UpToDateVerdict], _ style: Style, width: Int?
  ) {
    self.style = style
    let widest = width.map { max(20, $0 / 2) } ?? .max
    var namespaces: [String?] = [nil]
    for (command, verdict) in zip(commands, verdicts) {
      let heading = Heading(namespace: command.namespace, group: command.group)
      let row = Row(
        signature: command.signature.visibleInLine.shortened(to: widest),
        summary: (command.summary ?? "").visibleInLine,
        remark: Self.remark(on: command), disabledReason: command.disabledReason?.visibleInLine,
        busyReason: command.busyReason?.visibleInLine,
        isUpToDate: verdict.isUpToDate)
      for namespace in heading.namespaces where !namespaces.contains(namespace) {
        namespaces.append(namespace)
      }
      if let index = groups.firstIndex(where: { $0.heading == heading }) {
        groups[index].rows.append(row)
      } else {
        groups.append((heading, [row]))
      }
    }
    // Included files come last. In each file, commands without a group come first.
    groups = namespaces.flatMap { namespace in
      let own = groups.filter { $0.heading.namespace == namespace }
      return own.filter { $0.heading.group == nil } + own.filter { $0.heading.group != nil }
    }
  }

  private static func remark(on command: ScriptCommand) -> String? {
    var remarks: [String] = []
    if !command.aliases.isEmpty {
      remarks.append("also \(command.aliases.joined(separator: ", "))")
    }
    if command.isPrivate { remarks.append("private") }
    return remarks.isEmpty ? nil : "(\(remarks.joined(separator: "; ").visibleInLine))"
  }

  var text: String {
    let width = groups.flatMap(\.rows).map(\.signature.count).max() ?? 0
    var text = ""
    for (heading, rows) in groups {
      if !text.isEmpty { text += "\n" }
      if let heading = heading.text { text += style.strong("\(heading.visibleInLine):") + "\n" }
      for row in rows { text += line(of: row, width) + "\n" }
    }
    return text
  }

  private func line(of row: Row, _ width: Int) -> String {
    var remarks = row.remark.map { [$0] } ?? []
    if row.isUpToDate { remarks.append("(up to date)") }
    if let reason = row.busyReason { remarks.append("(busy: \(reason))") }
    if let reason = row.disabledReason { remarks.append("(not enabled: \(reason))") }
    let parts = (row.summary.isEmpty ? [] : [row.summary]) + remarks.map(style.faint)
    guard !parts.isEmpty else { return "  \(row.signature)" }
    let gap = String(repeating: " ", count: width - row.signature.count + 2)
    return "  \(row.signature)\(gap)\(parts.joined(separator: "  "))"
  }
}

extension String {
  /// The signature with as many parameters as fit, and an ellipsis for the others, which `help` and
  /// `show` have.
  fileprivate func shortened(to width: Int) -> String {
    guard count > width else { return self }
    let end = prefix(width - 1).lastIndex(of: " ") ?? endIndex
    return end == endIndex ? self : self[..<end] + " …"
  }
}

extension Option {
  static let all = Option(
    name: .all, long: "all", short: "a", help: "list private commands, too")
}
