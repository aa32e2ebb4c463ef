/// A Lua text as its tokens without comments, each with its text and its line.
package struct LuaCode {
  package let bytes: [UInt8]
  package let tokens: [LuaTokens.Token]
  package let texts: [String]
  /// The lines of the tokens, from 1.
  package let lines: [Int]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    tokens = LuaTokens(bytes).filter { $0.kind != .comment }
    texts = tokens.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    var (place, line) = (0, 1)
    lines = tokens.map { token in
      line += bytes[place..<token.range.lowerBound].count { $0 == UInt8(ascii: "\n") }
      place = token.range.lowerBound
      return line
    }
  }

  /// Returns the text of some tokens as it is written.
  package func text(of range: Range<Int>) -> String {
    guard let first = range.first, let last = range.last else { return "" }
    let bytes = bytes[tokens[first].range.lowerBound..<tokens[last].range.upperBound]
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the braces that open the tables which calls of a function in a line begin with.
  package func tables(givenTo function: String, inLine line: Int) -> [Int] {
    texts.indices.compactMap { index in
      guard lines[index] == line, texts[index] == function, index + 1 < texts.count else {
        return nil
      }
      let open = texts[index + 1] == "(" ? index + 2 : index + 1
      return open < texts.count && texts[open] == "{" ? open : nil
    }
  }
}

/// A table as a Lua text writes it out: its fields, in order.
package struct LuaWrittenTable {
  package struct Field {
    /// The key, if it is written out; nil for an element of the list, and for a computed key.
    package let name: String?
    /// True for an element of the list.
    package let isElement: Bool
    /// The token of the line that it begins in.
    package let start: Int
    /// The tokens of its value.
    package let value: Range<Int>
  }

  package private(set) var fields: [Field] = []
  /// The brace that ends it.
  package private(set) var end = 0

  /// Reads the table that a brace opens; nil if it does not end in this text.
  package init?(at open: Int, in code: LuaCode) {
    guard open < code.texts.count, code.texts[open] == "{" else { return nil }
    var depth = 0
    var start = open + 1
    for index in start..<code.tokens.count {
      let text = code.texts[index]
      let change = LuaBlock.change(by: text)
      if change < 0, depth == 0 {
        guard text == "}" else { return nil }
        add(start..<index, code)
        end = index
        return
      }
      depth += change
      guard depth == 0, text == "," || text == ";" else { continue }
      add(start..<index, code)
      start = index + 1
    }
    return nil
  }

  private mutating func add(_ range: Range<Int>, _ code: LuaCode) {
    guard let start = range.first else { return }
    let texts = code.texts
    let next = range.count > 2 ? texts[start + 1] : ""
    var field = Field(name: nil, isElement: true, start: start, value: range)
    if code.tokens[start].kind == .name, next == "=", texts[start + 2] != "=" {
      field = Field(
        name: texts[start], isElement: false, start: start, value: start + 2..<range.upperBound)
    } else if texts[start] == "[" {
      field = Field(name: nil, isElement: false, start: start, value: range)
    }
    fields.append(field)
  }

  /// The values of the fields with a name.
  package subscript(name: String) -> [Range<Int>] {
    fields.filter { $0.name == name }.map(\.value)
  }
}
