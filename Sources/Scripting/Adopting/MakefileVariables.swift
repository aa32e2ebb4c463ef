/// The variables of a Makefile whose values are plain text, so that names of targets can be read.
///
/// Functions, values of the environment and what a conditional decides stay unknown.
struct MakefileVariables {
  /// The text of a value; nil if it is unknown.
  private var values: [Substring: String?] = [:]

  /// Takes an assignment.
  ///
  /// - Parameter isCertain: false below a conditional, whose variables have either value.
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
    guard let name = target.split(whereSeparator: Self.isSpace).last else { return true }
    let text = line[colons.endIndex...].dropFirst().drop(while: Self.isSpace)
    let isKnown = values[name] != nil
    if !isCertain {
      values[name] = .some(nil)
    } else if operation == "+", let known = values[name] {
      values[name] = .some(known.map { "\($0) \(text)" })
    } else if operation == "!" {
      values[name] = .some(nil)
    } else if operation != "?" || !isKnown {
      // `:=` has the value of now.
      values[name] = .some(colons.isEmpty ? String(text) : expanded(text))
    }
    return true
  }

  /// The words of a text with the values of its variables. One that has an unknown value keeps its `$`.
  func words(of text: Substring) -> [String] {
    var words: [String] = []
    var rest = text.drop(while: Self.isSpace)
    while !rest.isEmpty {
      let end = rest.firstOutsideReferences(where: Self.isSpace) ?? rest.endIndex
      let word = rest[..<end]
      rest = rest[end...].drop(while: Self.isSpace)
      if word.contains("$"), let value = expanded(word) {
        words += value.split(whereSeparator: Self.isSpace).map(String.init)
      } else {
        words.append(String(word))
      }
    }
    return words
  }

  private static func isSpace(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }

  /// Returns a text with the values of its variables; nil if one is unknown, or if there are too many.
  private func expanded(_ text: Substring) -> String? {
    var left = 1_000
    return expanded(text, &left)
  }

  /// - Parameter left: the number of references that may still be followed.
  private func expanded(_ text: Substring, _ left: inout Int) -> String? {
    var result = ""
    var rest = text
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      guard let open = rest.first, open == "(" || open == "{",
        let end = rest.firstIndex(of: open == "(" ? ")" : "}"),
        let value = value(of: rest[..<end].dropFirst(), &left)
      else { return nil }
      result += value
      // A value of a megabyte is no name of a target.
      guard result.utf8.count < 65_536 else { return nil }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// The value of a reference: `NAME`, or `NAME:OLD=NEW`, which replaces the ends of its words.
  private func value(of reference: Substring, _ left: inout Int) -> String? {
    guard left > 0 else { return nil }
    left -= 1
    guard let (name, change) = reference.cut(atFirst: ":") else {
      guard case let text?? = values[reference] else { return nil }
      return expanded(text[...], &left)
    }
    guard let value = value(of: name, &left),
      let (old, new) = change.cut(atFirst: "="), !change.contains("$")
    else { return nil }
    let (before, after) = old.cut(atFirst: "%") ?? ("", old)
    return value.split(whereSeparator: Self.isSpace).map { word in
      guard word.count >= before.count + after.count, word.hasPrefix(before), word.hasSuffix(after)
      else { return String(word) }
      let stem = word.dropFirst(before.count).dropLast(after.count)
      guard old.contains("%") else { return "\(stem)\(new)" }
      return new.cut(atFirst: "%").map { "\($0.before)\(stem)\($0.after)" } ?? String(new)
    }.joined(separator: " ")
  }
}

extension Substring {
  /// The first such character that is not inside `$(…)` or `${…}`.
  func firstOutsideReferences(where isSought: (Character) -> Bool) -> Index? {
    var depth = 0
    for index in indices {
      switch self[index] {
      case "(", "{": depth += 1
      case ")", "}": depth -= 1
      case let character where depth == 0 && isSought(character): return index
      default: break
      }
    }
    return nil
  }
}
