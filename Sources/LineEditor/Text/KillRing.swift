/// The cut texts, of which the latest is pasted first.
struct KillRing {
  enum Direction { case forward, backward }

  private static let capacity = 60

  private var texts: [String] = []
  private var yanked = 0

  /// Stores a text; a text that is cut right after another is joined to it.
  mutating func kill(_ text: String, _ direction: Direction, joining: Bool) {
    guard !text.isEmpty else { return }
    if joining, let last = texts.popLast() {
      texts.append(direction == .forward ? last + text : text + last)
    } else {
      texts.append(text)
      if texts.count > Self.capacity { texts.removeFirst() }
    }
    yanked = 0
  }

  /// The latest text.
  mutating func yank() -> String? {
    yanked = 0
    return texts.last
  }

  /// The text cut before the one that was pasted last.
  mutating func yankEarlier() -> String? {
    guard !texts.isEmpty else { return nil }
    yanked = (yanked + 1) % texts.count
    return texts[texts.count - 1 - yanked]
  }
}
