/// Makes dangerous characters visible that a terminal would interpret instead of showing: the
/// control characters (C0, DEL and C1), those that change the direction of the surrounding text,
/// and bytes that are not UTF-8, of which some terminals treat 0x80 to 0x9F as C1. Names, inputs
/// and messages come from files and programs, so the runner shows such characters escaped: `\e[2J`,
/// `\x07`, `\u{202E}`, `\x9b`.
///
/// The values of commands are bytes, and stay unchanged.
extension String {
  /// The text with these characters escaped; line breaks and tabs stay.
  package var visible: String { shown { $0 == "\n" || $0 == "\t" } }

  /// The same as a message: lines behind the first one are indented, so that a line break in what the
  /// message quotes cannot begin another message.
  package var visibleInMessage: String {
    let text = visible
    guard text.utf8.contains(10) else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { index, line in
      index == 0 || line.isEmpty || line.hasPrefix(" ") || line.hasPrefix("\t") ? line : "  \(line)"
    }.joined(separator: "\n")
  }

  /// The same in one line: line breaks and tabs are escaped too.
  package var visibleInLine: String { shown { _ in false } }

  /// The text with these characters escaped, except in colour codes, which the runner itself uses.
  var visibleBesideColors: String {
    guard hasControlCharacters, !isPlainBesideColors else { return self }
    var result = ""
    var rest = unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\u{1B}", let code = rest.colorCode {
        result.unicodeScalars += code
        rest = rest[code.endIndex...]
      } else {
        rest.removeFirst()
        result += scalar == "\n" || scalar == "\t" ? String(scalar) : scalar.shown ?? String(scalar)
      }
    }
    return result
  }

  /// True if a text consists of printable ASCII, line breaks, tabs and colour codes, as most texts
  /// do.
  private var isPlainBesideColors: Bool {
    var isInCode = false
    var before: UInt8 = 0
    for byte in utf8 {
      defer { before = byte }
      if before == 0x1B {
        guard byte == UInt8(ascii: "[") else { return false }
        isInCode = true
        continue
      }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"): break
      case UInt8(ascii: "m"): isInCode = false
      case 0x1B: if isInCode { return false }
      case 0x20..<0x7F, 0x09, 0x0A: if isInCode { return false }
      default: return false
      }
    }
    return !isInCode && before != 0x1B
  }

  private func shown(except isKept: (Unicode.Scalar) -> Bool) -> String {
    guard hasControlCharacters else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if let text = scalar.shown, !isKept(scalar) {
        result += text
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// True if there may be control characters: most texts have none.
  private var hasControlCharacters: Bool { utf8.contains { $0 < 0x20 || $0 >= 0x7F } }
}

extension Unicode.Scalar {
  /// The visible form of a control character; nil for any other.
  fileprivate var shown: String? {
    switch value {
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    case 0x1B: "\\e"
    case ..<0x20, 0x7F: "\\x" + (value < 16 ? "0" : "") + String(value, radix: 16)
    // A byte that is not UTF-8; see `ExactText.swift`.
    case 0x10FE80...0x10FEFF: "\\x" + String(value & 0xFF, radix: 16)
    // C1, and characters that override, embed, isolate or mark a direction.
    case 0x80..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
      "\\u{\(String(value, radix: 16, uppercase: true))}"
    default: nil
    }
  }
}

extension Substring.UnicodeScalarView {
  /// The colour code at its beginning: ESC, `[`, numbers, `m`.
  fileprivate var colorCode: Self? {
    let parameters = dropFirst(2).prefix { ("0"..."9").contains($0) || $0 == ";" }
    guard dropFirst().first == "[", let end = self[parameters.endIndex...].first, end == "m" else {
      return nil
    }
    return self[..<index(after: parameters.endIndex)]
  }
}

extension String {
  /// The JSON with these characters escaped; they can occur only inside its strings.
  var visibleJSON: String {
    guard hasControlCharacters else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if scalar != "\n", scalar.value <= 0xFFFF, scalar.shown != nil {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
}
