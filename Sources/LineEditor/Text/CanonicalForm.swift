import CUTF8Proc

/// True if a character is written in its shortest canonical form (NFC). Two different texts in that
/// form do not look the same only because their accents are written in different ways.
public func isComposed(_ character: Character) -> Bool {
  guard !character.isASCII else { return true }
  let text = Array(String(character).utf8)
  let options = utf8proc_option_t(
    rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
  // A code point is decomposed to at most 18.
  var points = [utf8proc_int32_t](repeating: 0, count: 18 * text.count)
  let parts = text.withUnsafeBufferPointer {
    utf8proc_decompose($0.baseAddress, text.count, &points, points.count, options)
  }
  guard parts > 0, parts <= points.count else { return false }
  let count = utf8proc_normalize_utf32(&points, parts, options)
  return count > 0
    && character.unicodeScalars.elementsEqual(points[..<count]) { $0.value == UInt32($1) }
}
