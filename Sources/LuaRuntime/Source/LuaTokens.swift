/// The tokens of a Lua text, as far as an editor or a check needs them: names, and the parts that are
/// not code.
package struct LuaTokens: Sequence, IteratorProtocol {
  package struct Token {
    package enum Kind {
      case name, number, string, comment
      case symbol
      /// A string or comment that does not end in this text.
      case unfinished
    }

    package let kind: Kind
    package let range: Range<Int>
  }

  package let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package func text(_ token: Token) -> String {
    String(decoding: bytes[token.range], as: UTF8.self)
  }

  package mutating func next() -> Token? {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    guard position < bytes.count else { return nil }
    let start = position
    let kind = scan()
    return Token(kind: kind, range: start..<position)
  }

  private mutating func scan() -> Token.Kind {
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return scanQuoted()
    case UInt8(ascii: "["):
      guard let level = longBracket(at: position) else { break }
      return scanLong(level, as: .string)
    case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
      if let level = longBracket(at: position + 2) {
        position += 2
        return scanLong(level, as: .comment)
      }
      while position < bytes.count, bytes[position] != 10 { position += 1 }
      return .comment
    case let byte where Self.isName(byte):
      let isNumber = Self.isDigit(byte)
      while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
      return isNumber ? .number : .name
    default: break
    }
    position += 1
    return .symbol
  }

  private mutating func scanQuoted() -> Token.Kind {
    let quote = bytes[position]
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case quote:
        position += 1
        return .string
      case UInt8(ascii: "\\"): position = Swift.min(position + 2, bytes.count)
      case 10: return .unfinished
      default: position += 1
      }
    }
    return .unfinished
  }

  /// The number of `=` in an opening long bracket at a position.
  private func longBracket(at start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
    var end = start + 1
    while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
    return end < bytes.count && bytes[end] == UInt8(ascii: "[") ? end - start - 1 : nil
  }

  private mutating func scanLong(_ level: Int, as kind: Token.Kind) -> Token.Kind {
    position += level + 2
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "]") {
        var end = position + 1
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        if end - position - 1 == level, end < bytes.count, bytes[end] == UInt8(ascii: "]") {
          position = end + 1
          return kind
        }
      }
      position += 1
    }
    return .unfinished
  }

  private func peek(_ offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  /// True if a text is a name or a keyword.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    return !isDigit(first) && text.utf8.allSatisfy(isName)
  }

  package static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
  package static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
  package static func isName(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == 95 || (65...90).contains(byte) || (97...122).contains(byte)
  }
}
