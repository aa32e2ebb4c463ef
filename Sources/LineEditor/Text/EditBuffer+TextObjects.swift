/// Vi's text objects: what `iw`, `a"` or `i(` mean at the cursor.
extension EditBuffer {
  /// The object that a letter names.
  ///
  /// - Parameters:
  ///   - isInner: true for what is inside of the delimiters or without the white space, `i`; false for
  ///     all of it, `a`.
  ///   - count: how many words, or how many pairs of brackets outwards.
  /// - Returns: nil if there is none at the cursor, or for another letter.
  func textObject(_ letter: Unicode.Scalar, isInner: Bool, count: Int) -> Range<Int>? {
    switch letter {
    case "w": word(isBig: false, isInner: isInner, count: count)
    case "W": word(isBig: true, isInner: isInner, count: count)
    case "\"", "'", "`": quoted(Character(letter), isInner: isInner)
    case "(", ")", "b": bracketed("(", ")", isInner: isInner, count: count)
    case "[", "]": bracketed("[", "]", isInner: isInner, count: count)
    case "{", "}", "B": bracketed("{", "}", isInner: isInner, count: count)
    case "<", ">": bracketed("<", ">", isInner: isInner, count: count)
    default: nil
    }
  }

  /// The words and runs of blanks from the cursor on, each of which counts. All of a word has the
  /// blanks behind it, or if there are none, those before it.
  private func word(isBig: Bool, isInner: Bool, count: Int) -> Range<Int>? {
    let line = startOfLine(at: cursor)..<endOfLine(at: cursor)
    guard !line.isEmpty else { return nil }
    var range = run(around: min(cursor, line.upperBound - 1), isBig: isBig, in: line)
    func extend() {
      guard range.upperBound < line.upperBound else { return }
      range = range.lowerBound..<run(around: range.upperBound, isBig: isBig, in: line).upperBound
    }
    let startsBlank = isBlank(range.lowerBound)
    for number in 1...max(count, 1) {
      if number > 1 { extend() }
      guard !isInner else { continue }
      let goesOn = range.upperBound < line.upperBound
      if goesOn, startsBlank || isBlank(range.upperBound) { extend() }
    }
    if !isInner, !startsBlank, !isBlank(range.upperBound - 1), range.lowerBound > line.lowerBound,
      isBlank(range.lowerBound - 1)
    {
      let blanks = run(around: range.lowerBound - 1, isBig: isBig, in: line)
      return blanks.lowerBound..<range.upperBound
    }
    return range
  }

  private func isBlank(_ position: Int) -> Bool { characters[position].isWhitespace }

  /// The characters of one kind around a position.
  private func run(around position: Int, isBig: Bool, in line: Range<Int>) -> Range<Int> {
    let kind = kind(at: position, isBig: isBig)
    var (start, end) = (position, position + 1)
    while start > line.lowerBound, self.kind(at: start - 1, isBig: isBig) == kind { start -= 1 }
    while end < line.upperBound, self.kind(at: end, isBig: isBig) == kind { end += 1 }
    return start..<end
  }

  /// The string of the line at the cursor, or the next one behind it. With its quotes go the blanks
  /// behind them, or those before.
  private func quoted(_ quote: Character, isInner: Bool) -> Range<Int>? {
    let line = startOfLine(at: cursor)..<endOfLine(at: cursor)
    var open: Int?
    var position = line.lowerBound
    while position < line.upperBound {
      defer { position += characters[position] == "\\" ? 2 : 1 }
      guard characters[position] == quote else { continue }
      guard let start = open else {
        open = position
        continue
      }
      open = nil
      guard cursor <= position else { continue }
      return isInner ? start + 1..<position : withBlanks(start..<position + 1, in: line)
    }
    return nil
  }

  private func withBlanks(_ range: Range<Int>, in line: Range<Int>) -> Range<Int> {
    let end = characters[range.upperBound..<line.upperBound].firstIndex { !$0.isWhitespace }
    let last = end ?? line.upperBound
    if last > range.upperBound { return range.lowerBound..<last }
    let before = characters[line.lowerBound..<range.lowerBound].reversed().prefix {
      $0.isWhitespace
    }
    return range.lowerBound - before.count..<range.upperBound
  }

  /// What a pair of brackets around the cursor, or at it, encloses, over as many lines as it has.
  private func bracketed(
    _ open: Character, _ close: Character, isInner: Bool, count: Int
  ) -> Range<Int>? {
    var start = cursor
    // A bracket at the cursor belongs to the innermost pair.
    if start < characters.count, characters[start] == open { start += 1 }
    for _ in 0..<max(count, 1) {
      guard let outer = partner(of: close, open, from: start - 1, by: -1) else { return nil }
      start = outer
    }
    guard let end = partner(of: open, close, from: start + 1, by: 1) else { return nil }
    return isInner ? start + 1..<end : start..<end + 1
  }

  /// The next `bracket` in a direction that does not end a pair begun on the way.
  private func partner(
    of other: Character, _ bracket: Character, from start: Int, by step: Int
  ) -> Int? {
    var depth = 0
    var index = start
    while characters.indices.contains(index) {
      if characters[index] == bracket {
        if depth == 0 { return index }
        depth -= 1
      } else if characters[index] == other {
        depth += 1
      }
      index += step
    }
    return nil
  }
}
