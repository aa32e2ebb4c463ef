import LineEditor

/// The rows of a watched signal above the prompt: its name, what it shows, and how many values came.
struct WatchPane: Equatable {
  let title: String
  /// The latest value, or the latest lines; at least one row.
  let rows: [String]
  /// The latest value in one row.
  let latest: String
  /// True if the end of the rows counts more than their beginning.
  var hasLines = false
  /// ` (completed)`, once the signal has completed.
  var end = ""
  /// The number and rate of its values and the curve of the numbers, once there are a few.
  var extent: String?

  /// The pane as a line of text, for a terminal without a cursor.
  var text: String { "\(title): \(latest)\(end)" }

  /// The number of rows that show everything.
  var wantedHeight: Int { rows.count > 1 ? rows.count + 1 : 1 }

  /// The pane in a number of rows: the latest value beside the title, or what fits below it.
  func rows(fitting width: Int, height: Int) -> [String] {
    guard height > 1, rows.count > 1 else { return [row(": \(latest)\(end)", fitting: width)] }
    return [row(end, fitting: width)] + shown(height - 1).map { fitted("   \($0)", to: width) }
  }

  private func shown(_ count: Int) -> [String] {
    if hasLines { return rows.suffix(count) }
    return rows.count > count ? rows.prefix(count - 1) + ["…"] : rows
  }

  /// A row with the title. A long one is truncated for what follows it, but keeps a third of the row.
  /// The extent stands at the right if there is room.
  private func row(_ text: String, fitting width: Int) -> String {
    let room = max(width - columns(of: text), width / 3)
    let row = fitted(fitted(title, to: room) + text, to: width)
    let rest = width - columns(of: row)
    guard let extent, rest >= columns(of: extent) + 2 else { return row }
    return row + String(repeating: " ", count: rest - columns(of: extent)) + extent
  }

  /// Distributes rows among panes: each gets one, then those that want more share the rest evenly.
  ///
  /// - Returns: the rows of all panes; the last tells how many panes had no room.
  static func rows(of panes: [WatchPane], fitting width: Int, height: Int) -> [String] {
    let shown = panes.prefix(panes.count > height ? height - 1 : height)
    var heights = shown.map { _ in 1 }
    // What is typed needs room, too.
    var rest = min(height - panes.count, height * 2 / 3 - panes.count)
    while rest > 0 {
      let low = shown.indices.filter { heights[$0] < shown[$0].wantedHeight }
        .min { heights[$0] < heights[$1] }
      guard let low else { break }
      heights[low] += 1
      rest -= 1
    }
    let rows = zip(shown, heights).flatMap { $0.rows(fitting: width, height: $1) }
    return shown.count < panes.count ? rows + ["… \(panes.count - shown.count) more"] : rows
  }
}

/// What a pane shows of the values that have come.
struct WatchContent {
  /// A value as text.
  enum Text {
    /// A string, which stands below the ones before it.
    case line(String)
    /// Another value, which replaces the one before it: in rows, and in one.
    case rows([String], line: String)
  }

  private(set) var rows = ["–"]
  private(set) var latest = "–"
  private(set) var end = ""
  private(set) var hasLines = false

  /// The number of strings that are kept.
  private static let lineCount = 10

  mutating func show(_ text: Text) {
    switch text {
    case .line(let line):
      if !hasLines { rows = [] }
      rows = rows.suffix(Self.lineCount - 1) + [line]
      latest = line
      hasLines = true
    case .rows(let lines, let line):
      (rows, latest) = (lines, line)
      hasLines = false
    }
  }

  mutating func complete() { end = " (completed)" }

  mutating func fail(_ message: String) {
    let line = "error: \(message)"
    show(hasLines ? .line(line) : .rows([line], line: line))
  }
}
