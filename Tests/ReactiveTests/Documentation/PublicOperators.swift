import TextFiles

/// A public operator, as its source file declares and documents it.
struct PublicOperator: CustomStringConvertible {
  static let headings = ["Values", "Error", "Completion", "Disposal", "Scheduler"]

  /// The name alone: `takeUntil`.
  let name: String
  /// The name with its labels: `takeUntil(_:)`.
  let fullName: String
  /// The name of the file without its ending.
  let file: String
  /// The doc comment without its slashes.
  let comment: [String]

  var description: String { "\(fullName) in \(file).swift" }

  /// The first paragraph, on one line.
  var meaning: String {
    comment.prefix { !$0.isEmpty }.joined(separator: " ")
  }

  var missingHeadings: [String] {
    Self.headings.filter { heading in !comment.contains { $0.hasPrefix("- \(heading): ") } }
  }

  /// All public functions of signals, and others that return a signal, in the order of their files.
  static func all() throws -> [PublicOperator] {
    let root = TextFile.packageFolder + "/Sources/Reactive/"
    let families = try TextFile.names(inFolder: root + "Operators").map { "Operators/" + $0 }
    return try (["Construction", "Multicasting"] + families).flatMap { folder in
      try TextFile.names(inFolder: root + folder).flatMap { name in
        try declared(inFile: root + folder + "/" + name, name: String(name.dropLast(6)))
      }
    }
  }

  private static func declared(inFile path: String, name file: String) throws -> [PublicOperator] {
    let lines = try TextFile(path).lines
    var operators: [PublicOperator] = []
    var comment: [String] = []
    var isExtensionOfSignal = false
    for (number, line) in lines.enumerated() {
      let words = line.split(separator: " ")
      if let first = words.first, !line.hasPrefix(" "), first != "}" {
        isExtensionOfSignal = line.hasPrefix("extension Signal")
      }
      guard let first = words.first, !first.hasPrefix("@") else {
        if words.isEmpty { comment = [] }
        continue
      }
      if first.hasPrefix("///") {
        comment.append(words.dropFirst().joined(separator: " "))
        continue
      }
      defer { comment = [] }
      guard first == "public", let keyword = words.firstIndex(where: { isKeyword($0) }) else {
        continue
      }
      let signature = lines[number...].joined(separator: " ")
      let declaration = signature[
        ..<(signature.range(ofText: " {")?.lowerBound ?? signature.endIndex)]
      let isOperator = isExtensionOfSignal || declaration.range(ofText: "-> Signal<") != nil
      let text = words[(keyword + 1)...].joined(separator: " ")
      let name = String(text.prefix { !"(<: ".contains($0) }.filter { $0 != "`" })
      // Of the properties only the documented way into async code is like an operator.
      guard isOperator, words[keyword] == "func" || name == "values" else { continue }
      operators.append(
        PublicOperator(
          name: name, fullName: name + labels(of: declaration), file: file, comment: comment))
    }
    return operators
  }

  private static func isKeyword(_ word: Substring) -> Bool {
    word == "func" || word == "var"
  }

  /// `(_:withIndex:)` for a declaration, from the text between its outermost parentheses.
  private static func labels(of declaration: Substring) -> String {
    guard let open = declaration.firstIndex(of: "(") else { return "" }
    var depth = 0
    var parameters = [""]
    for character in declaration[open...] {
      switch character {
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      case ">" where parameters.last?.last != "-": depth -= 1
      case "," where depth == 1:
        parameters.append("")
        continue
      default: break
      }
      if depth == 0 { break }
      if depth > 1 || character != "(" { parameters[parameters.count - 1].append(character) }
    }
    let names = parameters.compactMap { $0.split(separator: " ").first }
    return "(" + names.map { $0.hasSuffix(":") ? $0 : $0 + ":" }.joined() + ")"
  }
}
