import LuaRuntime
import Platform

/// Parses the words after a command's name as its input.
///
/// `--name value`, `--name=value`, `name=value`, then positionals in the order of the declared
/// parameters; after `--` every word is positional. A command that does not declare its parameters
/// accepts any, as strings, and its positionals at 1, 2, …; one that declares an empty list accepts
/// none. Before `--`, a word such as `-x` is an unknown option.
///
/// A rest parameter takes everything from the first word on that no other parameter takes, whatever
/// the words look like; `--` before them says where they begin, and is not one of them.
struct Arguments {
  /// The named values in the given order, and the positionals of commands without declarations.
  private(set) var named: [(name: String, value: LuaValue)] = []
  private(set) var positionals: [LuaValue] = []
  /// The values of the rest parameter; nil if there is none.
  private(set) var rest: (name: String, values: [LuaValue])?
  /// The text of `--input`.
  private(set) var json: String?
  /// The number of words before those of the rest parameter.
  private(set) var ownWordCount = 0

  /// The word with which those of the rest parameter begin.
  private var restStart: RestStart?

  /// True if the values of the rest parameter were given as a list, be it an empty one.
  private var hasRestList = false

  /// True if words gave values.
  var hasValues: Bool { !named.isEmpty || !positionals.isEmpty }

  /// The declared parameters except the rest parameter.
  private let parameters: [Parameter]
  private let restParameter: Parameter?
  private let isOpen: Bool

