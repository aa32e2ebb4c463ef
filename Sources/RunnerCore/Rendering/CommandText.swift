import LuaRuntime
import Scripting

extension ScriptCommand {
  /// The text of `COMMAND --help`.
  package var helpText: String {
    var text = "\(name)\(summary.map { ": \($0)" } ?? "")".visibleInLine + "\n"
    if let details { text += "\n\(details.visible)\n" }
    text += "\nUsage: raclette run \(signature.visibleInLine)\n"
    if !aliases.isEmpty {
      text += "Aliases: \(aliases.joined(separator: ", ").visibleInLine)\n"
    }
    guard !parameters.isEmpty else { return text }
    text += "\nParameters:\n"
    text += TextColumns.text(parameters.map { ($0.option.visibleInLine, $0.explanation.visible) })
    return text + "\n"
  }

  /// The fields of the command in `list --json`.
  package var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [("name", .string(name))]
    if let summary { fields.append(("summary", .string(summary))) }
    if let namespace { fields.append(("namespace", .string(namespace))) }
    if let group { fields.append(("group", .string(group))) }
    if !aliases.isEmpty { fields.append(("aliases", .list(aliases.map { .string($0) }))) }
    if isPrivate { fields.append(("private", .bool(true))) }
    if let position { fields.append(("position", .string(position))) }
    if isDefault { fields.append(("default", .bool(true))) }
    let reason = disabledReason
    fields.append(("enabled", .bool(reason == nil)))
    if let reason { fields.append(("reason", .string(reason))) }
    if let busyReason { fields.append(("busy", .string(busyReason))) }
    fields.append(("params", .list(parameters.map { $0.listing(isSecret: isSecret($0)) })))
    return fields
  }
}

extension Parameter {
  /// `--name VALUE`, as the help shows it.
  fileprivate var option: String {
    if isRest { return "\(name)..." }
    if !choices.isEmpty { return "--\(name) \(choices.joined(separator: "|"))" }
    return kind == .boolean ? "--\(name)" : "--\(name) \(kind.rawValue.uppercased())"
  }

  fileprivate var explanation: String {
    var parts: [String] = []
    if let help { parts.append(help) }
    if isRest { parts.append("(the rest, options included)") }
    if isRequired { parts.append("(required)") }
    if !defaultValue.isNil { parts.append("(default: \(defaultValue))") }
    if isComputed { parts.append("(default: computed)") }
    if !restDefault.isEmpty {
      let words = restDefault.map(\.description.quotedForShell)
      parts.append("(default: \(words.joined(separator: " ")))")
    }
    return parts.joined(separator: " ")
  }

  /// A choice as the type of the parameter has it: a number as it was written.
  private func choice(_ text: String) -> JSONValue {
    switch kind {
    case .integer: Int64(text).map { .integer($0) } ?? .string(text)
    case .number:
      Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) } ?? .string(text)
    case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : .string(text)
    case .string: .string(text)
    }
  }

  /// The fields of the parameter in `list --json`; the default of a secret one is not shown.
  package func listing(isSecret: Bool) -> JSONValue {
    var fields: [(String, JSONValue)] = [
      ("name", .string(name)), ("type", .string(kind.rawValue)), ("required", .bool(isRequired)),
    ]
    if isRest { fields.append(("rest", .bool(true))) }
    if isSecret { fields.append(("secret", .bool(true))) }
    switch isSecret ? .nil : defaultValue {
    case .bool(let bool): fields.append(("default", .bool(bool)))
    case .integer(let integer): fields.append(("default", .integer(integer)))
    case .number(let number): fields.append(("default", .number(number)))
    case .nil: break
    default: fields.append(("default", .string(defaultValue.description)))
    }
    if isComputed { fields.append(("default_computed", .bool(true))) }
    if !restDefault.isEmpty, !isSecret {
      fields.append(("default", .list(restDefault.map { .string($0.description) })))
    }
    if !choices.isEmpty { fields.append(("choices", .list(choices.map(choice)))) }
    if let help { fields.append(("help", .string(help))) }
    return .object(fields)
  }
}
