/// The state of the vi keys: the mode and an incomplete command.
struct ViState {
  var isInserting = true
  var count: Int?
  /// `d`, `c` or `y`, and the count before it.
  var pendingOperator: (letter: Unicode.Scalar, count: Int?)?
  /// `f`, `t`, `F`, `T` or `r`, which take a character as their argument.
  var awaiting: Unicode.Scalar?
  var lastFind: (kind: Unicode.Scalar, character: Character)?
  /// The keys of the change in progress, and of the change that `.` repeats.
  var recording: [Key] = []
  var lastChange: [Key] = []
  var isRepeating = false

  mutating func reset() { (count, pendingOperator, awaiting) = (nil, nil, nil) }
}

extension Editor {
  /// Handles a key by vi's rules.
  ///
  /// - Returns: nil if the key keeps the meaning that the keymap gives it.
  func handleVi(_ key: Key) -> EditorOutcome? {
    guard let state = vi else { return nil }
    if state.isInserting {
      if !state.isRepeating { vi?.recording.append(key) }
      guard key == Key(.escape) || key == .control("[") else { return nil }
      leaveInsertMode()
      return EditorOutcome.none
    }
    guard let scalar = normalModeScalar(key) else { return nil }
    let isFresh = state.count == nil && state.pendingOperator == nil && state.awaiting == nil
    if !state.isRepeating {
      if isFresh { vi?.recording = [key] } else { vi?.recording.append(key) }
    }
    let before = buffer.characters
    // A range that an earlier command has inserted may be gone afterwards.
    lastCommand = nil
    let outcome = viCommand(scalar)
    // Keymap keys that move the cursor, such as arrows, end an insertion run; vi's keys do the
    // same.
    undoHistory.endRun()
    if buffer.characters != before, vi?.isInserting == false, isChange(scalar, in: state) {
      noteChange()
    }
    if vi?.isInserting == false, !buffer.isEmpty, vi?.pendingOperator == nil { stayOnLine() }
    return outcome
  }

  /// The letter of a key with Alt. Terminals report an Escape and a letter that arrive together as
  /// Alt; vi users mean the two keys.
  func letterAfterEscape(_ key: Key) -> Key? {
    guard vi != nil, pendingKeys.isEmpty, case .character = key.code, key.modifiers == .alt
    else { return nil }
    if case .binding(.custom) = keymap.match([key]) { return nil }
    return Key(key.code)
  }

  private func normalModeScalar(_ key: Key) -> Unicode.Scalar? {
    switch (key.code, key.modifiers) {
    case (.character(let scalar), let modifiers) where modifiers.isDisjoint(with: [.control, .alt]):
      return scalar
    case (.escape, _):
      vi?.reset()
      return "\u{1B}"
    case (.backspace, []): return "h"
    default: return nil
    }
  }

  /// True unless a key is undo, or a movement, which may show another entry.
  private func isChange(_ scalar: Unicode.Scalar, in state: ViState) -> Bool {
    state.awaiting != nil || state.pendingOperator != nil || !["u", "j", "k"].contains(scalar)
  }

  private func leaveInsertMode() {
    undoHistory.endRun()
    vi?.isInserting = false
    noteChange()
    if buffer.column > 0 { move(to: buffer.cursor - 1) }
  }

  private func noteChange() {
    guard let state = vi, !state.isRepeating, !state.recording.isEmpty else { return }
    vi?.lastChange = state.recording
  }

  /// In normal mode, keeps the cursor on a character instead of behind the last one of a line.
  private func stayOnLine() {
    let start = buffer.startOfLine(at: buffer.cursor)
    if buffer.cursor == buffer.endOfLine(at: buffer.cursor), buffer.cursor > start {
      move(to: buffer.cursor - 1)
    }
  }

  private func viCommand(_ scalar: Unicode.Scalar) -> EditorOutcome {
    guard let state = vi else { return .none }
    if let kind = state.awaiting { return finishAwaited(kind, Character(scalar)) }
    if scalar == "\u{1B}" { return .none }
    if let digit = Int(String(scalar)), digit > 0 || state.count != nil {
      vi?.count = min((state.count ?? 0) * 10 + digit, 10_000)
      return .none
    }
    if ["f", "F", "t", "T", "r"].contains(scalar) {
      vi?.awaiting = scalar
      return .none
    }
    if let pending = state.pendingOperator { return finishOperator(pending, scalar) }
    let count = state.count
    if ["d", "c", "y"].contains(scalar) {
      vi?.pendingOperator = (scalar, count)
      vi?.count = nil
      return .none
    }
    vi?.reset()
    if let target = viMotion(scalar, count: count) {
      move(to: target.position)
      return .none
    }
    return viAction(scalar, count: count)
  }