  /// - Parameters:
  ///   - parameters: the declared parameters; nil to accept any.
  ///   - isComplete: true if the words are the whole input, so that defaults fill the gaps.
  init(
    _ words: [String], for parameters: [Parameter]?, isComplete: Bool = true
  ) throws(InputError) {
    self.init(for: parameters)
    var rest = words[...]
    var allPositional = false
    while let word = rest.popFirst() {
      if let restParameter, beginsRest(word) {
        ownWordCount = words.count - rest.count - 1
        restStart = RestStart(parameter: restParameter.name, word: word)
        try addRest(word == "--" ? Array(rest) : [word] + rest, to: restParameter)
        break
      }
      ownWordCount = words.count - rest.count
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
      } else if let name = word.cut(atFirst: "=")?.before, let meant = nameMeant(by: name) {
        throw .misspelt(parameter: String(name), meant: meant)
      } else {
        try addPositional(word)
      }
    }
    if isComplete, json == nil { try complete() }
  }

  /// No values yet.
  private init(for parameters: [Parameter]?) {
    self.parameters = (parameters ?? []).filter { !$0.isRest }
    restParameter = parameters?.first(where: \.isRest)
    if let restParameter { rest = (restParameter.name, []) }
    isOpen = parameters == nil
  }

  /// Parses words by the names of the parameters to which they belong, each as in `--name=word`; the
  /// rest parameter takes any number of them.
  init(
    byName words: [(name: String, words: [String])], for parameters: [Parameter]?
  ) throws(InputError) {
    self.init(for: parameters)
    for (name, words) in words {
      if let restParameter, restParameter.name == name {
        hasRestList = true
        try addRest(words, to: restParameter)
      } else {
        for word in words { try set(name, word) }
      }
    }
    if json == nil { try complete() }
  }

  /// Returns true if no parameter but the rest parameter can take a word.
  private func beginsRest(_ word: String) -> Bool {
    if word == "--" { return true }
    let isFree = parameters.contains { parameter in !named.contains { $0.name == parameter.name } }
    guard word.utf8.starts(with: "-".utf8), word != "-" else {
      let isNamed = word.cut(atFirst: "=").map { takesName($0.before) } ?? false
      return !isFree && !isNamed
    }
    guard word.utf8.starts(with: "--".utf8) else {
      // A negative number.
      return !isFree || word.dropFirst().first?.isLetter == true
    }
    let text = Substring(word.utf8.dropFirst(2))
    let name = String(text.cut(atFirst: "=")?.before ?? text)
    return name != "input" && negatedBoolean(name) == nil
      && !parameters.contains { $0.name == name }
  }

  private mutating func addRest(_ words: [String], to parameter: Parameter) throws(InputError) {
    for word in words { rest?.values.append(try parameter.value(of: word)) }
  }

  /// Returns true if `name=value` sets a parameter. With declarations only a declared one counts,
  /// so that a positional may contain an equals sign.
  private func takesName(_ name: Substring) -> Bool {
    if !isOpen { return parameters.contains { $0.name == name } }
    return name.isParameterName
  }

  /// The declared parameter that `name=value` probably sets, but for its case or a wrong letter.
  private func nameMeant(by name: Substring) -> String? {
    guard !isOpen, name.isParameterName else { return nil }
    let same = parameters.first { $0.name.lowercased() == name.lowercased() }?.name
    // Another letter makes another name of a short one.
    return name.count < 3 ? same : same ?? nearestName(to: String(name), among: knownNames)
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
      throw .unknown(parameter: name, known: knownNames)
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
    try set(name, value)
  }

  /// Takes `--name=value`.
  private mutating func set(_ name: String, _ value: String) throws(InputError) {
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
      throw .unknown(parameter: name, known: knownNames)
    }
  }

  private mutating func addPositional(_ word: String) throws(InputError) {
    if isOpen {
      positionals.append(LuaValue(word))
      return
    }
    let free = parameters.first { parameter in !named.contains { $0.name == parameter.name } }
    guard let parameter = free else { throw .surplus(word, known: knownNames) }
    named.append((parameter.name, try parameter.value(of: word)))
  }

  /// Adds the values of `--input` to those given as words, none of which it may repeat, with the
  /// same checks, and fills in the defaults.
  ///
  /// - Parameter elements: returns the elements of a list; nil for another value.
  mutating func complete(
    with fields: [(name: String, value: LuaValue)], elements: (LuaValue) -> [LuaValue]?
  ) throws(InputError) {
    for (name, value) in fields {
      if let restParameter, restParameter.name == name {
        guard rest?.values.isEmpty == true else { throw .duplicate(parameter: name) }
        guard let values = elements(value) else {
          throw .noList(parameter: name, given: value.description)
        }
        hasRestList = true
        for value in values { rest?.values.append(try restParameter.checked(value)) }
        continue
      }
      guard !named.contains(where: { $0.name == name }) else { throw .duplicate(parameter: name) }
      if isOpen {
        named.append((name, value))
        continue
      }
      guard let parameter = parameters.first(where: { $0.name == name }) else {
        throw .unknown(parameter: name, known: knownNames)
      }
      named.append((name, try parameter.checked(value)))
    }
    try complete()
  }

  private var knownNames: [String] {
    parameters.map(\.name) + (restParameter.map { [$0.name] } ?? [])
  }

  private mutating func complete() throws(InputError) {
    if let restParameter, rest?.values.isEmpty == true {
      if !hasRestList { rest?.values = restParameter.restDefault }
      if restParameter.isRequired, rest?.values.isEmpty == true {
        throw .missing(parameter: restParameter.name)
      }
    }
    for parameter in parameters where !named.contains(where: { $0.name == parameter.name }) {
      if case .nil = parameter.defaultValue {
        if parameter.isRequired, !parameter.isComputed {
          throw .missing(parameter: parameter.name, rest: restStart)
        }
      } else {
        named.append((parameter.name, parameter.defaultValue))
      }
    }
  }
}

extension [Parameter] {
  /// Returns the number of words that are not the rest parameter's: those before it begins, or all
  /// if there is none.
  public func ownWordCount(of words: [String]) -> Int {
    guard last?.isRest == true else { return words.count }
    let arguments = try? Arguments(words, for: self, isComplete: false)
    return arguments?.ownWordCount ?? words.count
  }
}

extension StringProtocol {
  /// True if a parameter may have this name: letters, digits, `_` and `-`, and a letter or `_`
  /// first.
  public var isParameterName: Bool {
    guard let first, first.isLetter || first == "_" else { return false }
    return allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }
}
