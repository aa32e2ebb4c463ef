import Platform

/// The files that a justfile imports, and its modules.
enum JustfileInputs {
  /// Adds a justfile and what it takes in, as far as its lines say.
  static func add(_ path: String, to inputs: inout AdoptionInputs) {
    inputs.value(ofVariable: "JUST_UNSTABLE")
    var left = [path]
    var read: Set<String> = []
    while let path = left.popLast() {
      guard read.insert(path).inserted, let content = inputs.content(of: path) else { continue }
      guard read.count < 200 else { return inputs.addUnknown() }
      for line in content.split(separator: UInt8(ascii: "\n")) where isItem(line) {
        let words = String(decoding: line, as: UTF8.self)
        guard let names = names(in: words) else { return inputs.addUnknown() }
        left += names.map { SourceScope.join(FilePath.parent(of: path), $0) }
      }
    }
  }

  /// True for lines that begin with `import` or `mod`.
  private static func isItem(_ line: ArraySlice<UInt8>) -> Bool {
    line.starts(with: "import".utf8) || line.starts(with: "mod".utf8)
  }

  /// The paths that such a line can mean, from the folder of its file; none if it is another line after
  /// all, and nil if they cannot be known.
  private static func names(in line: String) -> [String]? {
    let words = line.split(maxSplits: 1, whereSeparator: \.isBlank)
    guard words.count == 2 else { return [] }
    switch words[0] {
    case "import", "import?": return literal(words[1]).map { [$0] }
    case "mod", "mod?": break
    default: return []
    }
    let module = words[1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    let rest = words[1].dropFirst(module.count).drop(while: \.isBlank)
    guard !module.isEmpty else { return nil }
    // A recipe or a variable of that name.
    if rest.hasPrefix(":") || words[1].hasPrefix("*") { return [] }
    if rest.isEmpty || rest.hasPrefix("#") {
      return ["\(module).just"] + files(in: String(module))
    }
    return literal(rest).map { [$0] + files(in: $0) }
  }

  private static func files(in folder: String) -> [String] {
    ["mod.just", "justfile", "Justfile", "JUSTFILE", ".justfile"].map { "\(folder)/\($0)" }
  }

  /// A path in plain quotation marks; nil for any other text.
  private static func literal(_ text: Substring) -> String? {
    guard let quote = text.first, quote == "'" || quote == "\"" else { return nil }
    // Nothing is between the first two of three marks.
    let path = text.dropFirst().prefix { $0 != quote }
    guard !path.isEmpty, !path.contains("\\"), !path.hasPrefix("~") else { return nil }
    return String(path)
  }
}
