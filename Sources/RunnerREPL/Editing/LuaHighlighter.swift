import LineEditor
import LuaRuntime
import RunnerCore

/// Computes the highlighting of a Lua text.
struct LuaHighlighter {
  /// Returns true if a global name has a value.
  let isKnown: (String) -> Bool

  private static let keywords = Set(LuaMembers.keywords)

  func highlights(of buffer: EditBuffer) -> [StyledRange] {
    let bytes = Array(buffer.text.utf8)
    let positions = CharacterPositions(buffer)
    var ranges: [StyledRange] = []
    var brackets = BracketPairs()
    let tokens = Array(LuaTokens(bytes))
    let locals = declaredNames(bytes, tokens)
    for (index, token) in tokens.enumerated() {
      let range = positions.range(of: token.range)
      switch token.kind {
      case .comment: ranges.append(StyledRange(range, .comment))
      case .string, .unfinished: ranges.append(StyledRange(range, .string))
      case .number: ranges.append(StyledRange(range, .number))
      case .name:
        let name = String(decoding: bytes[token.range], as: UTF8.self)
        if Self.keywords.contains(name) {
          ranges.append(StyledRange(range, .keyword))
        } else if isGlobal(tokens, index, bytes), !locals.contains(name), !isKnown(name) {
          ranges.append(StyledRange(range, .unknown))
        }
      case .symbol: brackets.add(bytes[token.range.lowerBound], at: range.lowerBound, &ranges)
      }
    }
    brackets.finish(cursor: buffer.cursor, &ranges)
    return ranges
  }

  /// True if a name is a variable: not a field, a method or a key of a table.
  private func isGlobal(_ tokens: [LuaTokens.Token], _ index: Int, _ bytes: [UInt8]) -> Bool {
    let symbol = { (index: Int) -> UInt8? in
      guard tokens.indices.contains(index), tokens[index].kind == .symbol else { return nil }
      return bytes[tokens[index].range.lowerBound]
    }
    if let before = symbol(index - 1), [UInt8(ascii: "."), UInt8(ascii: ":")].contains(before) {
      // Two dots concatenate strings.
      return before == UInt8(ascii: ".") && symbol(index - 2) == before
    }
    return symbol(index + 1) != UInt8(ascii: "=")
  }

  /// The names that the text declares or assigns.
  private func declaredNames(_ bytes: [UInt8], _ tokens: [LuaTokens.Token]) -> Set<String> {
    var names: Set<String> = ["self"]
    var isDeclaring = false
    var isParameterList = false
    for (index, token) in tokens.enumerated() {
      let text = String(decoding: bytes[token.range], as: UTF8.self)
      switch (token.kind, text) {
      case (.name, "local"), (.name, "for"): isDeclaring = true
      case (.name, "function"):
        isDeclaring = true
        isParameterList = true
      case (.symbol, ")"):
        isDeclaring = false
        isParameterList = false
      case (.symbol, "="):
        if index > 0, tokens[index - 1].kind == .name {
          names.insert(String(decoding: bytes[tokens[index - 1].range], as: UTF8.self))
        }
        if !isParameterList { isDeclaring = false }
      case (.name, "in"): isDeclaring = false
      case (.name, _):
        if isDeclaring { names.insert(text) }
      default: break
      }
    }
    return names
  }
}

/// Maps byte positions to the characters of a buffer.
private struct CharacterPositions {
  private var positions: [Int] = []

  init(_ buffer: EditBuffer) {
    positions.reserveCapacity(buffer.characters.count + 1)
    for (index, character) in buffer.characters.enumerated() {
      for _ in 0..<character.utf8.count { positions.append(index) }
    }
    positions.append(buffer.characters.count)
  }

  func range(of bytes: Range<Int>) -> Range<Int> {
    positions[bytes.lowerBound]..<positions[bytes.upperBound]
  }
}

/// Finds brackets without a partner, and the pair at the cursor.
private struct BracketPairs {
  private var open: [(byte: UInt8, position: Int)] = []
  private var pairs: [(Int, Int)] = []

  mutating func add(_ byte: UInt8, at position: Int, _ ranges: inout [StyledRange]) {
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append((byte, position))
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      guard let last = open.last, Self.partner(of: last.byte) == byte else {
        ranges.append(StyledRange(position..<position + 1, .error))
        return
      }
      open.removeLast()
      pairs.append((last.position, position))
    default: break
    }
  }

  private static func partner(of byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "("): UInt8(ascii: ")")
    case UInt8(ascii: "["): UInt8(ascii: "]")
    default: UInt8(ascii: "}")
    }
  }

  /// Marks the pair whose bracket is at the cursor or right before it.
  func finish(cursor: Int, _ ranges: inout [StyledRange]) {
    let pair =
      pairs.first { $0.0 == cursor || $0.1 == cursor }
      ?? pairs.first { $0.0 == cursor - 1 || $0.1 == cursor - 1 }
    guard let pair else { return }
    ranges += [pair.0, pair.1].map { StyledRange($0..<$0 + 1, .match) }
    ranges.sort { $0.range.lowerBound < $1.range.lowerBound }
  }
}