  private func viAction(_ scalar: Unicode.Scalar, count: Int?) -> EditorOutcome {
    let end = buffer.endOfLine(at: buffer.cursor)
    switch scalar {
    case "i": insertMode(at: buffer.cursor)
    case "a": insertMode(at: min(buffer.cursor + 1, end))
    case "I": insertMode(at: firstNonBlank(of: buffer.cursor))
    case "A": insertMode(at: end)
    case "o":
      insertMode(at: end)
      breakLine()
    case "O":
      insertMode(at: buffer.startOfLine(at: buffer.cursor))
      change(.other) {
        $0.insert("\n")
        $0.moveCursor(to: $0.cursor - 1)
      }
    case "x": kill(buffer.cursor..<min(buffer.cursor + (count ?? 1), end))
    case "X":
      let start = buffer.startOfLine(at: buffer.cursor)
      kill(max(start, buffer.cursor - (count ?? 1))..<buffer.cursor)
    case "s":
      kill(buffer.cursor..<min(buffer.cursor + (count ?? 1), end))
      insertMode(at: buffer.cursor)
    case "S": changeLines(count)
    case "D": kill(buffer.cursor..<end)
    case "C":
      kill(buffer.cursor..<end)
      insertMode(at: buffer.cursor)
    case "p", "P": return put(isBefore: scalar == "P", count: count ?? 1)
    case "u": return perform(.undo)
    case "~": swapCase(count: count ?? 1)
    case "j": return perform(.nextLine)
    case "k": return perform(.previousLine)
    case "/": return perform(.searchBackward)
    case ".": repeatChange()
    default: return .beep
    }
    return .none
  }

  private func insertMode(at position: Int) {
    move(to: position)
    vi?.isInserting = true
  }

  private func firstNonBlank(of position: Int) -> Int {
    let start = buffer.startOfLine(at: position)
    return start + buffer.characters[start...].prefix { $0 == " " || $0 == "\t" }.count
  }

  private func changeLines(_ count: Int?) {
    let start = firstNonBlank(of: buffer.cursor)
    kill(start..<buffer.endOfLine(at: buffer.cursor))
    insertMode(at: start)
  }

  private func put(isBefore: Bool, count: Int) -> EditorOutcome {
    guard let text = killRing.yank() else { return .beep }
    let isLine = text.hasSuffix("\n")
    let start = buffer.startOfLine(at: buffer.cursor)
    let end = buffer.endOfLine(at: buffer.cursor)
    let repeated = String(repeating: text, count: count)
    change(.other) { buffer in
      switch (isLine, isBefore) {
      case (true, true): buffer.moveCursor(to: start)
      case (true, false): buffer.moveCursor(to: end)
      case (false, true): break
      case (false, false): buffer.moveCursor(to: min(buffer.cursor + 1, end))
      }
      buffer.insert(isLine && !isBefore ? "\n" + repeated.dropLast() : repeated)
      if !isLine { buffer.moveCursor(to: buffer.cursor - 1) }
    }
    return .none
  }

  private func swapCase(count: Int) {
    let range = buffer.cursor..<min(buffer.cursor + count, buffer.endOfLine(at: buffer.cursor))
    let text = buffer.text(in: range)
    let swapped = text.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined()
    change(.other) { $0.replace(range, with: swapped) }
  }

  private func repeatChange() {
    guard let keys = vi?.lastChange, !keys.isEmpty else { return }
    vi?.isRepeating = true
    for key in keys { _ = handle(.key(key)) }
    vi?.isRepeating = false
    vi?.recording = []
  }

  // MARK: Operators and motions

  private func finishAwaited(_ kind: Unicode.Scalar, _ character: Character) -> EditorOutcome {
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
    vi?.lastFind = (kind, character)
    return find(kind, character, count: count)
  }

  private func find(_ kind: Unicode.Scalar, _ character: Character, count: Int) -> EditorOutcome {
    let pending = vi?.pendingOperator
    vi?.reset()
    guard let position = target(kind, character, count: count) else { return .beep }
    let isForward = kind == "f" || kind == "t"
    guard let pending else {
      move(to: position)
      return .none
    }
    let range =
      isForward ? buffer.cursor..<position + 1 : position..<buffer.cursor
    return apply(pending.letter, to: range)
  }

