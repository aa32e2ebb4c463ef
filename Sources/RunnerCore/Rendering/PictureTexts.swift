import Platform

/// Escapes a text for XML; characters that XML cannot contain are replaced.
package func escaped(_ text: String) -> String {
  var result = ""
  for scalar in text.repaired.unicodeScalars {
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    case "\n", "\t": result.unicodeScalars.append(scalar)
    case "\r": result += "&#13;"
    case _ where scalar.value < 32 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
      result += "\u{FFFD}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// `3 ms`, `1.2 s`, `3 min 20 s`.
package func shortSeconds(_ seconds: Double) -> String {
  if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
  return Duration.milliseconds(Int64(seconds * 1000)).shortText
}

/// Truncates a text to a width.
package func clipped(_ text: String, _ width: Int) -> String {
  text.count <= width ? text : text.prefix(width - 1) + "…"
}
