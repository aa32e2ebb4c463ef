import Testing
import TextFiles

/// The page of operators: prose by hand, and below a mark what the samples did.
enum OperatorPage {
  enum Failure: Error {
    /// A sample names a function that no source file declares.
    case unknownOperator(String)
    /// The page has lost the line that begins the generated part.
    case noMark
  }

  static let path = TextFile.packageFolder + "/Sources/Reactive/Reactive.docc/Operators.md"
  static let mark = "<!-- From here on written by the tests of the documentation. -->"

  /// The generated part, from what happens when the samples are played.
  static func render() async throws -> [String] {
    let operators = try PublicOperator.all()
    var lines = [mark]
    for family in OperatorFamily.all {
      lines += ["", "## \(family.title)"]
      for sample in family.samples {
        lines += ["", "### \(sample.title)", "", try documented(sample, in: operators).meaning]
        lines += ["", "```text"] + (try await play(sample)) + ["```"]
      }
    }
    return lines + [""]
  }

  /// The function that a sample shows.
  static func documented(
    _ sample: OperatorSample, in operators: [PublicOperator]
  ) throws -> PublicOperator {
    let candidates = operators.filter { sample.file == nil || $0.file == sample.file }
    guard
      let found = candidates.first(where: {
        [$0.name, $0.fullName].contains(sample.declaration)
      })
    else { throw Failure.unknownOperator(sample.declaration) }
    return found
  }

  private static func play(_ sample: OperatorSample) async throws -> [String] {
    let stage = SampleStage()
    try await sample.prepare(stage)
    stage.advance(frames: sample.frames)
    let diagram = stage.diagram
    stage.close()
    #expect(stage.violations == [], "\(sample.title)")
    return diagram
  }

  /// The committed page: the prose, and the generated part.
  static func committed() throws -> (prose: [String], generated: [String]) {
    let lines = try TextFile(path).lines
    guard let index = lines.firstIndex(of: mark) else { throw Failure.noMark }
    return (Array(lines[..<index]), Array(lines[index...]))
  }

  /// The lines that differ, each below the heading of its operator.
  static func difference(committed: [String], actual: [String]) -> String {
    func headings(_ lines: [String]) -> [String] {
      var heading = ""
      return lines.map { line in
        if line.hasPrefix("#") { heading = line }
        return heading
      }
    }
    let (old, new) = (headings(committed), headings(actual))
    let changes = actual.difference(from: committed)
    let lines =
      changes.removals.map { ($0, old) } + changes.insertions.map { ($0, new) }
    return lines.map { change, headings in
      switch change {
      case .remove(let line, let text, _): "\(headings[line])\n  page:  \(text)"
      case .insert(let line, let text, _): "\(headings[line])\n  tests: \(text)"
      }
    }
    .joined(separator: "\n")
  }
}
