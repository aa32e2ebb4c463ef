import CUTF8Proc

/// The number of columns of a character on a terminal: 0 to 2.
public func columns(of character: Character) -> Int {
  if let ascii = character.asciiValue { return ascii < 32 || ascii == 127 ? 0 : 1 }
  var widest = 0
  var count = 0
  for scalar in character.unicodeScalars {
    // Requests the emoji form, which is wide.
    if scalar == "\u{FE0F}" { return 2 }
    widest = max(widest, Int(utf8proc_charwidth(utf8proc_int32_t(scalar.value))))
    count += 1
  }
  // Two letters that form a flag.
  if count == 2, character.unicodeScalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) }) {
    return 2
  }
  return widest
}

/// True if terminals disagree about the columns of a character, so that the cursor must be
/// positioned explicitly after it.
func isUncertain(_ character: Character) -> Bool {
  guard !character.isASCII else { return false }
  return character.unicodeScalars.dropFirst().contains { scalar in
    scalar == "\u{200D}" || scalar == "\u{FE0F}" || (0x1F1E6...0x1F1FF).contains(scalar.value)
      || (0x1F3FB...0x1F3FF).contains(scalar.value)
  }
}

/// The columns of a character on a terminal that shows its parts separately.
func separateColumns(of character: Character) -> Int {
  character.unicodeScalars.reduce(0) { $0 + columns(of: Character($1)) }
}

/// The columns of a text without control characters on a terminal.
public func columns(of text: some StringProtocol) -> Int {
  text.reduce(0) { $0 + columns(of: $1) }
}
