import RunnerCore

/// Splits background output into whole lines that cannot disturb the line being typed.
struct BackgroundText {
  /// The bytes of an unfinished line.
  private var rest: [UInt8] = []

  /// Returns the whole lines so far, for the terminal.
  mutating func lines(_ output: CapturedOutput) -> String {
    if output.skippedLines > 0 { rest = [] }
    rest += output.bytes
    let skipped =
      output.skippedLines > 0 ? "… \(output.skippedLines) lines not shown\n" : ""
    guard let end = rest.lastIndex(of: 10) else {
      return skipped + (rest.count > OutputCapture.capacity ? flush() : "")
    }
    defer { rest.removeSubrange(...end) }
    return skipped + Self.harmless(String(decoding: rest[...end], as: UTF8.self))
  }

  /// Returns the rest as a line.
  mutating func flush() -> String {
    guard !rest.isEmpty else { return "" }
    defer { rest = [] }
    return Self.harmless(String(decoding: rest + [10], as: UTF8.self))
  }

  /// The text without sequences that move the cursor or change the terminal. Colours stay.
  static func harmless(_ text: String) -> String {
    // Most output contains nothing to remove.
    guard text.utf8.contains(where: { ($0 < 32 && $0 != 10) || $0 == 127 }) else { return text }
    var shown = String.UnicodeScalarView()
    var lineStart = shown.endIndex
    var hasColor = false
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      switch scalar {
      case "\n":
        shown.append(scalar)
        lineStart = shown.endIndex
      case "\t": shown.append(scalar)
      case "\r":
        // A progress bar overwrites its line.
        if index + 1 < scalars.count, scalars[index + 1] != "\n" {
          shown.removeSubrange(lineStart...)
          lineStart = shown.endIndex
        }
      case "\u{1B}":
        let end = endOfSequence(scalars, from: index)
        if isColor(scalars[index...end]) {
          shown.append(contentsOf: scalars[index...end])
          hasColor = true
        }
        index = end
      case _ where scalar.value < 32 || (127..<160).contains(scalar.value):
        shown.append(contentsOf: "^".unicodeScalars)
        shown.append(Unicode.Scalar(UInt8(scalar.value & 31) + 64))
      default: shown.append(scalar)
      }
      index += 1
    }
    return hasColor ? String(shown) + "\u{1B}[0m" : String(shown)
  }

  /// True for `ESC [ numbers m`. With other characters between, it changes modes of the terminal.
  private static func isColor(_ sequence: ArraySlice<Unicode.Scalar>) -> Bool {
    sequence.count > 2 && sequence.dropFirst().first == "[" && sequence.last == "m"
      && sequence.dropFirst(2).dropLast().allSatisfy { "0123456789;:".unicodeScalars.contains($0) }
  }

  /// The index of the last character of an escape sequence.
  private static func endOfSequence(_ scalars: [Unicode.Scalar], from start: Int) -> Int {
    guard start + 1 < scalars.count else { return start }
    switch scalars[start + 1] {
    case "[":
      let end = scalars[(start + 2)...].firstIndex { (64..<127).contains($0.value) }
      return end ?? scalars.count - 1
    case "]":
      // A string that is not ended must not swallow the lines that follow.
      for index in (start + 2)..<max(start + 2, scalars.count) {
        if scalars[index] == "\n" { return index - 1 }
        if scalars[index].value == 7 { return index }
        if scalars[index] == "\\", scalars[index - 1] == "\u{1B}" { return index }
      }
      return scalars.count - 1
    default: return start + 1
    }
  }
}
