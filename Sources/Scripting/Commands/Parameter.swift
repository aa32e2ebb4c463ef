import LuaRuntime

/// A declared parameter of a command.
public struct Parameter: Sendable {
  /// The type of a parameter's value.
  public enum Kind: String, Sendable, CaseIterable {
    case string, integer, number, boolean
  }

  /// The name, as in `--name value`.
  public let name: String
  /// The type of its value.
  public let kind: Kind
  /// True if a call must give it.
  public let isRequired: Bool
  /// The value if a call does not give it; nil for none, and for one that is computed.
  public let defaultValue: LuaValue
  /// True if its default is computed when an execution begins.
  public let isComputed: Bool
  /// The values of a rest parameter for a call without words for it.
  public internal(set) var restDefault: [LuaValue] = []
  /// The allowed values; empty to allow all of the type.
  public let choices: [String]
  /// The description.
  public let help: String?
  /// True if it takes all words that remain, options included, as a list.
  public let isRest: Bool

  /// Makes a parameter from its parts.
  public init(
    name: String, kind: Kind = .string, isRequired: Bool = false, defaultValue: LuaValue = .nil,
    isComputed: Bool = false, choices: [String] = [], help: String? = nil, isRest: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
    self.defaultValue = defaultValue
    self.isComputed = isComputed
    self.choices = choices
    self.help = help
    self.isRest = isRest
  }

  /// Returns a JSON value if it has the right type and is one of the choices.
  func checked(_ value: LuaValue) throws(InputError) -> LuaValue {
    guard choices.isEmpty || choices.contains(value.description) else {
      throw .notAChoice(parameter: name, given: value.description, allowed: choices)
    }
    switch (kind, value) {
    case (.string, .string), (.integer, .integer), (.number, .integer), (.boolean, .bool):
      return value
    case (.number, .number(let number)) where number.isFinite: return value
    case (.integer, .number): if let integer = value.integerValue { return .integer(integer) }
    default: break
    }
    let given = value.description
    // The text "1" looks like the number 1.
    let isMistakable = value.type == .string && (try? self.value(of: given)) != nil
    throw .wrongKind(
      parameter: name, given: isMistakable ? "\"\(given)\"" : given, expected: kind)
  }

  /// Parses a value from text.
  func value(of text: String) throws(InputError) -> LuaValue {
    guard choices.isEmpty || choices.contains(text) else {
      throw .notAChoice(parameter: name, given: text, allowed: choices)
    }
    switch kind {
    case .string: return LuaValue(text)
    case .integer: if let integer = Int64(text) { return .integer(integer) }
    case .number:
      // As Lua's `tonumber` does: a text without a fraction is an integer, and stays as it was typed.
      if let integer = Int64(text) { return .integer(integer) }
      if let number = Double(text), number.isFinite { return .number(number) }
    case .boolean:
      switch text {
      case "true", "yes", "1": return .bool(true)
      case "false", "no", "0": return .bool(false)
      default: break
      }
    }
    throw .wrongKind(parameter: name, given: text, expected: kind)
  }
}

/// A problem with the input of a command.
public enum InputError: Error, Sendable, Equatable {
  /// A required parameter was not given; `rest` is where the words of the rest parameter begin, if there
  /// are any.
  case missing(parameter: String, rest: RestStart? = nil)
  /// A value of a type other than the declared one.
  case wrongKind(parameter: String, given: String, expected: Parameter.Kind)
  /// A value that is not among the choices.
  case notAChoice(parameter: String, given: String, allowed: [String])
  /// A parameter the command does not declare.
  case unknown(parameter: String, known: [String])
  /// A word `name=value` whose name is nearly that of a parameter.
  case misspelt(parameter: String, meant: String)
  /// A word that looks like a short option; commands have none.
  case option(String)
  /// More words than parameters.
  case surplus(String, known: [String])
  /// A parameter whose value is missing.
  case noValue(parameter: String)
  /// A parameter that was given twice.
  case duplicate(parameter: String)
  /// A rest parameter that was given something other than a list.
  case noList(parameter: String, given: String)
  /// An `--input` that is not JSON.
  case invalidJSON(String)
  /// A JSON text whose values do not fit the memory limit.
  case tooLarge(String)
  /// A parameter without a value before one that has one, where a tool takes them in order.
  case gap(missing: String, given: String)
  /// An `--input` that is not an object, though the command declares parameters.
  case noObject
}

/// The word with which those of a rest parameter begin.
public struct RestStart: Sendable, Equatable, CustomStringConvertible {
  let parameter: String
  let word: String

  /// A sentence about the words.
  public var description: String {
    "the words \(word == "--" ? "after --" : "from '\(word)' on") belong to '\(parameter)'"
  }
}

extension InputError {
  /// The name of the parameter that it is about; nil if it is about the input as a whole.
  public var parameter: String? {
    switch self {
    case .missing(let name, _), .wrongKind(let name, _, _), .notAChoice(let name, _, _),
      .unknown(let name, _), .misspelt(let name, _), .noValue(let name), .duplicate(let name),
      .noList(let name, _), .gap(let name, _):
      name
    case .option, .surplus, .invalidJSON, .tooLarge, .noObject: nil
    }
  }
}

extension InputError: CustomStringConvertible {
  /// One line that names the parameter, what was given, and what is allowed.
  public var description: String {
    switch self {
    case .missing(let parameter, let rest):
      return "parameter '\(parameter)' is required" + (rest.map { "; \($0)" } ?? "")
    case .wrongKind(let parameter, let given, let expected):
      let article = expected == .integer ? "an" : "a"
      return "parameter '\(parameter)' takes \(article) \(expected.rawValue), got '\(given)'"
    case .notAChoice(let parameter, let given, let allowed):
      let allowed = allowed.joined(separator: ", ")
      return "parameter '\(parameter)' cannot be '\(given)'; it is one of \(allowed)"
    case .unknown(let parameter, let known):
      return "unknown parameter '\(parameter)'"
        + didYouMean(parameter, among: known, otherwise: Self.list(known))
    case .misspelt(let parameter, let meant):
      return
        "unknown parameter '\(parameter)'; did you mean '\(meant)'? "
        + "After --, the word is an argument"
    case .option(let word):
      return "unknown option '\(word)'; after -- it is an argument"
    case .surplus(let word, let known):
      return "unexpected argument '\(word)'; \(Self.list(known))"
    case .noValue(let parameter):
      return "parameter '\(parameter)' needs a value: --\(parameter) VALUE"
    case .duplicate(let parameter):
      return "parameter '\(parameter)' is given twice"
    case .noList(let parameter, let given):
      return "parameter '\(parameter)' takes a list, got '\(given)'"
    case .gap(let missing, let given):
      return "parameter '\(missing)' needs a value too if '\(given)' has one"
    case .noObject:
      return "the input must be an object with the parameters"
    case .tooLarge(let reason): return reason
    case .invalidJSON(let reason):
      return "the input is not JSON: \(reason)"
    }
  }

  private static func list(_ known: [String]) -> String {
    known.isEmpty
      ? "the command takes no parameters" : "its parameters are \(known.joined(separator: ", "))"
  }
}
