/// A page of the documentation whose examples are code of tests.
package struct Guide {
  /// The examples, one text each.
  package let examples: [String]

  /// - Parameter path: inside the package.
  package init(_ path: String) throws {
    examples = try TextFile(TextFile.packageFolder + "/" + path).lines
      .split { $0.hasPrefix("```swift") }.dropFirst()
      .map { Self.trimmed($0.prefix { !$0.hasPrefix("```") }) }
  }

  /// The examples that do not stand in a file of tests, but for their indentation.
  package func examples(missingIn file: String) throws -> [String] {
    let tests = Self.trimmed(try TextFile(file).lines)
    return examples.filter { tests.range(ofText: $0) == nil }
  }

  private static func trimmed(_ lines: some Sequence<String>) -> String {
    lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "\n")
  }
}
