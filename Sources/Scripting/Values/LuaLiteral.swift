/// Texts as Lua writes them, on one line.
enum LuaLiteral {
  /// Returns a string literal.
  ///
  /// - Parameter limit: the greatest number of characters of the text; what is beyond is replaced by
  ///   an ellipsis behind the literal.
  static func text(_ text: String, limit: Int = 200) -> String {
    let shown = text.repaired.unicodeScalars.prefix(limit)
    var literal = "\""
    for scalar in shown {
      switch scalar {
      case "\"", "\\": literal += "\\" + String(scalar)
      case "\n": literal += "\\n"
      case "\t": literal += "\\t"
      case "\r": literal += "\\r"
      case _ where scalar.value < 32 || (127..<160).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        literal += "\\x" + (digits.count < 2 ? "0" : "") + digits
      default: literal.unicodeScalars.append(scalar)
      }
    }
    let isCut = shown.endIndex < text.repaired.unicodeScalars.endIndex
    return literal + "\"" + (isCut ? "…" : "")
  }

  /// Returns the key of a table constructor: `name`, or `["other text"]`.
  static func key(_ name: String) -> String {
    let isName =
      name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
      && name.utf8.allSatisfy {
        $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
    return isName && !Reserved.words.contains(name) ? name : "[\(text(name, limit: 50))]"
  }
}
