import LuaRuntime
import Platform

/// Parses the words after a command's name as its input.
///
/// `--name value`, `--name=value`, `name=value`, then positionals in the order of the declared
/// parameters; after `--` every word is positional. A command that does not declare its parameters
/// accepts any, as strings, and its positionals at 1, 2, …; one that declares an empty list accepts
/// none. Before `--`, a word such as `-x` is an unknown option.
struct Arguments {
  /// The named values in the given order, and the positionals of commands without declarations.
  private(set) var named: [(name: String, value: LuaValue)] = []
  private(set) var positionals: [LuaValue] = []
  /// The text of `--input`.
  private(set) var json: String?

  private let parameters: [Parameter]
  private let isOpen: Bool

  /// - Parameters:
  ///   - parameters: the declared parameters; nil to accept any.
  ///   - isComplete: true if the words are the whole input, so that defaults fill the gaps.
  init(
    _ words: [String], for parameters: [Parameter]?, isComplete: Bool = true
  ) throws(InputError) {
    self.parameters = parameters ?? []
    isOpen = parameters == nil
    var rest = words[...]
    var allPositional = false
    while let word = rest.popFirst() {
      if allPositional {
        try addPositional(word)
      } else if word == "--" {
        allPositional = true
      } else if word.utf8.starts(with: "--".utf8) {
        try addOption(Substring(word.utf8.dropFirst(2)), &rest)
      } else if word.first == "-", word.dropFirst().first?.isLetter == true {
        throw .option(word)
      } else if let parts = word.cut(atFirst: "="), takesName(parts.before) {
        try add(String(parts.before), String(parts.after))
      } else {
        try addPositional(word)
      }
    }
    if isComplete, json == nil { try complete() }
  }

  /// Returns true if `name=value` sets a parameter. With declarations only a declared one counts,
  /// so that a positional may contain an equals sign.
  private func takesName(_ name: Substring) -> Bool {
    if !isOpen { return parameters.contains { $0.name == name } }
    guard let first = name.first, first.isLetter || first == "_" else { return false }
    return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }

  private mutating func addOption(
    _ text: Substring, _ rest: inout ArraySlice<String>
  ) throws(InputError) {
    let parts = text.cut(atFirst: "=")
    var name = String(parts?.before ?? text)
    var value = parts.map { String($0.after) }
    if value == nil, let negated = negatedBoolean(name) {
      name = negated
      value = "false"
    }
    guard isOpen || name == "input" || parameters.contains(where: { $0.name == name }) else {
      throw .unknown(parameter: name, known: parameters.map(\.name))
    }
    let isBoolean = parameters.contains { $0.name == name && $0.kind == .boolean }
    if value == nil, isBoolean {
      // A word that is a boolean value is taken as the option's value.
      let words = ["true", "false", "yes", "no"]
      value = rest.first.map(words.contains) ?? false ? rest.popFirst() : "true"
    }
    if value == nil, isOpen, name != "input", rest.first.map({ $0.hasPrefix("--") }) ?? true {
      // An option without a value, of a command that declares no parameters.
      value = "true"
    }
    guard let value = value ?? rest.popFirst() else { throw .noValue(parameter: name) }
    if name == "input", !parameters.contains(where: { $0.name == name }) {
      guard json == nil else { throw .duplicate(parameter: name) }
      json = value
    } else {
      try add(name, value)
    }
  }

  /// Returns the boolean parameter that `--no-name` turns off.
  private func negatedBoolean(_ name: String) -> String? {
    guard name.hasPrefix("no-"), !parameters.contains(where: { $0.name == name }) else {
      return nil
    }
    let rest = String(name.dropFirst(3))
    return parameters.first { $0.name == rest && $0.kind == .boolean }?.name
  }

  private mutating func add(_ name: String, _ text: String) throws(InputError) {
    guard !named.contains(where: { $0.name == name }) else { throw .duplicate(parameter: name) }
    if isOpen {
      named.append((name, LuaValue(text)))
    } else if let parameter = parameters.first(where: { $0.name == name }) {
      named.append((name, try parameter.value(of: text)))
    } else {
      throw .unknown(parameter: name, known: parameters.map(\.name))
    }
  }

  private mutating func addPositional(_ word: String) throws(InputError) {
    if isOpen {
      positionals.append(LuaValue(word))
      return
    }
    let free = parameters.first { parameter in !named.contains { $0.name == parameter.name } }
    guard let parameter = free else { throw .surplus(word, known: parameters.map(\.name)) }
    named.append((parameter.name, try parameter.value(of: word)))
  }

  /// Adds the values of `--input` to those given as words, none of which it may repeat, with the
  /// same checks, and fills in the defaults.
  mutating func complete(with fields: [(name: String, value: LuaValue)]) throws(InputError) {
    for (name, value) in fields {
      guard !named.contains(where: { $0.name == name }) else { throw .duplicate(parameter: name) }
      guard let parameter = parameters.first(where: { $0.name == name }) else {
        throw .unknown(parameter: name, known: parameters.map(\.name))
      }
      named.append((name, try parameter.checked(value)))
    }
    try complete()
  }

  private mutating func complete() throws(InputError) {
    for parameter in parameters where !named.contains(where: { $0.name == parameter.name }) {
      if case .nil = parameter.defaultValue {
        if parameter.isRequired { throw .missing(parameter: parameter.name) }
      } else {
        named.append((parameter.name, parameter.defaultValue))
      }
    }
  }
}
