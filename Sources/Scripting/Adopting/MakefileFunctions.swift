import Platform

/// Functions of make that compute with nothing but text.
enum MakefileFunctions {
  /// The names of all functions with the number of their arguments: the last one has the commas that
  /// remain. Functions that are missing here stay unknown: `shell`, `file` and others.
  static let arities: [Substring: Int] = [
    "subst": 3, "patsubst": 3, "strip": 1, "findstring": 2, "filter": 2, "filter-out": 2, "sort": 1,
    "word": 2, "wordlist": 3, "words": 1, "firstword": 1, "lastword": 1, "dir": 1, "notdir": 1,
    "suffix": 1, "basename": 1, "addsuffix": 2, "addprefix": 2, "join": 2, "wildcard": 1,
    "abspath": 1, "realpath": 1, "if": 3, "or": .max, "and": .max, "foreach": 3, "call": .max,
    "eval": 1, "info": 1, "warning": 1,
  ]

  /// The limit of the length of the last argument times that of the others, in bytes.
  private static let greatestProduct = 1 << 26

  /// Returns the value of a function for arguments that are expanded; nil for one that needs more than
  /// text.
  static func value(of name: Substring, _ arguments: [String]) -> String? {
    let words = words(of: arguments.last ?? "")
    guard arguments.count > 1 else { return value(of: name, of: words) }
    // Each word may become as long as the others together: foreign files must not take all memory.
    let others = arguments.dropLast().reduce(0) { $0 + $1.utf8.count }
    guard others * (arguments.last ?? "").utf8.count <= greatestProduct else { return nil }
    switch name {
    case "subst": return replaced(arguments)
    case "patsubst" where arguments.count == 3:
      let (old, new) = (stripped(arguments[0]), stripped(arguments[1]))
      return words.map { MakefilePattern(old).replaced($0, by: new) ?? String($0) }.asWords
    case "findstring": return arguments[1].contains(arguments[0]) ? arguments[0] : ""
    case "filter", "filter-out": return filtered(words, arguments[0], isKept: name == "filter")
    case "word":
      guard let number = Int(stripped(arguments[0])), number > 0 else { return nil }
      return number <= words.count ? String(words[number - 1]) : ""
    case "wordlist" where arguments.count == 3:
      guard let first = Int(stripped(arguments[0])), let last = Int(stripped(arguments[1])),
        first > 0
      else { return nil }
      return words.prefix(max(0, last)).dropFirst(first - 1).joined(separator: " ")
    case "addsuffix": return words.map { $0 + arguments[0] }.asWords
    case "addprefix": return words.map { arguments[0] + $0 }.asWords
    case "join":
      let first = self.words(of: arguments[0])
      return (0..<max(first.count, words.count)).map { index in
        (index < first.count ? String(first[index]) : "")
          + (index < words.count ? String(words[index]) : "")
      }.asWords
    default: return nil
    }
  }

  private static func value(of name: Substring, of words: [Substring]) -> String? {
    switch name {
    case "strip": words.map(String.init).asWords
    case "sort":
      Set(words).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(String.init)
        .asWords
    case "words": String(words.count)
    case "firstword": words.first.map(String.init) ?? ""
    case "lastword": words.last.map(String.init) ?? ""
    case "dir": words.map { $0.cut(atLast: "/").map { "\($0.before)/" } ?? "./" }.asWords
    case "notdir": words.map { String($0.cut(atLast: "/")?.after ?? $0) }.asWords
    case "suffix": words.compactMap { ending(of: $0).map(String.init) }.asWords
    case "basename": words.map { String($0.dropLast(ending(of: $0)?.count ?? 0)) }.asWords
    case "info", "warning": ""
    default: nil
    }
  }

  static func words(of text: some StringProtocol) -> [Substring] {
    Substring(text).split { $0.isBlank || $0.isNewline }
  }

  static func stripped(_ text: String) -> String { words(of: text).map(String.init).asWords }

  private static func replaced(_ arguments: [String]) -> String? {
    guard arguments.count == 3, !arguments[0].isEmpty else { return nil }
    var result = ""
    var rest = arguments[2][...]
    while let found = rest.firstRange(of: arguments[0]) {
      result += rest[..<found.lowerBound] + arguments[1]
      rest = rest[found.upperBound...]
    }
    return result + rest
  }

  private static func filtered(
    _ words: [Substring], _ patterns: String, isKept: Bool
  ) -> String? {
    let patterns = self.words(of: patterns).map { MakefilePattern(String($0)) }
    guard words.count * patterns.count < 100_000 else { return nil }
    return words.filter { word in patterns.contains { $0.matches(word) } == isKept }
      .map(String.init).asWords
  }

  /// The dot of the last name and what follows; nil if it has none.
  private static func ending(of word: Substring) -> Substring? {
    let name = word.cut(atLast: "/")?.after ?? word
    return name.lastIndex(of: ".").map { name[$0...] }
  }
}

/// A pattern with one `%`, or a plain word.
struct MakefilePattern {
  private let before: Substring
  /// Nil for a plain word.
  private let after: Substring?

  init(_ text: String) {
    let parts = text[...].cut(atFirst: "%")
    (before, after) = (parts?.before ?? text[...], parts?.after)
  }

  func matches(_ word: Substring) -> Bool { stem(of: word) != nil }

  /// Returns what another pattern makes of a word; nil if this one does not match.
  func replaced(_ word: Substring, by pattern: String) -> String? {
    guard let stem = stem(of: word) else { return nil }
    guard after != nil, let (before, after) = pattern[...].cut(atFirst: "%") else { return pattern }
    return "\(before)\(stem)\(after)"
  }

  private func stem(of word: Substring) -> Substring? {
    guard let after else { return word == before ? "" : nil }
    guard word.count >= before.count + after.count, word.hasPrefix(before), word.hasSuffix(after)
    else { return nil }
    return word.dropFirst(before.count).dropLast(after.count)
  }
}

extension [String] {
  fileprivate var asWords: String { joined(separator: " ") }
}
