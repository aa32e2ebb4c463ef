import RunnerCore
import Scripting

/// The tools of each project: five, however many commands it has.
enum OwnTool: String, CaseIterable {
  case list, run, look, cancel, answer

  /// How the tool is listed.
  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("name", .string(rawValue)), ("description", .string(description)),
      ("inputSchema", .object(schema)),
    ]
    if self == .list || self == .look {
      fields.append(("annotations", .object([("readOnlyHint", .bool(true))])))
    }
    return .object(fields)
  }

  private var description: String {
    switch self {
    case .list:
      """
      Lists the commands of this project: how to call each, what it does, and why it is not \
      enabled if it is not. A filter that is the name of one command shows its parameters.
      """
    case .run:
      """
      Executes a command. Responds when it has ended, after wait seconds at the latest, with its \
      number, state and last lines; it continues after that. Unless detached, it ends with this \
      session.
      """
    case .look:
      """
      Shows an execution: state, error, output. From its end, or from output number from; find and \
      errors select lines. Without a number: lists the executions.
      """
    case .cancel:
      "Cancels an execution. Responds when none of its processes are left."
    case .answer:
      """
      Answers a question of run: confirm, after the user has agreed, or the missing input. With \
      number and text instead: sends a line to an execution that waits for input.
      """
    }
  }

  private var schema: [(String, JSONValue)] {
    var schema: [(String, JSONValue)] = [
      ("type", .string("object")),
      ("properties", .object(arguments.map { ($0.name, .object($0.schema)) })),
    ]
    let required = arguments.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema.append(("required", .list(required))) }
    schema.append(("additionalProperties", .bool(false)))
    return schema
  }

  var arguments: [ToolArgument] {
    let wait = ToolArgument("wait", .number, "Seconds, 0 to \(Int(ToolWait.most)) (default: 10)")
    return switch self {
    case .list: [ToolArgument("filter", .text, "Part of a name, group or summary")]
    case .run:
      [
        ToolArgument("command", .text, isRequired: true),
        ToolArgument("input", .object, "Values of its parameters by their names"), wait,
        ToolArgument("when_enabled", .bool, "If it is not enabled, wait until it is"),
        ToolArgument("detach", .bool, "Let it continue when this session ends"),
      ]
    case .look:
      [
        ToolArgument("number", .integer), ToolArgument("from", .integer),
        ToolArgument("line", .integer, "Line of output `from` to begin at (default: 0)"),
        ToolArgument("find", .text, "Only lines with this text"),
        ToolArgument("errors", .bool, "Only lines that look like errors"),
        ToolArgument("lines", .integer, "Maximum number of lines, 1 to 1000 (default: 50)"),
        ToolArgument("wait", .number, "Seconds to wait for it to end (default: 0)"),
      ]
    case .cancel: [ToolArgument("number", .integer, isRequired: true)]
    case .answer:
      [
        ToolArgument("question", .integer), ToolArgument("confirm", .bool),
        ToolArgument("input", .object), ToolArgument("number", .integer),
        ToolArgument("text", .text), wait,
      ]
    }
  }
}

/// An argument of a tool.
struct ToolArgument {
  enum Kind: String {
    case text = "string"
    case number, integer, object
    case bool = "boolean"
  }

  let name: String
  let kind: Kind
  let isRequired: Bool
  private let help: String?

  init(_ name: String, _ kind: Kind, isRequired: Bool = false, _ help: String? = nil) {
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
    self.help = help
  }

  var schema: [(String, JSONValue)] {
    [("type", .string(kind.rawValue))] + (help.map { [("description", .string($0))] } ?? [])
  }

  /// True if a value has the type of the argument.
  fileprivate func accepts(_ value: JSONValue) -> Bool {
    switch (kind, value) {
    case (.text, .string), (.number, .integer), (.number, .number), (.integer, .integer),
      (.bool, .bool), (.object, .object):
      true
    case (.integer, .number(let number)): Int64(exactly: number) != nil
    default: false
    }
  }
}

/// The arguments of the call of one of the five tools, which have been checked.
struct ToolArguments {
  private let fields: [(String, JSONValue)]

  /// - Throws: `ToolProblem`.
  init(_ json: JSONValue, of tool: OwnTool) throws(ToolProblem) {
    guard case .object(let fields) = json else { throw ToolProblem("arguments are an object") }
    let known = tool.arguments
    for (name, value) in fields {
      guard let argument = known.first(where: { $0.name == name }) else {
        let names = known.map(\.name)
        throw ToolProblem(
          "\(tool.rawValue): unknown argument '\(name)'"
            + didYouMean(
              name, among: names, otherwise: "the arguments are \(names.joined(separator: ", "))"))
      }
      guard argument.accepts(value) else {
        throw ToolProblem(
          "\(tool.rawValue): argument '\(name)' must be of type \(argument.kind.rawValue)")
      }
    }
    for argument in known where argument.isRequired {
      guard fields.contains(where: { $0.0 == argument.name }) else {
        throw ToolProblem("\(tool.rawValue): argument '\(argument.name)' is missing")
      }
    }
    self.fields = fields
  }

  subscript(name: String) -> JSONValue? { fields.first { $0.0 == name }?.1 }

  func text(_ name: String) -> String? { self[name]?.string }

  func flag(_ name: String) -> Bool { self[name]?.bool ?? false }

  func integer(_ name: String) -> Int? {
    switch self[name] {
    case .integer(let integer): Int(integer)
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  /// - Throws: `ToolProblem` for a number outside a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(ToolProblem) -> Int? {
    guard let number = integer(name) else { return nil }
    guard range.contains(number) else {
      throw ToolProblem(
        "argument '\(name)' must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// - Throws: `ToolProblem` for a time that no call may last.
  func wait(otherwise usual: Double) throws(ToolProblem) -> ToolWait {
    guard let seconds = self["wait"]?.seconds else { return ToolWait(seconds: usual) }
    guard (0...ToolWait.most).contains(seconds) else {
      throw ToolProblem("argument 'wait' must be a number from 0 to \(Int(ToolWait.most))")
    }
    return ToolWait(seconds: seconds)
  }
}

/// How long the answer to a call may take.
struct ToolWait {
  static let most = 300.0
  static let usual = ToolWait(seconds: 10)
  /// As long as it takes.
  static let forever = ToolWait(seconds: 1e9)

  let seconds: Double

  var duration: Duration { .milliseconds(Int64(seconds * 1000)) }
}

/// A reason for which a tool does nothing, for the model to read.
struct ToolProblem: Error {
  let text: String
  let kind: String

  init(_ text: String, kind: String = "arguments") {
    self.text = text
    self.kind = kind
  }

  var answer: ToolAnswer {
    .failure(Secrets.masked(text), [("error", .string(kind))])
  }
}
