/// Vi's operators, which wait for a motion or a character, and the motions.
extension Editor {
  func finishAwaited(_ kind: Unicode.Scalar, _ character: Character) -> EditorOutcome {
    let count = vi?.count ?? 1
    vi?.awaiting = nil
    if character == "\u{1B}" {
      vi?.reset()
      return .none
    }
    if kind == "r" {
      vi?.reset()
      let end = buffer.cursor + count
      guard end <= buffer.endOfLine(at: buffer.cursor) else { return .beep }
      change(.other) {
        $0.replace($0.cursor..<end, with: String(repeating: character, count: count))
        $0.moveCursor(to: $0.cursor - 1)
      }
      return .none
    }
    if let pending = vi?.pendingOperator, kind == "i" || kind == "a" {
      vi?.reset()
      guard let letter = character.unicodeScalars.first,
        let range = buffer.textObject(
          letter, isInner: kind == "i", count: (pending.count ?? 1) * count)
      else { return .beep }
      return apply(pending.letter, to: range)
    }
    vi?.lastFind = (kind, character)
    return find(kind, character, count: count)
  }

  private func find(_ kind: Unicode.Scalar, _ character: Character, count: Int) -> EditorOutcome {
    let pending = vi?.pendingOperator
    vi?.reset()
    guard let position = buffer.position(of: character, kind, count: count) else { return .beep }
    let isForward = kind == "f" || kind == "t"
    guard let pending else {
      move(to: position)
      return .none
    }
    let range =
      isForward ? buffer.cursor..<position + 1 : position..<buffer.cursor
    return apply(pending.letter, to: range)
  }

  func finishOperator(
    _ pending: (letter: Unicode.Scalar, count: Int?), _ scalar: Unicode.Scalar
  ) -> EditorOutcome {
    let count = (pending.count ?? 1) * (vi?.count ?? 1)
    vi?.reset()
    if scalar == pending.letter { return applyToLines(scalar, count: count) }
    if pending.letter == "c", scalar == "w" || scalar == "W",
      let end = endOfChangedWord(isBig: scalar == "W", count: count)
    {
      return apply("c", to: buffer.cursor..<end)
    }
    guard let target = viMotion(scalar, count: count) else { return .beep }
    let bounds = [buffer.cursor, target.position].sorted()
    let end = min(bounds[1] + (target.isInclusive ? 1 : 0), buffer.characters.count)
    return apply(pending.letter, to: bounds[0]..<end)
  }

  /// The end of what `cw` changes on a word: unlike `dw`, it stops before the white space.
  private func endOfChangedWord(isBig: Bool, count: Int) -> Int? {
    guard buffer.cursor < buffer.characters.count,
      !buffer.characters[buffer.cursor].isWhitespace
    else { return nil }
    let last = (0..<count).reduce(buffer.cursor - 1) { position, _ in
      buffer.wordEnd(from: position, isBig: isBig)
    }
    return last + 1
  }

  private func apply(_ letter: Unicode.Scalar, to range: Range<Int>) -> EditorOutcome {
    if letter == "y" {
      killRing.kill(buffer.text(in: range), .forward, joining: false)
      move(to: range.lowerBound)
      return .none
    }
    lastCommand = nil
    kill(range)
    move(to: range.lowerBound)
    if letter == "c" { vi?.isInserting = true }
    return .none
  }

  private func applyToLines(_ letter: Unicode.Scalar, count: Int) -> EditorOutcome {
    let start = buffer.startOfLine(at: buffer.cursor)
    var end = buffer.endOfLine(at: buffer.cursor)
    for _ in 1..<max(1, count) where end < buffer.characters.count {
      end = buffer.endOfLine(at: end + 1)
    }
    if letter == "c" { return apply("c", to: buffer.firstNonBlank(of: start)..<end) }
    killRing.kill(buffer.text(in: start..<end) + "\n", .forward, joining: false)
    guard letter == "d" else { return .none }
    let range =
      end < buffer.characters.count ? start..<end + 1 : max(0, start - 1)..<end
    change(.other) { $0.remove(range) }
    move(to: buffer.firstNonBlank(of: min(start, buffer.characters.count)))
    return .none
  }

  func viMotion(
    _ scalar: Unicode.Scalar, count: Int?
  ) -> (position: Int, isInclusive: Bool)? {
    let start = buffer.startOfLine(at: buffer.cursor)
    let end = buffer.endOfLine(at: buffer.cursor)
    let times = count ?? 1
    func repeated(_ step: (Int) -> Int) -> Int {
      (0..<times).reduce(buffer.cursor) { position, _ in step(position) }
    }
    switch scalar {
    case "h": return (max(start, buffer.cursor - times), false)
    case "l", " ": return (min(end, buffer.cursor + times), false)
    case "0": return (start, false)
    case "^": return (buffer.firstNonBlank(of: buffer.cursor), false)
    case "$": return (end, false)
    case "w": return (repeated { buffer.nextWord(from: $0, isBig: false) }, false)
    case "W": return (repeated { buffer.nextWord(from: $0, isBig: true) }, false)
    case "b": return (repeated { buffer.previousWord(from: $0, isBig: false) }, false)
    case "B": return (repeated { buffer.previousWord(from: $0, isBig: true) }, false)
    case "e": return (repeated { buffer.wordEnd(from: $0, isBig: false) }, true)
    case "E": return (repeated { buffer.wordEnd(from: $0, isBig: true) }, true)
    case "G": return (buffer.characters.count, false)
    case "%": return buffer.matchingBracket().map { ($0, true) }
    case ";", ",":
      guard let last = vi?.lastFind else { return nil }
      let kind = scalar == ";" ? last.kind : Self.opposite(last.kind)
      return buffer.position(of: last.character, kind, count: times).map {
        ($0, kind == "f" || kind == "t")
      }
    default: return nil
    }
  }

  private static func opposite(_ kind: Unicode.Scalar) -> Unicode.Scalar {
    switch kind {
    case "f": "F"
    case "F": "f"
    case "t": "T"
    default: "t"
    }
  }
}
