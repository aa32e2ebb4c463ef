/// A list of which one item is selected, and the text of that item below it, on a whole screen. Writes
/// to the terminal what `draw` returns.
///
/// The text follows what is appended until it is scrolled up; at its end it follows again.
public struct Browser {
  /// An item of the list.
  public struct Item: Equatable, Sendable {
    /// The name of the item.
    public let title: String
    /// A remark behind it.
    public let detail: String
    /// The style of the remark.
    public let style: Style

    /// Makes an item.
    public init(title: String, detail: String, style: Style) {
      self.title = title
      self.detail = detail
      self.style = style
    }
  }

  /// What a key has led to.
  public enum Outcome: Equatable, Sendable {
    case done
    /// Another item is selected: its text is wanted.
    case selected
    case left
  }

  /// The items of the list.
  public var items: [Item] { didSet { selected = min(selected, max(0, items.count - 1)) } }
  /// The index of the selected item.
  public private(set) var selected = 0
  private var text = TextView()
  /// The rows of the text that the last frame had.
  private var room = 1
  private var width = 80
  private var painter: Painter

  /// Makes a browser without text.
  public init(_ items: [Item], theme: Theme = .standard) {
    self.items = items
    painter = Painter(theme: theme)
  }

  /// Replaces the text, of which the end is shown.
  public mutating func setText(_ text: String) {
    self.text = TextView()
    self.text.append(text)
  }

  /// Adds to the end of the text.
  public mutating func append(_ text: String) { self.text.append(text) }

  /// True while the end of the text is shown.
  public var isFollowing: Bool { text.isFollowing }

  /// Handles a key.
  public mutating func handle(_ event: InputEvent) -> Outcome {
    guard case .key(let key) = event else { return .done }
    switch key {
    case .typed("q"), .control("c"), .control("d"): return .left
    case Key(.tab), Key(.right), .typed("n"): return select(selected + 1)
    case Key(.tab, .shift), Key(.left), .typed("p"): return select(selected - 1)
    case Key(.up), .typed("k"): text.scroll(by: -1, rows: room, width: width)
    case Key(.down), .typed("j"): text.scroll(by: 1, rows: room, width: width)
    case Key(.pageUp), .typed("b"): text.scroll(by: 1 - room, rows: room, width: width)
    case Key(.pageDown), .typed(" "): text.scroll(by: room - 1, rows: room, width: width)
    case Key(.home), .typed("g"): text.scroll(by: .min / 2, rows: room, width: width)
    case Key(.end), .typed("G"): text.follow()
    default:
      guard case .character(let scalar) = key.code, key.modifiers.isEmpty,
        let digit = Character(scalar).wholeNumberValue, (1...items.count).contains(digit)
      else { break }
      return select(digit - 1)
    }
    return .done
  }

  private mutating func select(_ index: Int) -> Outcome {
    guard items.count > 1 else { return .done }
    selected = (index + items.count) % items.count
    return .selected
  }

  // MARK: Drawing

  /// Returns the bytes that show everything on a screen of some size whose cursor is in its first
  /// cell, or that change what is shown there.
  public mutating func draw(columns: Int, rows: Int) -> String {
    width = max(columns, 2)
    let listed = min(items.count, max(1, rows / 3))
    room = max(1, rows - listed - 2)
    var builder = FrameBuilder(width: width)
    let first = min(max(0, selected - listed / 2), items.count - listed)
    let titles = items.map { LineEditor.columns(of: $0.title) }.max() ?? 0
    for index in first..<(first + listed) {
      row(index, min(titles, width / 2), &builder)
      builder.newRow()
    }
    let name = items.isEmpty ? "" : items[selected].title
    let state = text.isFollowing ? "" : "End follows "
    bar(" \(name) ", state.isEmpty ? "" : " \(state)", &builder)
    builder.newRow()
    for line in text.visible(rows: room, width: width) {
      builder.add(line, .plain)
      builder.newRow()
    }
    while builder.frame.rows.count < rows { builder.newRow() }
    builder.add(keys, .detail)
    builder.markCursor()
    return painter.paint(builder.frame.clipped(height: rows), width: width)
  }

  private func row(_ index: Int, _ titles: Int, _ builder: inout FrameBuilder) {
    let item = items[index]
    let mark = index == selected ? "> " : "  "
    let title = fitted(item.title, to: min(titles, width - 2))
    builder.add(mark, .prompt)
    builder.add(title, index == selected ? .selected : .menu)
    let gap = titles - LineEditor.columns(of: title) + 2
    let left = width - 2 - titles - 2
    guard left > 1 else { return }
    builder.add(String(repeating: " ", count: max(0, gap)), .plain)
    builder.add(fitted(item.detail, to: left), item.style)
  }

  private func bar(_ start: String, _ end: String, _ builder: inout FrameBuilder) {
    let start = fitted("──" + start, to: width)
    let left = width - LineEditor.columns(of: start) - LineEditor.columns(of: end)
    let line = String(repeating: "─", count: max(0, left))
    builder.add(fitted(start + line + end, to: width), .detail)
  }

  /// The keys, as many as there is room for.
  private var keys: String {
    var text = ""
    for key in ["q leave", "Tab next", "↑↓ PgUp PgDn scroll", "End follow", "Home begin"] {
      let longer = text.isEmpty ? key : "\(text)  \(key)"
      if LineEditor.columns(of: longer) >= width { break }
      text = longer
    }
    return text
  }

  /// Returns the bytes that empty the screen before everything is drawn again.
  public mutating func clear() -> String {
    painter.forget()
    return "\u{1B}[H\u{1B}[2J"
  }
}
