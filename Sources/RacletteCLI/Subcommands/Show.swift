import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let show: Subcommand = Subcommand(
    name: "show", underMake: .answered, arguments: "COMMAND",
    summary: "Show everything about a command",
    options: [.file, .adopt, .global, .json, .conditionTimeout] + Option.confinement,
    passesArguments: false, completion: .command,
    preparing: { line in
      let name = try line.onlyWord(named: "COMMAND", usage: Subcommand.show.usage)
      return .session(
        CommandFileSession(
          line, confirmation: Confirmations.refuse, timeLimit: CommandFileSession.lookingTime)
      ) {
        session, file in
        let command = try CallReader(session.host, file: file, asks: false).command(named: name)
        session.awaitConditions(of: [command])
        if line.has(.json) {
          try Terminal.output(json: JSONValue.object(command.fields + command.moreFields).text)
        } else {
          try Terminal.output(command.helpText + command.facts)
        }
        return ExitStatus.success
      }
    })
}

extension ScriptCommand {
  /// The properties of a command besides its usage.
  fileprivate var facts: String {
    var rows: [(String, String)] = []
    if let group { rows.append(("Group", group)) }
    if asksForNeeds { rows.append(("Needs", "what its function returns for the input")) }
    if !listedNeedsText.isEmpty {
      let order = needsInOrder ? ", in order" : ""
      rows.append(("Needs", listedNeedsText.joined(separator: ", ") + order))
    }
    let steps = stepsText(with: .nil)
    if !steps.isEmpty { rows.append(("Runs", steps.joined(separator: "; "))) }
    if let questionText { rows.append(("Asks", questionText)) }
    rows.append(("Enabled", disabledReason.map { "no: \($0)" } ?? "yes"))
    if let busyReason { rows.append(("Busy", busyReason)) }
    if let service {
      rows.append(("Service", service.remarks.dropFirst().joined(separator: "; ")))
    } else {
      rows.append(("Policy", policy.sentence))
    }
    if let shell { rows.append(("Shell", shell)) }
    if let directory = directory { rows.append(("Folder", directory)) }
    for (field, files) in namedFiles {
      rows.append((field.prefix(1).uppercased() + field.dropFirst(), files.text))
    }
    if hasFingerprint { rows.append(("Fingerprint", "what its function returns for the input")) }
    if isCached { rows.append(("Cached", "yes")) }
    if !watchPatterns.isEmpty { rows.append(("Watches", watchPatterns.joined(separator: ", "))) }
    if isInteractive { rows.append(("Terminal", "its own: interactive")) }
    if let position { rows.append(("Defined", position)) }
    let width = rows.map(\.0.count).max() ?? 0
    return "\n"
      + rows.map { name, text in
        "\(name):\(String(repeating: " ", count: width - name.count + 1))\(text.visibleInLine)\n"
      }.joined()
  }

  /// The fields of `show --json` that `list --json` lacks.
  fileprivate var moreFields: [(String, JSONValue)] {
    func list(_ texts: [String]) -> JSONValue { .list(texts.map { .string($0) }) }
    var fields: [(String, JSONValue)] = []
    if let details { fields.append(("description", .string(details))) }
    fields.append(("needs", list(listedNeedsText)))
    if needsInOrder { fields.append(("needs_in_order", .bool(true))) }
    let steps = stepsText(with: .nil)
    if !steps.isEmpty { fields.append(("steps", list(steps))) }
    for (field, files) in namedFiles { fields.append((field, files.json)) }
    if hasFingerprint { fields.append(("fingerprint", .bool(true))) }
    if isCached { fields.append(("cache", .bool(true))) }
    fields.append(("interactive", .bool(isInteractive)))
    if !watchPatterns.isEmpty { fields.append(("watch", list(watchPatterns))) }
    fields += policy.fields
    if let service { fields.append(("service", service.fields)) }
    return fields
  }
}

extension ScriptCommand.NamedFiles {
  fileprivate var text: String {
    switch self {
    case .patterns(let patterns): patterns.joined(separator: ", ")
    case .function: "what its function returns for the input"
    case .lazy: "computed when it is executed"
    }
  }

  /// The patterns; null if they are computed.
  fileprivate var json: JSONValue {
    guard case .patterns(let patterns) = self else { return .null }
    return .list(patterns.map { .string($0) })
  }
}

extension CommandPolicy {
  /// The description of the policies in words.
  fileprivate var sentence: String {
    let usual =
      concurrency == .serial && whenBusy == .reject ? ["one at a time, rejects when busy"] : []
    return (usual + remarks).joined(separator: "; ")
  }
}
