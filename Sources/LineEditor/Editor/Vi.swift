/// The state of the vi keys: the mode and an incomplete command.
struct ViState {
  var isInserting = true
  var count: Int?
  /// `d`, `c` or `y`, and the count before it.
  var pendingOperator: (letter: Unicode.Scalar, count: Int?)?
  /// `f`, `t`, `F`, `T` or `r`, which take a character as their argument, and `i` or `a` of an operator,
  /// which take the letter of a text object.
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
    if let pending = state.pendingOperator {
      if scalar == "i" || scalar == "a" {
        vi?.awaiting = scalar
        return .none
      }
      return finishOperator(pending, scalar)
    }
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
    case "I": insertMode(at: buffer.firstNonBlank(of: buffer.cursor))
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

  private func changeLines(_ count: Int?) {
    let start = buffer.firstNonBlank(of: buffer.cursor)
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
}
