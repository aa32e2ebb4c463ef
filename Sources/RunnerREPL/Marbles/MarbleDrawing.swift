import LineEditor
import RunnerCore

/// Draws tracks on one time axis: `--1--2--3|`, `x` for an error, `|` for completion.
///
/// Values of more than a few columns are replaced by letters, with a legend. Events in the same
/// column are in parentheses, in their order.
struct MarbleDrawing {
  let tracks: [MarbleTrack]
  /// The end of the axis.
  let now: Duration
  let width: Int

  /// The maximum length of a value on the axis itself.
  private static let longestMarble = 3
  /// The maximum length of the title of a track.
  private static let longestTitle = 30
  /// On a terminal with fewer columns, titles have rows of their own.
  private static let narrow = 60
  /// Events within this time count as simultaneous.
  private static let moment = Duration.milliseconds(1)
  /// The number of columns by which the last event may exceed the axis.
  private var overhang: Int { width < Self.narrow ? 4 : 8 }

  private var titleWidth: Int {
    width < Self.narrow
      ? 0 : min(tracks.map { columns(of: $0.title) }.max() ?? 0, Self.longestTitle) + 2
  }

  var rows: [StyledRow] {
    let margin = titleWidth
    let room = max(width - margin - overhang - 1, 2)
    var legend = Legend()
    var rows: [StyledRow] = []
    for track in tracks {
      var row = StyledRow()
      if margin > 0 {
        row.add(fitted(track.title, to: margin - 2))
        row.add(spaces: margin - row.width)
      } else {
        rows.append(StyledRow(track.title))
      }
      draw(track, room, &row, &legend)
      rows.append(row)
    }
    var axis = StyledRow()
    axis.add(spaces: margin)
    axis.add(self.axis(room), .faint)
    return rows + [axis] + legend.rows
  }

  private var span: Duration { max(now, .milliseconds(1)) }

  private func column(of time: Duration, _ room: Int) -> Int {
    min(Int(time / span * Double(room - 1)), room - 1)
  }

  private func draw(
    _ track: MarbleTrack, _ room: Int, _ row: inout StyledRow, _ legend: inout Legend
  ) {
    let margin = row.width
    let end = column(of: track.end?.at ?? now, room)
    var rest = track.values[...]
    var isEndTogether = false
    while let first = rest.first {
      let column = column(of: first.at, room)
      let together = rest.prefix {
        self.column(of: $0.at, room) == column || $0.at - first.at < Self.moment
      }
      rest = rest.dropFirst(together.count)
      row.add(dashes(column - row.width + margin), .faint)
      let next = rest.first.map { self.column(of: $0.at, room) } ?? max(end, room + overhang)
      add(together.map(\.text), within: next - row.width + margin, &row, &legend)
      isEndTogether = track.end.map { $0.at - first.at < Self.moment } ?? false
    }
    if !isEndTogether { row.add(dashes(end - row.width + margin), .faint) }
    switch track.end?.kind {
    case .completed: row.add("|", .good)
    case .failed: row.add("x", .bad)
    case nil: row.add(">", .faint)
    }
  }

  /// Adds the events in one column, or one mark if they do not fit.
  private func add(
    _ texts: [String], within room: Int, _ row: inout StyledRow, _ legend: inout Legend
  ) {
    var tried = legend
    let shown = texts.prefix(MarbleTrack.marblesPerColumn).map { marble($0, &tried) }
    let more = texts.count > MarbleTrack.marblesPerColumn ? "…" : ""
    let length = columns(of: shown.map(\.text).joined() + more) + (texts.count > 1 ? 2 : 0)
    guard length <= room else {
      legend.hasCrowd = true
      return row.add(Legend.crowd, .faint)
    }
    legend = tried
    if texts.count > 1 { row.add("(", .faint) }
    for (text, color) in shown { row.add(text, color) }
    if texts.count > 1 { row.add("\(more))", .faint) }
  }

  private func marble(
    _ text: String, _ legend: inout Legend
  ) -> (text: String, color: StyledRow.Color) {
    let isShort = columns(of: text) <= Self.longestMarble && !text.contains(" ")
    let color: StyledRow.Color = Double(text) == nil ? .string : .number
    return (isShort ? text : legend.letter(for: text), color)
  }

  /// `0        0.5 s        1.0 s`
  private func axis(_ room: Int) -> String {
    let middle = (span / 2).brief
    let last = span.brief
    guard room > middle.count + last.count + 4 else { return "0 … \(last)" }
    var text = "0"
    text += spaces(max(room / 2 - text.count - middle.count / 2, 1)) + middle
    return text + spaces(max(room - text.count - last.count / 2, 1)) + last
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
  private func dashes(_ count: Int) -> String { String(repeating: "-", count: max(count, 0)) }
}

/// Letters for long values, in order of arrival.
private struct Legend {
  private var letters: [String: Character] = [:]
  private var entries: [(letter: Character, text: String)] = []
  /// The mark for values that are too close to each other.
  static let crowd = "*"
  var hasCrowd = false
  private static let alphabet = Array("abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  mutating func letter(for text: String) -> String {
    if let known = letters[text] { return String(known) }
    guard entries.count < Self.alphabet.count else { return "?" }
    let letter = Self.alphabet[entries.count]
    letters[text] = letter
    entries.append((letter, text))
    return String(letter)
  }

  var rows: [StyledRow] {
    let rows = entries.map { entry in
      var row = StyledRow("  ")
      row.add("\(entry.letter)", .string)
      row.add(" = \(fitted(entry.text, to: 70))")
      return row
    }
    return rows
      + (hasCrowd ? [StyledRow("  \(Self.crowd) = values too close to tell apart", .faint)] : [])
  }
}
