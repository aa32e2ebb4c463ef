/// A completion candidate.
public struct Completion: Equatable, Sendable {
  /// The text that replaces the typed one.
  public var text: String
  /// The label in the menu.
  public var label: String
  /// The kind, in one word: `function`, `command`, `field`.
  public var kind: String
  /// Its documentation in one line.
  public var detail: String

  /// Creates a candidate, by default labelled with its own text.
  public init(_ text: String, label: String? = nil, kind: String = "", detail: String = "") {
    self.text = text
    self.label = label ?? text
    self.kind = kind
    self.detail = detail
  }
}

/// All candidates at the cursor.
public struct CompletionList: Equatable, Sendable {
  /// The number of characters before the cursor that a candidate replaces.
  public var replacedCount: Int
  /// The candidates, in the order of the menu.
  public var items: [Completion]

  /// Creates a list of candidates.
  public init(replacing replacedCount: Int = 0, _ items: [Completion] = []) {
    self.replacedCount = replacedCount
    self.items = items
  }

  /// The common prefix of all candidates.
  var commonPrefix: String {
    guard var prefix = items.first?.text else { return "" }
    for item in items.dropFirst() {
      prefix = String(zip(prefix, item.text).prefix { $0 == $1 }.map(\.0))
    }
    return prefix
  }
}

/// The state of the open menu.
struct CompletionMenu: Equatable {
  let items: [Completion]
  /// The range of the buffer that contains the selected item.
  var range: Range<Int>
  /// The original text of the range.
  let original: String
  /// The selected item; nil until a key selects one.
  var selected: Int?

  private static let maximumRows = 8

  mutating func select(offset: Int) {
    let before = selected ?? (offset > 0 ? -1 : items.count)
    selected = (before + offset + items.count) % items.count
  }

  mutating func selectPage(_ direction: Int) {
    selected = min(max(0, (selected ?? 0) + direction * Self.maximumRows), items.count - 1)
  }

  /// Draws the items around the selected one below the text.
  func draw(into builder: inout FrameBuilder, width: Int) {
    let height = min(Self.maximumRows, items.count)
    let first = min(max(0, (selected ?? 0) - height / 2), items.count - height)
    let visible = first..<first + height
    let labels = min(items[visible].map { columns(of: $0.label) }.max() ?? 0, max(8, width / 2))
    let kinds = items[visible].map { columns(of: $0.kind) }.max() ?? 0
    for index in visible {
      let item = items[index]
      builder.newRow()
      let style: Style = index == selected ? .selected : .menu
      builder.add(" " + padded(item.label, to: labels) + " ", style)
      var room = width - labels - 3
      if kinds > 0, room > kinds + 1 {
        builder.add(" " + padded(item.kind, to: kinds), .detail)
        room -= kinds + 1
      }
      if !item.detail.isEmpty, room > 8 {
        builder.add("  " + fitted(item.detail, to: room - 3), .detail)
      }
    }
    if height < items.count {
      builder.newRow()
      builder.add(
        fitted(" \(selected.map { "\($0 + 1) of " } ?? "")\(items.count)", to: width - 1), .detail)
    }
  }
}

/// A text of one line, truncated to a number of columns.
public func fitted(_ text: String, to width: Int) -> String {
  var used = 0
  var shown = ""
  for character in text {
    let next = columns(of: character)
    if used + next > width {
      while used > width - 1, let last = shown.popLast() { used -= columns(of: last) }
      shown += "…"
      used += 1
      break
    }
    shown.append(character)
    used += next
  }
  return shown
}

/// A text of one line, truncated or padded to a number of columns.
public func padded(_ text: String, to width: Int) -> String {
  let shown = fitted(text, to: width)
  return shown + String(repeating: " ", count: max(0, width - columns(of: shown)))
}
