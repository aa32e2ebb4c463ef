/// Rows of two columns and paragraphs, as in the help.
package enum TextColumns {
  /// Two aligned columns, indented.
  package static func text(_ rows: [(String, String)]) -> String {
    let margin = rows.map(\.0.count).max() ?? 0
    return
      rows
      .map { left, right in
        right.isEmpty
          ? "  \(left)"
          : "  \(left)\(String(repeating: " ", count: margin - left.count))  \(right)"
      }
      .joined(separator: "\n")
  }

  /// A paragraph in indented lines of at most 80 columns, as far as its words allow.
  package static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.count + word.count < 80 {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(margin + word)
      }
    }
    return lines.map { "\($0)\n" }.joined()
  }
}
