import CUTF8Proc

/// The number of columns of a character on a terminal: 0 to 2.
public func columns(of character: Character) -> Int {
  if let ascii = character.asciiValue { return ascii < 32 || ascii == 127 ? 0 : 1 }
  var widest = 0
  var sum = 0
  var isJoined = false
  for scalar in character.unicodeScalars {
    // Requests the emoji form, which is wide.
    if scalar == "\u{FE0F}" { return 2 }
    let width = columns(of: scalar)
    widest = max(widest, width)
    sum += width
    isJoined = isJoined || isJoiner(scalar)
  }
  // An emoji of several is as wide as one. Vowel signs and flags' letters take their own columns.
  return isJoined ? widest : sum
}

private func columns(of scalar: Unicode.Scalar) -> Int {
  Int(utf8proc_charwidth(utf8proc_int32_t(scalar.value)))
}

/// True for what makes one emoji of several: the joiner and the skin tones.
private func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
  scalar == "\u{200D}" || (0x1F3FB...0x1F3FF).contains(scalar.value)
}

/// True if terminals disagree about the columns of a character, so that the cursor must be
/// positioned explicitly after it.
func isUncertain(_ character: Character) -> Bool {
  guard !character.isASCII else { return false }
  return character.unicodeScalars.dropFirst().contains { scalar in
    scalar == "\u{FE0F}" || isJoiner(scalar) || columns(of: scalar) > 0
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
