/// Texts as Lua's string literals hold them.
enum LuaQuoting {
  /// The inside of a literal between these quotes.
  static func escaped(_ text: String, quote: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case quote, "\\":
        result.append("\\")
        result.append(scalar)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case _ where scalar.value < 32 || scalar.value == 127:
        let digits = String(scalar.value)
        let padding = String(repeating: "0", count: 3 - digits.count)
        result.append(contentsOf: ("\\" + padding + digits).unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  static func literal(_ text: String) -> String { "\"" + escaped(text, quote: "\"") + "\"" }

  /// What follows a table to reach a field: `.name`, or `["out-dir"]` where that is no name.
  static func member(_ key: String) -> String {
    isIdentifier(key) ? "." + key : "[" + literal(key) + "]"
  }

  /// Whether a text can stand as a name: no keyword is one.
  static func isIdentifier(_ text: String) -> Bool {
    LuaTokens.isName(text) && !LuaMembers.keywords.contains(text)
  }
}
