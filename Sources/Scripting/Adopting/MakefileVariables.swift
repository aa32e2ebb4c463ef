import Platform

/// The variables of a Makefile, so that names of targets and conditions can be read.
///
/// What a shell computes stays unknown, and what depends on a condition that is unknown.
struct MakefileVariables {
  enum Value {
    case unknown
    /// A text whose references are expanded.
    case plain(String)
    /// A text whose references are expanded when it is used.
    case recursive(String)
  }

  /// The folder in which make works, as a full path.
  let folder: String
  private var values: [Substring: Value] = [:]
  /// True after an include that cannot be followed, which may set anything.
  private(set) var isOpen = false
  /// The number of bytes and references that expansions may still compute.
  private(set) var left = 1 << 24

  init(folder: String) {
    self.folder = resolvedPath(folder) ?? folder
    values["CURDIR"] = .plain(self.folder)
  }

  /// Notes that an include is left out.
  mutating func addUnknown() { isOpen = true }

  /// Notes that make reads a file.
  mutating func add(file name: String) {
    guard case .plain(let names)? = values["MAKEFILE_LIST"] else {
      values["MAKEFILE_LIST"] = .plain(name)
      return
    }
    values["MAKEFILE_LIST"] = .plain("\(names) \(name)")
  }

  /// A variable that nothing sets has the value that it has in the environment, or none.
  subscript(name: Substring) -> Value {
    if let value = values[name] { return value }
    if isOpen || Self.isOfMake(name) { return .unknown }
    guard let value = ProcessEnvironment.value(of: String(name)) else { return .plain("") }
    return value.contains("$") ? .unknown : .plain(value)
  }

  /// True for variables that make sets itself, such as `MAKECMDGOALS`, `CC` and `@`.
  private static func isOfMake(_ name: Substring) -> Bool {
    guard let first = name.first, first.isLetter || first == "_" else { return true }
    return name.hasPrefix("MAKE") || builtIn.contains(name)
  }

  private static let builtIn: Set<Substring> = [
    "AR", "AS", "CC", "CO", "CPP", "CTANGLE", "CWEAVE", "CXX", "FC", "F77", "GET", "LD", "LEX",
    "LINT", "M2C", "OBJC", "PC", "RM", "SHELL", "TANGLE", "TEX", "TEXI2DVI", "WEAVE", "YACC",
  ]

  /// Takes an assignment.
  ///
  /// - Parameter isCertain: false below a conditional that is unknown.
  /// - Returns: true if the line is an assignment.
  mutating func assign(_ line: Substring, isCertain: Bool) -> Bool {
    guard let mark = line.firstOutsideReferences(where: { $0 == "=" || $0 == ":" }) else {
      return false
    }
    let colons = line[mark...].prefix { $0 == ":" }
    guard line[mark] == "=" || line[colons.endIndex...].first == "=" else { return false }
    var target = line[..<mark]
    let operation = target.last.flatMap { "?+!".contains($0) ? $0 : nil }
    if operation != nil { target = target.dropLast() }
    guard let word = target.trimmingBlanks.split(whereSeparator: \.isBlank).last else {
      return true
    }
    guard let name = word.contains("$") ? expanded(word).map({ $0[...] }) : word else {
      return true
    }
    let text = line[colons.endIndex...].dropFirst().drop(while: \.isBlank)
    set(name, to: text, operation, isExpanded: !colons.isEmpty, isCertain: isCertain)
    return true
  }

  /// Takes the lines between `define` and `endef`.
  mutating func define(_ line: Substring, _ text: String, isCertain: Bool) {
    var words = line.split(whereSeparator: \.isBlank)
    while let first = words.first, first != "define" { words.removeFirst() }
    guard words.count > 1 else { return }
    let isExpanded = words.count > 2 && words[2].hasPrefix(":")
    set(words[1], to: text[...], nil, isExpanded: isExpanded, isCertain: isCertain)
  }

