/// Rows of two columns, as in the help.
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
}
