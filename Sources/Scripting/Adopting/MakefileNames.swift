/// The names before the colon of a rule.
enum MakefileNames {
  /// A name without the `./` before it, which make drops.
  static func plain(_ name: String) -> String {
    var name = name[...]
    while name.hasPrefix("./"), name.count > 2 { name = name.dropFirst(2) }
    return String(name)
  }

  /// False for patterns, special targets and what is unknown.
  static func isTarget(_ name: String) -> Bool {
    !isSpecial(name) && !name.hasPrefix("-") && !name.contains { "%$()*?[=".contains($0) }
  }

  /// True for `.PHONY` and its like, and for rules of suffixes: `.c.o`.
  private static func isSpecial(_ name: String) -> Bool {
    guard name.hasPrefix("."), !name.contains("/") else { return false }
    if name.allSatisfy({ $0 == "." || $0 == "_" || ("A"..."Z").contains($0) }) { return true }
    return name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
      .allSatisfy { suffixes.contains($0) }
  }

  /// Suffixes that make knows, and some that it is often told of.
  private static let suffixes: Set<Substring> = [
    "a", "asm", "bin", "c", "cc", "class", "cpp", "cu", "cxx", "def", "dvi", "el", "elc", "f",
    "f90",
    "h", "hpp", "html", "i", "java", "l", "lo", "ln", "m", "md", "mod", "o", "obj", "out", "p",
    "pdf",
    "ps", "py", "r", "s", "sh", "so", "svg", "sym", "tex", "txt", "w", "y",
  ]
}
