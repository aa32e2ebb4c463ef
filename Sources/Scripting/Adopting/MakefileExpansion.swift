import Platform

/// Expands the references of a text in a Makefile as make does, but executes nothing: what only a
/// program can tell stays unknown.
struct MakefileExpansion {
  private let variables: MakefileVariables
  /// What `foreach` and `call` bind.
  private var bindings: [Substring: String] = [:]
  private var depth = 0
  /// The number of bytes and references that may still be computed.
  private(set) var left: Int
  /// The texts that `eval` makes lines of the file; nil where that is not possible.
  private(set) var lines: [String]?

  /// The value with most bytes that is followed: no list of targets is longer.
  private static let greatestLength = 1 << 18
  private static let greatestDepth = 60

  init(_ variables: MakefileVariables, withLines: Bool = false) {
    self.variables = variables
    left = variables.left
    lines = withLines ? [] : nil
  }

  /// Returns a text with the values of its references; nil if one is unknown, or if there are too many.
  mutating func expanded(_ text: Substring) -> String? {
    guard depth < Self.greatestDepth else { return nil }
    depth += 1
    defer { depth -= 1 }
    var result = ""
    var rest = text
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      guard let open = rest.first else { return nil }
      if open == "$" {
        result += "$"
        rest = rest.dropFirst()
        continue
      }
      var reference = rest.prefix(1)
      var end = reference.endIndex
      if open == "(" || open == "{" {
        guard let close = rest.dropFirst().firstOutsideReferences(where: { $0 == ")" || $0 == "}" })
        else { return nil }
        reference = rest[..<close].dropFirst()
        end = rest.index(after: close)
      }
      guard let value = value(of: reference) else { return nil }
      left -= value.utf8.count + 1
      result += value
      guard left > 0, result.utf8.count < Self.greatestLength else { return nil }
      rest = rest[end...]
    }
    return result + rest
  }

  /// The value of a function, of `NAME`, or of `NAME:OLD=NEW`, which replaces the ends of its words.
  private mutating func value(of reference: Substring) -> String? {
    let function = reference.prefix { !$0.isBlank }
    if function.endIndex < reference.endIndex, !function.contains("$") {
      guard let arity = MakefileFunctions.arities[function] else { return nil }
      let text = reference[function.endIndex...].drop(while: \.isBlank)
      return value(of: function, Self.arguments(in: text, atMost: arity))
    }
    if let colon = reference.firstOutsideReferences(where: { $0 == ":" }) {
      let change = reference[reference.index(after: colon)...]
      guard let value = value(of: reference[..<colon]),
        let equals = change.firstOutsideReferences(where: { $0 == "=" }),
        let old = expanded(change[..<equals]),
        let new = expanded(change[change.index(after: equals)...])
      else { return nil }
      let isPattern = old.contains("%")
      return MakefileFunctions.value(
        of: "patsubst", isPattern ? [old, new, value] : ["%\(old)", "%\(new)", value])
    }
    guard let name = reference.contains("$") ? expanded(reference).map({ $0[...] }) : reference
    else { return nil }
    if let bound = bindings[name] { return bound }
    switch variables[name] {
    case .unknown: return nil
    case .plain(let text): return text
    case .recursive(let text): return expanded(text[...])
    }
  }

  /// The arguments of a function: the last one that it takes has the commas that remain.
  private static func arguments(in text: Substring, atMost count: Int) -> [Substring] {
    var arguments: [Substring] = []
    var rest = text
    while arguments.count < count - 1,
      let comma = rest.firstOutsideReferences(where: { $0 == "," })
    {
      arguments.append(rest[..<comma])
      rest = rest[rest.index(after: comma)...]
    }
    return arguments + [rest]
  }

  private mutating func value(of function: Substring, _ arguments: [Substring]) -> String? {
    switch function {
    case "if", "or", "and": return choice(function, arguments)
    case "foreach": return each(arguments)
    case "call": return call(arguments)
    default: break
    }
    var values: [String] = []
    for argument in arguments {
      guard let value = expanded(argument) else { return nil }
      values.append(value)
    }
    switch function {
    case "wildcard", "abspath", "realpath":
      return paths(function, MakefileFunctions.words(of: values[0]))
    case "eval":
      guard lines != nil else { return nil }
      lines?.append(values[0])
      return ""
    default: return MakefileFunctions.value(of: function, values)
    }
  }

  /// `$(if CONDITION,THEN,ELSE)`, `$(or …)` and `$(and …)`, which expand no more than they need.
  private mutating func choice(_ function: Substring, _ arguments: [Substring]) -> String? {
    if function == "if" {
      guard let condition = expanded(arguments[0].trimmingBlanks) else { return nil }
      let branch = condition.isEmpty ? 2 : 1
      return branch < arguments.count ? expanded(arguments[branch]) : ""
    }
    var last = ""
    for argument in arguments {
      guard let value = expanded(argument.trimmingBlanks) else { return nil }
      last = value
      if value.isEmpty == (function == "and") { return value }
    }
    return last
  }

  private mutating func each(_ arguments: [Substring]) -> String? {
    guard arguments.count == 3, let name = expanded(arguments[0].trimmingBlanks),
      let list = expanded(arguments[1])
    else { return nil }
    let outer = bindings
    defer { bindings = outer }
    var results: [String] = []
    var length = 0
    for word in MakefileFunctions.words(of: list) {
      bindings[name[...]] = String(word)
      guard let result = expanded(arguments[2]) else { return nil }
      results.append(result)
      length += result.utf8.count
      // Longer than what is followed.
      guard length < Self.greatestLength else { return nil }
    }
    return results.joined(separator: " ")
  }

  private mutating func call(_ arguments: [Substring]) -> String? {
    guard let name = expanded(arguments[0].trimmingBlanks) else { return nil }
    let outer = bindings
    var inner = bindings.filter { !$0.key.allSatisfy(\.isNumber) }
    for (index, argument) in arguments.enumerated() {
      guard let value = expanded(argument) else { return nil }
      inner[String(index)[...]] = value
    }
    // Those that the caller has not given are empty.
    for number in 0..<10 where number >= arguments.count { inner[String(number)[...]] = "" }
    bindings = inner
    defer { bindings = outer }
    return value(of: name[...])
  }

  /// The files that patterns match, or full paths.
  private func paths(_ function: Substring, _ words: [Substring]) -> String {
    words.flatMap { word in
      if function == "wildcard" { return ShellPattern.paths(String(word), in: variables.folder) }
      let path = SourceScope.join(variables.folder, String(word))
      return function == "abspath"
        ? [SourceScope.simplified(path)] : resolvedPath(path).map { [$0] } ?? []
    }.joined(separator: " ")
  }
}

extension Substring {
  /// The text without blanks at its ends.
  var trimmingBlanks: Substring {
    var text = drop(while: \.isBlank)
    while text.last?.isBlank == true { text.removeLast() }
    return text
  }

  /// The first such character that is not inside `$(…)` or `${…}`.
  func firstOutsideReferences(where isSought: (Character) -> Bool) -> Index? {
    var depth = 0
    for index in indices {
      let character = self[index]
      if depth == 0, isSought(character) { return index }
      switch character {
      case "(", "{": depth += 1
      case ")", "}": depth = Swift.max(0, depth - 1)
      default: break
      }
    }
    return nil
  }
}
