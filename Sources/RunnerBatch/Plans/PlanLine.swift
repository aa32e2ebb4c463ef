import Journal
import RunnerCore
import Scripting

/// Reads a line of a plan: `{"command": name, "input": …, "id": …}` or
/// `{"script": path, "args": […], "id": …}`, both with `"tags": […]`, too.
package struct PlanLine {
  /// The name of the plan in messages.
  let plan: String
  let number: Int
  let digests: PlanDigests

  package init(plan: String, number: Int, digests: PlanDigests) {
    self.plan = plan
    self.number = number
    self.digests = digests
  }

  /// True if a value has the keys of an entry, and no others.
  static func hasFormOfEntry(_ value: JSONValue) -> Bool {
    guard case .object(let fields) = value else { return false }
    return fields.allSatisfy { PlanFormat.keys.contains($0.0) }
      && fields.contains { ["command", "script"].contains($0.0) }
  }

  /// Parses the text of a line; returns nil for white space alone.
  func entry(_ text: UnsafeRawBufferPointer) -> PlannedEntry? {
    let isBlank = text.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 }
    if isBlank { return nil }
    do throws(PlanLineError) {
      return try parse(text)
    } catch {
      return malformed(text, error)
    }
  }

  /// An entry that only reports the error in its line.
  func malformed(_ text: UnsafeRawBufferPointer, _ error: PlanLineError) -> PlannedEntry {
    let text = String(decoding: text.prefix(1_000), as: UTF8.self)
    let entry = PlanEntry(
      key: EntryKey("malformed", text), kind: .malformed, command: "", input: text, plan: plan,
      line: number)
    return PlannedEntry(entry: entry, problem: "\(error)")
  }

  private func parse(_ text: UnsafeRawBufferPointer) throws(PlanLineError) -> PlannedEntry {
    let value: JSONValue
    do { value = try JSONValue(parsing: text) } catch {
      throw .notJSON(error.reason, column: error.column)
    }
    guard case .object(let fields) = value else { throw .noObject }
    var command: String?
    var script: String?
    var input: JSONValue?
    var arguments: [String]?
    var name: String?
    var tags: [String] = []
    for (key, value) in fields {
      switch key {
      case "command": command = try word(value, key)
      case "script": script = try word(value, key)
      case "input": input = value
      case "args": arguments = try words(value)
      case "id": name = try identifier(value)
      case "tags": tags = try self.tags(value)
      default: throw .unknownKey(key)
      }
    }
    switch (command, script) {
    case (let command?, nil):
      if arguments != nil { throw .argumentsOfCommand }
      return PlannedEntry(entry: self.command(command, input, name), tags: tags)
    case (nil, let script?):
      if input != nil { throw .inputOfScript }
      return PlannedEntry(entry: try self.script(script, arguments ?? [], name), tags: tags)
    case (nil, nil): throw .nothingToExecute
    case (_?, _?): throw .both
    }
  }

  private func command(_ command: String, _ input: JSONValue?, _ name: String?) -> PlanEntry {
    // A missing input means the command's defaults, which differ from null.
    let text = input.map(\.canonical.text) ?? ""
    return PlanEntry(
      key: EntryKey("command", command, text, digests.commands), kind: .command, command: command,
      input: text, name: name, plan: plan, line: number)
  }

  /// An entry with a call of a command.
  ///
  /// - Parameter input: nil for that of a call without arguments.
  package func call(of name: String, input: JSONValue?) -> PlannedEntry {
    PlannedEntry(entry: command(name, input, nil))
  }

  /// Creates an entry from a recorded execution, with the current version of its command or script.
  package func entry(again execution: RecordedExecution, name: String?) -> PlannedEntry {
    if execution.kind == .command {
      let input = execution.input.isEmpty ? nil : JSONValue(text: execution.input)
      return PlannedEntry(
        entry: command(execution.command, input, name), problem: problem(again: execution))
    }
    var arguments: [String] = []
    if case .list(let elements)? = JSONValue(text: execution.input) {
      arguments = (try? words(.list(elements))) ?? []
    }
    do throws(PlanLineError) {
      return PlannedEntry(
        entry: try script(execution.command, arguments, name), problem: problem(again: execution))
    } catch {
      var text = execution.command
      return text.withUTF8 { malformed(UnsafeRawBufferPointer($0), error) }
    }
  }

  /// The reason why a recorded execution cannot be repeated: its secrets were not recorded.
  private func problem(again execution: RecordedExecution) -> String? {
    let mask = String(decoding: Secrets.mask, as: UTF8.self)
    let isMasked =
      execution.input.contains(mask)
      || execution.kind == .script && execution.command.contains(mask)
    let again = "execute its plan again with --resume, or the call of raclette run"
    if isMasked {
      return "the input of #\(execution.id) held a secret, which is not recorded; \(again)"
    }
    guard execution.input.unicodeScalars.contains("\u{FFFD}") else { return nil }
    return "the input of #\(execution.id) held bytes that are not UTF-8, which are not recorded; "
      + again
  }

  /// The entry of a script.
  func script(
    _ path: String, _ arguments: [String], _ name: String?
  ) throws(PlanLineError) -> PlanEntry {
    let input = JSONValue.list(arguments.map { .string($0) }).text
    guard let digest = digests.script(path) else { throw .noScript(path) }
    return PlanEntry(
      key: EntryKey(script: path, input: input, digest: digest), kind: .script, command: path,
      input: input,
      name: name, plan: plan, line: number)
  }

  private func word(_ value: JSONValue, _ key: String) throws(PlanLineError) -> String {
    guard case .string(let text) = value, !text.isEmpty else { throw .notText(key) }
    return text
  }

  private func words(_ value: JSONValue) throws(PlanLineError) -> [String] {
    guard case .list(let elements) = value else { throw .notArguments }
    var words: [String] = []
    for element in elements {
      switch element {
      case .string(let text): words.append(text)
      case .integer, .number: words.append(element.text)
      default: throw .notArguments
      }
    }
    return words
  }

  private func tags(_ value: JSONValue) throws(PlanLineError) -> [String] {
    guard case .list(let elements) = value else { throw .notTags }
    var tags: [String] = []
    for element in elements {
      guard case .string(let tag) = element, PlannedEntry.isTag(tag) else { throw .notTags }
      tags.append(tag)
    }
    return tags
  }

  private func identifier(_ value: JSONValue) throws(PlanLineError) -> String {
    switch value {
    case .string(let text) where !text.isEmpty: return text
    case .integer: return value.text
    default: throw .notIdentifier
    }
  }
}

