import LineEditor
import LuaRuntime
import Platform

/// A string as a Lua literal, cut after a number of bytes. Different strings have different texts:
/// bytes that are not UTF-8, characters without a shape of their own, and accents that are not
/// written in the usual form are escaped.
func quoted(_ string: LuaString, limit: Int) -> String {
  guard string.count > limit else { return "\"\(escaped(string.exactText))\"" }
  let start = string.withUnsafeBytes { bytes in
    // A character is not cut in two.
    var end = limit
    while end > max(0, limit - 3), bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(exactly: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
  }
  return "\"\(escaped(start))\"… (\(string.count) bytes)"
}

private func escaped(_ text: String) -> String {
  var result = ""
  result.reserveCapacity(text.utf8.count)
  for character in text {
    if let byte = character.asciiValue, byte >= 32, byte < 127 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { result += "\\" }
      result.append(character)
      continue
    }
    let scalars = character.unicodeScalars
    let isEmoji = scalars.first.map { $0.value > 0xFF && $0.properties.isEmoji } ?? false
    let isUsual = isComposed(character)
    for (index, scalar) in scalars.enumerated() {
      let isPart = index > 0 && isEmoji && (scalar == "\u{200D}" || scalar == "\u{FE0F}")
      // An accent is escaped, and not the letter before it.
      let isOwn = isUsual || index == 0 && scalars.count > 1
      if isPart || isOwn && scalar.hasShape(atStart: index == 0) {
        result.unicodeScalars.append(scalar)
      } else {
        result += scalar.escape
      }
    }
  }
  return result
}

extension Unicode.Scalar {
  /// True if a reader can see the character and tell it from others.
  ///
  /// - Parameter isStart: false if it is combined with the one before it.
  fileprivate func hasShape(atStart isStart: Bool) -> Bool {
    if properties.isDefaultIgnorableCodePoint || self == "\u{2800}" { return false }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      return false
    case .spaceSeparator: return self == " "
    case .nonspacingMark, .enclosingMark: return !isStart
    default: return true
    }
  }

  /// The escape of the character in a Lua literal.
  fileprivate var escape: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    // A byte that is not UTF-8; see `ExactText.swift`.
    case _ where (0x10FE80...0x10FEFF).contains(value): "\\x" + String(value & 0xFF, radix: 16)
    case _ where value < 128: "\\x" + (value < 16 ? "0" : "") + String(value, radix: 16)
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
