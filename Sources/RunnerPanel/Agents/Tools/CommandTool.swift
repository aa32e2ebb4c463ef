import RunnerCore
import Scripting

/// A command with `mcp = true` as a tool of its own.
struct CommandTool {
  let name: String
  let command: ScriptCommand

  /// The most characters of a name that clients take.
  private static let longestName = 64

  /// The tools of commands, in the order of the commands.
  static func all(of commands: [ScriptCommand]) -> [CommandTool] {
    var taken = Set(OwnTool.allCases.map(\.rawValue))
    return commands.filter(\.isTool).map { command in
      let base = name(of: command)
      var name = base
      var count = 1
      while !taken.insert(name).inserted {
        count += 1
        name = "\(base.prefix(longestName - 4))_\(count)"
      }
      return CommandTool(name: name, command: command)
    }
  }

  /// The name in the characters that clients take.
  private static func name(of command: ScriptCommand) -> String {
    let text = command.name.unicodeScalars.map { scalar -> Character in
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isPlain || scalar == "-" ? Character(scalar) : "_"
    }
    return String(text.prefix(longestName))
  }

  var json: JSONValue {
    var text = command.summary ?? "Executes the command \(command.name)."
    if let details = command.details { text += "\n\n\(details)" }
    return .object([
      ("name", .string(name)), ("description", .string(Secrets.masked(text))),
      ("inputSchema", .object(schema)),
    ])
  }

  private var schema: [(String, JSONValue)] {
    guard !command.takesAnyInput else { return [("type", .string("object"))] }
    var schema: [(String, JSONValue)] = [
      ("type", .string("object")),
      (
        "properties",
        .object(
          command.parameters.map {
            ($0.name, .object($0.schema(isSecret: command.isSecret($0))))
          })
      ),
    ]
    let required = command.parameters.filter { $0.isRequired && !$0.isComputed }
    if !required.isEmpty {
      schema.append(("required", .list(required.map { .string($0.name) })))
    }
    schema.append(("additionalProperties", .bool(false)))
    return schema
  }
}

extension Parameter {
  /// The parameter as JSON Schema; the default of a secret one is not shown.
  fileprivate func schema(isSecret: Bool) -> [(String, JSONValue)] {
    let listing = listing(isSecret: isSecret)
    var own: [(String, JSONValue)] = [("type", .string(kind.rawValue))]
    if let choices = listing[field: "choices"] { own.append(("enum", choices)) }
    var schema: [(String, JSONValue)] =
      isRest ? [("type", .string("array")), ("items", .object(own))] : own
    if let value = listing[field: "default"] { schema.append(("default", value.masked ?? value)) }
    if let help { schema.append(("description", .string(Secrets.masked(help)))) }
    return schema
  }
}