  private mutating func set(
    _ name: Substring, to text: Substring, _ operation: Character?, isExpanded: Bool,
    isCertain: Bool
  ) {
    guard isCertain, operation != "!" else { return values[name] = .unknown }
    switch operation {
    case "?":
      // One that the environment has stays as it is.
      if values[name] != nil || ProcessEnvironment.value(of: String(name)) != nil { return }
      values[name] = .recursive(String(text))
    case "+":
      switch self[name] {
      case .unknown: break
      case .recursive(let earlier): values[name] = .recursive("\(earlier) \(text)")
      case .plain(let earlier):
        if values[name] == nil {
          values[name] = .recursive(earlier.isEmpty ? String(text) : "\(earlier) \(text)")
        } else {
          values[name] = expanded(text).map { .plain("\(earlier) \($0)") } ?? .unknown
        }
      }
    default:
      // `:=` has the value of now.
      values[name] =
        isExpanded ? expanded(text).map { .plain($0) } ?? .unknown : .recursive(String(text))
    }
  }

  /// The words of a text with the values of its variables. One that has an unknown value keeps its `$`.
  mutating func words(of text: Substring) -> [String] {
    var words: [String] = []
    var rest = text.drop(while: \.isBlank)
    while !rest.isEmpty {
      let end = rest.firstOutsideReferences(where: \.isBlank) ?? rest.endIndex
      let word = rest[..<end]
      rest = rest[end...].drop(while: \.isBlank)
      if word.contains("$"), let value = expanded(word) {
        words += MakefileFunctions.words(of: value).map(String.init)
      } else {
        words.append(String(word))
      }
    }
    return words
  }

  /// Returns a text with the values of its variables; nil if one is unknown, or if there are too many.
  mutating func expanded(_ text: Substring) -> String? {
    var expansion = MakefileExpansion(self)
    defer { left = expansion.left }
    return expansion.expanded(text)
  }

  /// The lines of the file that `eval` makes of a line.
  mutating func evaluated(_ line: Substring) -> [String] {
    var expansion = MakefileExpansion(self, withLines: true)
    defer { left = expansion.left }
    _ = expansion.expanded(line)
    return expansion.lines ?? []
  }

  /// The value of a condition: `ifdef NAME`, `ifeq (A,B)`, `ifneq "A" "B"`; nil if it is unknown.
  mutating func condition(_ line: Substring) -> Bool? {
    let directive = line.prefix { !$0.isBlank }
    let text = line[directive.endIndex...]
    let isPositive = directive == "ifdef" || directive == "ifeq"
    if directive == "ifdef" || directive == "ifndef" {
      guard let name = expanded(text.trimmingBlanks) else { return nil }
      switch self[name[...]] {
      case .unknown: return nil
      case .plain(let text), .recursive(let text): return text.isEmpty != isPositive
      }
    }
    guard let (first, second) = Self.operands(of: text.trimmingBlanks),
      let left = expanded(first), let right = expanded(second)
    else { return nil }
    return (left == right) == isPositive
  }

  /// The two texts of a comparison.
  private static func operands(of text: Substring) -> (Substring, Substring)? {
    if text.first == "(" {
      let inner = text.dropFirst()
      guard let comma = inner.firstOutsideReferences(where: { $0 == "," }) else { return nil }
      let second = inner[inner.index(after: comma)...]
      guard let end = second.firstOutsideReferences(where: { $0 == ")" }) else { return nil }
      return (inner[..<comma].trimmingBlanks, second[..<end].trimmingBlanks)
    }
    var rest = text
    var operands: [Substring] = []
    while operands.count < 2, let quote = rest.first, quote == "\"" || quote == "'" {
      guard let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
      operands.append(rest[..<end].dropFirst())
      rest = rest[end...].dropFirst().drop(while: \.isBlank)
    }
    return operands.count == 2 ? (operands[0], operands[1]) : nil
  }
}

extension Character {
  /// True for the characters that separate words.
  var isBlank: Bool { self == " " || self == "\t" }
}
