import LuaRuntime
import RunnerCore

/// Quotes texts as Lua string literals.
enum LuaQuoting {
  /// The content of a literal between these quotes.
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

  /// The text that accesses a field of a table: `.name`, or `["out-dir"]` if the key is not a name.
  static func member(_ key: String) -> String {
    isIdentifier(key) ? "." + key : "[" + literal(key) + "]"
  }

  /// True if a text is a valid name, which a keyword is not.
  static func isIdentifier(_ text: String) -> Bool {
    LuaTokens.isName(text) && !LuaMembers.keywords.contains(text)
  }
}
