import LineEditor
import LuaRuntime
import RunnerCore
import struct RunnerCore.Style
import Scripting

/// The text of a value as a session shows it: strings quoted, tables with a limited depth and
/// number of items, functions with their parameters and place, objects with their live state.
struct ValueText: Sendable {
  /// How much of a value is shown.
  struct Limits: Sendable {
    /// The maximum depth of nested tables.
    var depth: Int
    /// The maximum number of items of one table, and of all.
    var items: Int
    var allItems: Int
    /// The maximum number of bytes of a string, and of one inside a table.
    var string: Int
    var innerString: Int
    /// The maximum number of items of one table that are looked at.
    var walk: Int

    static let usual = Limits(
      depth: 4, items: 50, allItems: 2_000, string: 10_000, innerString: 200, walk: 100_000)
    /// Everything; Ctrl-C ends it. The depth spares the stack.
    static let none = Limits(
      depth: 1_000, items: .max, allItems: .max, string: .max, innerString: .max, walk: .max)
  }

  let host: ScriptHost
  let environment: SessionEnvironment
  var style: Style
  /// The last failure of a command, if known.
  var lastError: @Sendable (ScriptCommand) -> String? = { _ in nil }
  /// The column limit of a line.
  var width = 80
  var limits = Limits.usual

  /// The same format for all of a value.
  var whole: ValueText {
    var text = self
    text.limits = .none
    return text
  }

  /// The same format without colours.
  var uncolored: ValueText {
    var text = self
    text.style = Style(option: "never", descriptor: 1)
    return text
  }

  /// The text of a value, on as many lines as necessary.
  func text(of value: LuaValue) -> String { shown(value).text }

  /// The text of a value, and whether all of the value is in it.
  func shown(_ value: LuaValue) -> (text: String, isWhole: Bool) {
    var shapes = ValueShapes(self)
    let shape = shapes.shape(of: value)
    return (ValueLayout(style: style, width: width).text(of: shape), shapes.isWhole)
  }

  /// The text of a value on one line.
  func line(of value: LuaValue) -> String {
    var shapes = ValueShapes(self)
    return ValueLayout(style: style, width: width).line(of: shapes.shape(of: value))
  }

  /// The text of a value in a diagram: a string without quotes, and without line breaks.
  func marble(of value: LuaValue) -> String { output(of: value).visibleInLine }

  /// The text of a value that a command or a job sends, on one line: a string as it is.
  func output(of value: LuaValue) -> String {
    guard case .string(let string) = value else { return line(of: value) }
    return bounded(string.exactText, to: 100_000)
  }
}

/// A text, cut if it is too long.
func bounded(_ text: String, to limit: Int) -> String {
  text.utf8.count > limit ? "\(text.prefix(limit))… (\(text.utf8.count) bytes)" : text
}
