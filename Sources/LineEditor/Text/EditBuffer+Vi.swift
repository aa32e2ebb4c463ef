/// The places in a text that vi's motions lead to.
extension EditBuffer {
  func firstNonBlank(of position: Int) -> Int {
    let start = startOfLine(at: position)
    return start + characters[start...].prefix { $0 == " " || $0 == "\t" }.count
  }

  /// Where `f`, `F`, `t` or `T` finds a character in the line for the `count`th time.
  func position(of character: Character, _ kind: Unicode.Scalar, count: Int) -> Int? {
    let line = startOfLine(at: cursor)..<endOfLine(at: cursor)
    var position = cursor
    let isForward = kind == "f" || kind == "t"
    for _ in 0..<count {
      let found =
        isForward
        ? characters[min(position + 1, line.upperBound)..<line.upperBound]
          .firstIndex(of: character)
        : characters[line.lowerBound..<position].lastIndex(of: character)
      guard let found else { return nil }
      position = found
    }
    return kind == "t" ? position - 1 : kind == "T" ? position + 1 : position
  }

  enum Kind { case blank, word, other }

  func kind(at position: Int, isBig: Bool) -> Kind {
    let character = characters[position]
    if character.isWhitespace { return .blank }
    return isBig || EditBuffer.isWord(character) ? .word : .other
  }

  /// The next beginning of a word; a big one ends at white space only.
  func nextWord(from position: Int, isBig: Bool) -> Int {
    let count = characters.count
    guard position < count else { return count }
    var index = position
    let first = kind(at: index, isBig: isBig)
    while index < count, kind(at: index, isBig: isBig) == first, first != .blank { index += 1 }
    while index < count, kind(at: index, isBig: isBig) == .blank { index += 1 }
    return index
  }

  func previousWord(from position: Int, isBig: Bool) -> Int {
    var index = position
    while index > 0, kind(at: index - 1, isBig: isBig) == .blank { index -= 1 }
    guard index > 0 else { return 0 }
    let last = kind(at: index - 1, isBig: isBig)
    while index > 0, kind(at: index - 1, isBig: isBig) == last { index -= 1 }
    return index
  }

  func wordEnd(from position: Int, isBig: Bool) -> Int {
    let count = characters.count
    var index = position + 1
    while index < count, kind(at: index, isBig: isBig) == .blank { index += 1 }
    guard index < count else { return max(0, count - 1) }
    let first = kind(at: index, isBig: isBig)
    while index + 1 < count, kind(at: index + 1, isBig: isBig) == first { index += 1 }
    return index
  }

  /// The partner of the bracket at the cursor, or of the next one in the line.
  func matchingBracket() -> Int? {
    let pairs: [Character: (partner: Character, step: Int)] = [
      "(": (")", 1), "[": ("]", 1), "{": ("}", 1), ")": ("(", -1), "]": ("[", -1), "}": ("{", -1),
    ]
    let end = endOfLine(at: cursor)
    guard
      let start = characters[cursor..<end].firstIndex(where: { pairs[$0] != nil }),
      let pair = pairs[characters[start]]
    else { return nil }
    var depth = 0
    var index = start
    while characters.indices.contains(index) {
      if characters[index] == characters[start] { depth += 1 }
      if characters[index] == pair.partner { depth -= 1 }
      if depth == 0 { return index }
      index += pair.step
    }
    return nil
  }
}
