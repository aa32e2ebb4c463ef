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
      case .computed(let field): "its '\(field.rawValue)' is not a list of plain strings"
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
    let table = try EditedTable(bytes, line: line)
    guard let title = table["name"]?.onlyElement, table.texts(title) == [name] else {
      throw .otherName
    }
    let texts = patterns.map(\.inLua)
    guard let value = table[field.rawValue] else {
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
private struct EditedTable {
  private let code: LuaCode
  private let table: LuaWrittenTable

  var tokens: [LuaTokens.Token] { code.tokens }

  init(_ bytes: [UInt8], line: Int) throws(DefinitionEdit.Refusal) {
    code = LuaCode(bytes)
    let starts = code.tables(givenTo: "command", inLine: line)
    guard let start = starts.first else { throw .noTable }
    guard starts.count == 1 else { throw .severalTables }
    guard let table = LuaWrittenTable(at: start, in: code),
      !code.tokens[..<table.end].contains(where: { $0.kind == .unfinished })
    else { throw .noTable }
    self.table = table
  }

  /// The tokens of the last value with a name.
  subscript(name: String) -> Range<Int>? { table[name].last }

  func isRepeated(_ name: String) -> Bool { table[name].count > 1 }

  /// The texts that a value is: one, or a list of them; nil for anything else.
  func texts(_ value: Range<Int>) -> [String]? {
    guard let first = value.first, let last = value.last else { return nil }
    if value.count == 1 { return text(first).map { [$0] } }
    guard code.texts[first] == "{", code.texts[last] == "}" else { return nil }
    var texts: [String] = []
    for (place, index) in value.dropFirst().dropLast().enumerated() {
      if place % 2 == 1 {
        guard [",", ";"].contains(code.texts[index]) else { return nil }
      } else {
        guard let text = text(index) else { return nil }
        texts.append(text)
      }
    }
    return texts
  }

  /// The text of a string in quotes, in which backslashes escape only quotes and themselves.
  private func text(_ index: Int) -> String? {
    let token = tokens[index]
    guard token.kind == .string, code.bytes[token.range.lowerBound] != UInt8(ascii: "[") else {
      return nil
    }
    var content: [UInt8] = []
    var rest = code.bytes[token.range].dropFirst().dropLast()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst(), "\\\"'".utf8.contains(escaped) else { return nil }
        content.append(escaped)
      } else {
        content.append(byte)
      }
    }
    return String(exactly: content)
  }
}

extension Range<Int> {
  fileprivate var onlyElement: Range<Int>? { count == 1 ? self : nil }
}
