/// Two diagrams one above the other, frame below frame, with a mark below each frame that differs.
struct MarbleComparison {
  let lines: [String]

  init(_ expected: MarbleDiagram, _ actual: MarbleDiagram) {
    let expected = expected.canonical.frames
    let actual = actual.canonical.frames
    var rows = ["  expected: ", "  actual:   ", "            "]
    for number in 0..<max(expected.count, actual.count) {
      let columns = [
        Self.column(expected, number), Self.column(actual, number),
      ]
      let width = columns.map(\.count).max() ?? 0
      for (row, column) in columns.enumerated() { rows[row] += Self.pad(column, to: width) }
      let differs = Self.marks(expected, number) != Self.marks(actual, number)
      rows[2] += String(repeating: differs ? "~" : " ", count: width)
    }
    lines = rows.map(Self.trimmed)
  }

  private static func marks(
    _ frames: [[MarbleDiagram.Mark]], _ number: Int
  ) -> [MarbleDiagram.Mark] {
    number < frames.count ? frames[number] : []
  }

  /// Nothing is shown beyond the end of the shorter diagram but the frames that pass.
  private static func column(_ frames: [[MarbleDiagram.Mark]], _ number: Int) -> String {
    MarbleDiagram.text(of: marks(frames, number))
  }

  private static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: width - text.count)
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }
}
