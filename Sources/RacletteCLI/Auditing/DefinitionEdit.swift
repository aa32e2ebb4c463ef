import LuaRuntime
import Platform
import Scripting

/// A change of the patterns in the definition of a command, in the text of its file. It takes only a
/// table that is written out where the command is defined, and a field of plain texts in it.
struct DefinitionEdit {
  /// Why a definition is left as it is.
  enum Refusal: Error, CustomStringConvertible {
    case noTable
    case severalTables
    case otherName
    case computed(FileField)

    var description: String {
      switch self {
      case .noTable: "its table is not written out there"
      case .severalTables: "several commands are defined in that line"
      case .otherName: "its name is not written out there"
      case .computed(let field): "its '\(field.rawValue)' is no list of plain texts"
      }
    }
  }

  private(set) var bytes: [UInt8]
  private let line: Int
  private let name: String

  init(_ bytes: [UInt8], line: Int, name: String) {
    (self.bytes, self.line, self.name) = (bytes, line, name)
  }

  /// Adds patterns to a field.
  ///
  /// - Parameter known: the patterns that it has, without wildcards of ours.
  mutating func add(
    _ patterns: [String], to field: FileField, having known: [String]
  ) throws(Refusal) {
    let table = try LuaTable(bytes, line: line)
    guard let title = table.fields["name"]?.onlyElement, table.texts(title) == [name] else {
      throw .otherName
    }
    let texts = patterns.map(\.inLua)
    guard let value = table.fields[field.rawValue] else {
      guard known.isEmpty, !table.isRepeated(field.rawValue) else { throw .computed(field) }
      let end = table.tokens[title.upperBound - 1].range.upperBound
      return insert(", \(field.rawValue) = {\(texts.joined(separator: ", "))}", at: end)
    }
    guard !table.isRepeated(field.rawValue), table.texts(value) == known else {
      throw .computed(field)
    }
    let first = table.tokens[value.lowerBound]
    if first.kind == .string {
      insert(", \(texts.joined(separator: ", "))}", at: first.range.upperBound)
      insert("{", at: first.range.lowerBound)
    } else if let last = value.last(where: { table.tokens[$0].kind == .string }) {
      insert(", " + texts.joined(separator: ", "), at: table.tokens[last].range.upperBound)
    } else {
      insert(texts.joined(separator: ", "), at: first.range.upperBound)
    }
  }

  private mutating func insert(_ text: String, at place: Int) {
    bytes.insert(contentsOf: text.utf8, at: place)
  }
}

/// The table of the only call in a line that defines a command.
private struct LuaTable {
  let tokens: [LuaTokens.Token]
  private let bytes: [UInt8]
  /// The tokens of the fields' values, by the names that are written out.
  private(set) var fields: [String: Range<Int>] = [:]
  private var repeated: Set<String> = []

  init(_ bytes: [UInt8], line: Int) throws(DefinitionEdit.Refusal) {
    self.bytes = bytes
    let tokens = LuaTokens(bytes).filter { $0.kind != .comment }
    self.tokens = tokens
    let texts = tokens.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    var (place, number) = (0, 1)
    var starts: [Int] = []
    for (index, token) in tokens.enumerated() {
      number += bytes[place..<token.range.lowerBound].count { $0 == 10 }
      place = token.range.lowerBound
      guard number == line, texts[index] == "command", index + 1 < tokens.count else { continue }
      let open = texts[index + 1] == "(" ? index + 2 : index + 1
      guard open < tokens.count, texts[open] == "{" else { continue }
      starts.append(open)
    }
    guard let start = starts.first else { throw .noTable }
    guard starts.count == 1 else { throw .severalTables }
    guard let end = readFields(from: start + 1, texts),
      !tokens[..<end].contains(where: {
        $0.kind == .unfinished
      })
    else { throw .noTable }
  }

  /// - Returns: the position of the brace that ends the table.
  private mutating func readFields(from start: Int, _ texts: [String]) -> Int? {
    var depth = 0
    var field = start
    for index in start..<tokens.count
    where tokens[index].kind == .symbol || tokens[index].kind == .name {
      switch texts[index] {
      case "{", "(", "[": depth += 1
      case "function", "do", "if", "repeat": depth += 1
      case "end", "until": depth -= 1
      case "}" where depth == 0:
        note(field..<index, texts)
        return index
      case "}", ")", "]": depth -= 1
      case ",", ";":
        guard depth == 0 else { continue }
        note(field..<index, texts)
        field = index + 1
      default: break
      }
    }
    return nil
  }

  private mutating func note(_ range: Range<Int>, _ texts: [String]) {
    guard range.count > 2, tokens[range.lowerBound].kind == .name,
      texts[range.lowerBound + 1] == "="
    else { return }
    let value = (range.lowerBound + 2)..<range.upperBound
    if fields.updateValue(value, forKey: texts[range.lowerBound]) != nil {
      repeated.insert(texts[range.lowerBound])
    }
  }

  func isRepeated(_ name: String) -> Bool { repeated.contains(name) }

  /// The texts that a value is: one, or a list of them; nil for anything else.
  func texts(_ value: Range<Int>) -> [String]? {
    guard let first = value.first, let last = value.last else { return nil }
    if value.count == 1 { return text(first).map { [$0] } }
    guard byte(first) == UInt8(ascii: "{"), byte(last) == UInt8(ascii: "}") else { return nil }
    var texts: [String] = []
    for (place, index) in value.dropFirst().dropLast().enumerated() {
      if place % 2 == 1 {
        guard byte(index) == UInt8(ascii: ",") || byte(index) == UInt8(ascii: ";") else {
          return nil
        }
      } else {
        guard let text = text(index) else { return nil }
        texts.append(text)
      }
    }
    return texts
  }

  private func byte(_ index: Int) -> UInt8? {
    tokens[index].range.count == 1 ? bytes[tokens[index].range.lowerBound] : nil
  }

  /// The text of a string in quotes without escapes.
  private func text(_ index: Int) -> String? {
    let token = tokens[index]
    let content = bytes[token.range].dropFirst().dropLast()
    guard token.kind == .string, bytes[token.range.lowerBound] != UInt8(ascii: "["),
      !content.contains(UInt8(ascii: "\\"))
    else { return nil }
    return String(exactly: Array(content))
  }
}

extension Range<Int> {
  fileprivate var onlyElement: Range<Int>? { count == 1 ? self : nil }
}