extension EntryKey {
  /// Creates the key of a script from its arguments and the digest of its text.
  package init(script path: String, input: String, digest: String) {
    self.init("script", path, input, digest)
  }
}

/// An error in a line of a plan.
enum PlanLineError: Error, Equatable {
  case notJSON(String, column: Int)
  case noObject
  case unknownKey(String)
  case notText(String)
  case notArguments
  case notIdentifier
  case notTags
  case nothingToExecute
  case both
  case inputOfScript
  case argumentsOfCommand
  case noScript(String)
  case tooLong(limit: Int)
}

extension PlanLineError: CustomStringConvertible {
  var description: String {
    switch self {
    case .notJSON(let reason, let column): "invalid JSON at column \(column): \(reason)"
    case .noObject: "expected an object such as {\"command\": \"build\"}"
    case .unknownKey(let key):
      "unknown key '\(key)'"
        + didYouMean(
          key, among: PlanFormat.keys,
          otherwise: "the keys are \(PlanFormat.keys.joined(separator: ", "))")
    case .notText(let key): "'\(key)' must be a non-empty string"
    case .notArguments: "'args' must be a list of strings and numbers"
    case .notIdentifier: "'id' must be a non-empty string or an integer"
    case .notTags: "'tags' must be a list of words of letters, digits, '-', '_' and '.'"
    case .nothingToExecute: "neither 'command' nor 'script' says what to execute"
    case .both: "an entry is a 'command' or a 'script', not both"
    case .inputOfScript: "a script takes 'args', not 'input'"
    case .argumentsOfCommand: "a command takes 'input', not 'args'"
    case .noScript(let path): "cannot read the script '\(path)'"
    case .tooLong(let limit): "the line is longer than \(limit >> 20) MiB"
    }
  }
}
