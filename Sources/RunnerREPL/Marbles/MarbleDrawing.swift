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
  /// Events within this time count as simultaneous.
  private static let moment = Duration.milliseconds(1)
  /// The number of columns by which the last event may exceed the axis.
  private static let overhang = 8

  var lines: [String] {
    let margin = min(tracks.map { columns(of: $0.title) }.max() ?? 0, Self.longestTitle) + 2
    let room = max(width - margin - Self.overhang - 1, 10)
    var legend = Legend()
    let rows = tracks.map { track in
      let title = fitted(track.title, to: margin - 2)
      return title + spaces(margin - columns(of: title)) + row(of: track, room, &legend)
    }
    return rows + [spaces(margin) + axis(room)] + legend.lines
  }

  private var span: Duration { max(now, .milliseconds(1)) }

  private func column(of time: Duration, _ room: Int) -> Int {
    min(Int(time / span * Double(room - 1)), room - 1)
  }

  private func row(of track: MarbleTrack, _ room: Int, _ legend: inout Legend) -> String {
    var row = ""
    var length = 0
    let append = { (text: String) in
      row += text
      length += columns(of: text)
    }
    let end = column(of: track.end?.at ?? now, room)
    var rest = track.values[...]
    while let first = rest.first {
      let column = column(of: first.at, room)
      let together = rest.prefix {
        self.column(of: $0.at, room) == column || $0.at - first.at < Self.moment
      }
      rest = rest.dropFirst(together.count)
      if length < column { append(String(repeating: "-", count: column - length)) }
      let next = rest.first.map { self.column(of: $0.at, room) } ?? max(end, room + Self.overhang)
      append(marbles(together.map(\.text), within: next - length, &legend))
    }
    if length < end { append(String(repeating: "-", count: end - length)) }
    switch track.end?.kind {
    case .completed: append("|")
    case .failed: append("x")
    case nil: append(">")
    }
    return row
  }

  /// The events in one column, or one mark if they do not fit.
  private func marbles(
    _ texts: [String], within room: Int, _ legend: inout Legend
  ) -> String {
    var tried = legend
    let shown = texts.prefix(MarbleTrack.marblesPerColumn).map { marble($0, &tried) }.joined()
    let more = texts.count > MarbleTrack.marblesPerColumn ? "…" : ""
    let text = texts.count > 1 ? "(\(shown)\(more))" : shown
    guard columns(of: text) > room else {
      legend = tried
      return text
    }
    legend.hasCrowd = true
    return Legend.crowd
  }

  private func marble(_ text: String, _ legend: inout Legend) -> String {
    columns(of: text) <= Self.longestMarble && !text.contains(" ") ? text : legend.letter(for: text)
  }

  /// `0        0.5 s        1.0 s`
  private func axis(_ room: Int) -> String {
    let middle = (span / 2).brief
    let last = span.brief
    var text = "0"
    text += spaces(max(room / 2 - text.count - middle.count / 2, 1)) + middle
    return text + spaces(max(room - text.count - last.count / 2, 1)) + last
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
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

  var lines: [String] {
    entries.map { "  \($0.letter) = \(fitted($0.text, to: 70))" }
      + (hasCrowd ? ["  \(Self.crowd) = values too close to tell apart"] : [])
  }
}
