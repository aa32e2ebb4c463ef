import TextFiles

/// A piece of code as it stands in its file.
enum SourceExpression {
  enum Failure: Error {
    /// No call with an argument begins on this line.
    case noCall(file: String, line: Int)
  }

  /// The lines of the first argument of the `apply`, `record` or `note` on a line.
  static func firstArgument(inFile file: String, line: Int) throws -> [String] {
    let lines = try TextFile(file).lines.dropFirst(line - 1)
    let calls = ["apply(", "record(", "recordInRealTime(", "note("]
    let text = lines.joined(separator: "\n")
    let firstLine = text.prefix { $0 != "\n" }
    let starts = calls.compactMap { call in firstLine.range(ofText: call)?.upperBound }
    guard let start = starts.min() else { throw Failure.noCall(file: file, line: line) }
    var code = text[start...]
    // A row of text has its label first.
    if firstLine.range(ofText: "note(") != nil, starts.count == 1 {
      code = code.drop { $0 != "," }.dropFirst()
    }
    return dedented(argument(code))
  }

  private static func argument(_ code: Substring) -> Substring {
    var depth = 0
    for index in code.indices {
      switch code[index] {
      case "(", "[", "{": depth += 1
      case ")", "]", "}":
        depth -= 1
        if depth < 0 { return code[..<index] }
      case "," where depth == 0: return code[..<index]
      default: break
      }
    }
    return code
  }

  private static func dedented(_ code: Substring) -> [String] {
    let lines = code.drop(while: \.isWhitespace).split(
      separator: "\n", omittingEmptySubsequences: true)
    let indent = lines.dropFirst().map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.prefix(1).map(String.init) + lines.dropFirst().map { String($0.dropFirst(indent)) }
  }
}