  private func target(_ kind: Unicode.Scalar, _ character: Character, count: Int) -> Int? {
    let line = buffer.startOfLine(at: buffer.cursor)..<buffer.endOfLine(at: buffer.cursor)
    var position = buffer.cursor
    let isForward = kind == "f" || kind == "t"
    for _ in 0..<count {
      let found =
        isForward
        ? buffer.characters[min(position + 1, line.upperBound)..<line.upperBound]
          .firstIndex(of: character)
        : buffer.characters[line.lowerBound..<position].lastIndex(of: character)
      guard let found else { return nil }
      position = found
    }
    return kind == "t" ? position - 1 : kind == "T" ? position + 1 : position
  }

  private func finishOperator(
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
      kind(at: buffer.cursor, isBig: isBig) != .blank
    else { return nil }
    let last = (0..<count).reduce(buffer.cursor - 1) { position, _ in
      wordEnd(from: position, isBig: isBig)
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
    if letter == "c" { return apply("c", to: firstNonBlank(of: start)..<end) }
    killRing.kill(buffer.text(in: start..<end) + "\n", .forward, joining: false)
    guard letter == "d" else { return .none }
    let range =
      end < buffer.characters.count ? start..<end + 1 : max(0, start - 1)..<end
    change(.other) { $0.remove(range) }
    move(to: firstNonBlank(of: min(start, buffer.characters.count)))
    return .none
  }

  private func viMotion(
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
    case "^": return (firstNonBlank(of: buffer.cursor), false)
    case "$": return (end, false)
    case "w": return (repeated { nextWord(from: $0, isBig: false) }, false)
    case "W": return (repeated { nextWord(from: $0, isBig: true) }, false)
    case "b": return (repeated { previousWord(from: $0, isBig: false) }, false)
    case "B": return (repeated { previousWord(from: $0, isBig: true) }, false)
    case "e": return (repeated { wordEnd(from: $0, isBig: false) }, true)
    case "E": return (repeated { wordEnd(from: $0, isBig: true) }, true)
    case "G": return (buffer.characters.count, false)
    case "%": return matchingBracket().map { ($0, true) }
    case ";", ",":
      guard let last = vi?.lastFind else { return nil }
      let kind = scalar == ";" ? last.kind : Self.opposite(last.kind)
      return target(kind, last.character, count: times).map { ($0, kind == "f" || kind == "t") }
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

  private enum Kind { case blank, word, other }

  private func kind(at position: Int, isBig: Bool) -> Kind {
    let character = buffer.characters[position]
    if character.isWhitespace { return .blank }
    return isBig || EditBuffer.isWord(character) ? .word : .other
  }

  private func nextWord(from position: Int, isBig: Bool) -> Int {
    let count = buffer.characters.count
    guard position < count else { return count }
    var index = position
    let first = kind(at: index, isBig: isBig)
    while index < count, kind(at: index, isBig: isBig) == first, first != .blank { index += 1 }
    while index < count, kind(at: index, isBig: isBig) == .blank { index += 1 }
    return index
  }

  private func previousWord(from position: Int, isBig: Bool) -> Int {
    var index = position
    while index > 0, kind(at: index - 1, isBig: isBig) == .blank { index -= 1 }
    guard index > 0 else { return 0 }
    let last = kind(at: index - 1, isBig: isBig)
    while index > 0, kind(at: index - 1, isBig: isBig) == last { index -= 1 }
    return index
  }

  private func wordEnd(from position: Int, isBig: Bool) -> Int {
    let count = buffer.characters.count
    var index = position + 1
    while index < count, kind(at: index, isBig: isBig) == .blank { index += 1 }
    guard index < count else { return max(0, count - 1) }
    let first = kind(at: index, isBig: isBig)
    while index + 1 < count, kind(at: index + 1, isBig: isBig) == first { index += 1 }
    return index
  }

  /// The partner of the bracket at the cursor, or of the next one in the line.
  private func matchingBracket() -> Int? {
    let pairs: [Character: (partner: Character, step: Int)] = [
      "(": (")", 1), "[": ("]", 1), "{": ("}", 1), ")": ("(", -1), "]": ("[", -1), "}": ("{", -1),
    ]
    let end = buffer.endOfLine(at: buffer.cursor)
    guard
      let start = buffer.characters[buffer.cursor..<end].firstIndex(where: { pairs[$0] != nil }),
      let pair = pairs[buffer.characters[start]]
    else { return nil }
    var depth = 0
    var index = start
    while buffer.characters.indices.contains(index) {
      if buffer.characters[index] == buffer.characters[start] { depth += 1 }
      if buffer.characters[index] == pair.partner { depth -= 1 }
      if depth == 0 { return index }
      index += pair.step
    }
    return nil
  }
}
