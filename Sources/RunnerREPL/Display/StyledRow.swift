import LineEditor
import RunnerCore
import struct RunnerCore.Style

/// A row of text in pieces that have a colour each.
struct StyledRow {
  enum Color { case plain, faint, number, string, good, bad }

  private var pieces: [(text: String, color: Color)] = []
  /// The columns that it takes.
  private(set) var width = 0

  init(_ text: String = "", _ color: Color = .plain) { add(text, color) }

  mutating func add(_ text: String, _ color: Color = .plain) {
    guard !text.isEmpty else { return }
    width += columns(of: text)
    if pieces.last?.color == color {
      pieces[pieces.count - 1].text += text
    } else {
      pieces.append((text, color))
    }
  }

  mutating func add(spaces count: Int) { add(String(repeating: " ", count: max(count, 0))) }

  /// The text, cut to a number of columns.
  func text(_ style: Style, fitting limit: Int) -> String {
    var room = limit
    var result = ""
    for (text, color) in pieces where room > 0 {
      let shown = fitted(text, to: room)
      room -= shown == text ? columns(of: text) : room
      let styled =
        switch color {
        case .plain: shown
        case .faint: style.faint(shown)
        case .number: style.number(shown)
        case .string: style.string(shown)
        case .good: style.strong(shown)
        case .bad: style.error(shown)
        }
      result += styled
    }
    return result
  }
}
