/// A list of which one item is chosen by keys, and a typed filter for it. Writes to the terminal what
/// `draw` returns.
public struct Chooser {
  /// An item of the list.
  public struct Item: Sendable {
    /// The text that is shown and filtered.
    public let title: String
    /// A remark behind it.
    public let detail: String

    /// Makes an item.
    public init(title: String, detail: String) {
      self.title = title
      self.detail = detail
    }
  }

  /// What a key has led to.
  public enum Outcome: Equatable, Sendable {
    case pending
    /// The index of the item that was chosen.
    case chosen(Int)
    case cancelled
  }

  private let items: [Item]
  private let prompt: String
  private var filter = ""
  private var matches: [(item: Int, positions: [Int])] = []
  private var selected = 0
  /// The first match that is shown.
  private var first = 0
  /// The number of matches that the last frame had room for.
  private var room = 10
  private var painter: Painter

  /// - Parameter filter: the text that is already typed.
  public init(
    _ items: [Item], prompt: String = "> ", filter: String = "", theme: Theme = .standard
  ) {
    self.items = items
    self.prompt = prompt
    self.filter = filter
    painter = Painter(theme: theme)
    match()
  }

  /// Handles a key, a typed or a pasted text.
  public mutating func handle(_ event: InputEvent) -> Outcome {
    switch event {
    case .text(let text): type(text)
    case .paste(let bytes): type(String(decoding: bytes, as: UTF8.self))
    case .key(let key): return handle(key)
    }
    return .pending
  }

  private mutating func handle(_ key: Key) -> Outcome {
    switch key {
    case Key(.enter), .control("j"), .control("m"):
      return matches.isEmpty ? .pending : .chosen(matches[selected].item)
    case Key(.escape), .control("c"), .control("g"), .control("d"): return .cancelled
    case Key(.up), .control("p"), Key(.tab, .shift): move(by: -1)
    case Key(.down), .control("n"), Key(.tab): move(by: 1)
    case Key(.pageUp): move(by: -room)
    case Key(.pageDown): move(by: room)
    case Key(.home): move(by: -matches.count)
    case Key(.end): move(by: matches.count)
    case Key(.backspace), .control("h"):
      if !filter.isEmpty { filter.removeLast() }
      match()
    case .control("u"), .control("w"):
      filter = ""
      match()
    default:
      if case .character(let scalar) = key.code, key.modifiers.subtracting(.shift).isEmpty {
        type(String(scalar))
      }
    }
    return .pending
  }

  private mutating func type(_ text: String) {
    filter += text.filter { !$0.isNewline }
    match()
  }

  private mutating func move(by count: Int) {
    selected = max(0, min(matches.count - 1, selected + count))
  }

  /// Applies the filter: the best matches come first, equal ones in the order of the items.
  private mutating func match() {
    (selected, first) = (0, 0)
    let found = items.indices.compactMap { index in
      FuzzyMatch(filter, in: items[index].title).map { (item: index, match: $0) }
    }
    let isFiltered = filter.contains { $0 != " " }
    let sorted =
      isFiltered ? found.sorted { ($0.match.score, $1.item) > ($1.match.score, $0.item) } : found
    matches = sorted.map { ($0.item, $0.match.positions) }
  }

  // MARK: Drawing

  /// Returns the bytes that show the list on a terminal of some size.
  public mutating func draw(columns: Int, rows: Int) -> String {
    room = max(1, min(rows - 2, 20))
    first = min(max(first, selected - room + 1), selected)
    var builder = FrameBuilder(width: columns)
    builder.add(prompt, .prompt)
    builder.add(filter, .plain)
    builder.markCursor()
    let cursor = builder.frame.cursor
    let width = matches.map { LineEditor.columns(of: items[$0.item].title) }.max() ?? 0
    for index in matches.indices.dropFirst(first).prefix(room) {
      builder.newRow()
      row(index, width, columns, &builder)
    }
    builder.newRow()
    builder.add(fitted("  \(matches.count)/\(items.count)", to: columns), .detail)
    var frame = builder.frame
    frame.cursor = cursor
    return painter.paint(frame, width: columns)
  }

  private func row(_ index: Int, _ width: Int, _ columns: Int, _ builder: inout FrameBuilder) {
    let (item, positions) = matches[index]
    let isSelected = index == selected
    builder.add(isSelected ? "> " : "  ", isSelected ? .prompt : .plain)
    let title = fitted(items[item].title, to: columns - 2)
    for (position, character) in title.enumerated() {
      let style: Style = isSelected ? .selected : positions.contains(position) ? .match : .menu
      builder.add(character, style)
    }
    let gap = max(0, width - LineEditor.columns(of: title)) + 2
    let left = columns - 2 - LineEditor.columns(of: title) - gap
    guard left > 3, !items[item].detail.isEmpty else { return }
    builder.add(String(repeating: " ", count: gap), .plain)
    builder.add(fitted(items[item].detail, to: left), .detail)
  }

  /// Returns the bytes that remove the list from the terminal.
  public mutating func erase() -> String { painter.erase() }

  /// Returns the bytes that prepare for a frame of another width.
  public mutating func resize(columns: Int) -> String { painter.resize(width: columns) }
}
