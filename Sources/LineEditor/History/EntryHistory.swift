/// The earlier entries, and a walk through them that preserves the unfinished entry.
public struct EntryHistory {
  /// The entries, oldest first.
  public private(set) var entries: [String]
  private let capacity: Int
  private var walk: Walk?

  private struct Walk {
    /// The buffer before the walk began, at position `entries.count`.
    var draft: EditBuffer
    var prefix: String
    var position: Int
  }

  /// Creates a history that keeps the latest `capacity` entries.
  public init(_ entries: [String] = [], capacity: Int = 10_000) {
    self.entries = entries.suffix(capacity)
    self.capacity = capacity
  }

  /// Adds an entry unless it repeats the latest one.
  public mutating func append(_ entry: String) {
    walk = nil
    guard entry != entries.last else { return }
    entries.append(entry)
    if entries.count > capacity + capacity / 8 { entries.removeFirst(entries.count - capacity) }
  }

  /// Adds the entries of other sessions, also during a walk.
  public mutating func add(ofOthers others: [String]) {
    for entry in others where entry != entries.last { entries.append(entry) }
    if walk == nil, entries.count > 2 * capacity { entries.removeFirst(entries.count - capacity) }
  }

  /// Ends the walk: the next one starts at the latest entry.
  mutating func endWalk() { walk = nil }

  var isWalking: Bool { walk != nil }

  /// The latest entry that begins with the text before the cursor at the start of the walk.
  mutating func older(than buffer: EditBuffer) -> EditBuffer? {
    var current =
      walk
      ?? Walk(draft: buffer, prefix: buffer.textBeforeCursor, position: entries.count)
    let shown = buffer.text
    let found = entries[..<current.position].lastIndex {
      $0.hasPrefix(current.prefix) && $0 != shown
    }
    guard let found else { return nil }
    current.position = found
    walk = current
    return EditBuffer(entries[found])
  }

  mutating func newer(than buffer: EditBuffer) -> EditBuffer? {
    guard var current = walk else { return nil }
    let shown = buffer.text
    let found = entries[(current.position + 1)...].firstIndex {
      $0.hasPrefix(current.prefix) && $0 != shown
    }
    guard let found else {
      walk = nil
      return current.draft
    }
    current.position = found
    walk = current
    return EditBuffer(entries[found])
  }

  /// The rest of the latest entry that begins with a text.
  public func suggestion(for text: String) -> String? {
    guard !text.isEmpty else { return nil }
    // Only recent entries: old ones are seldom wanted, and every key press searches.
    return entries.suffix(2_000).last { $0.count > text.count && $0.hasPrefix(text) }
      .map { String($0.dropFirst(text.count)) }
  }

  /// The nearest entry that contains a text, from a position on towards older or newer ones. If the
  /// text has no capital letters, case does not matter.
  func search(
    _ text: String, from position: Int, isBackward: Bool
  ) -> (index: Int, range: Range<Int>)? {
    guard !text.isEmpty else { return nil }
    let isCaseless = !text.contains { $0.isUppercase }
    let wanted = Array(isCaseless ? text.lowercased() : text)
    var index = position
    while entries.indices.contains(index) {
      let entry = isCaseless ? entries[index].lowercased() : entries[index]
      if let start = Array(entry).lastStart(of: wanted) {
        return (index, start..<start + wanted.count)
      }
      index += isBackward ? -1 : 1
    }
    return nil
  }
}

extension [Character] {
  /// The start of the last occurrence of characters.
  fileprivate func lastStart(of wanted: [Character]) -> Int? {
    guard wanted.count <= count else { return nil }
    return stride(from: count - wanted.count, through: 0, by: -1).first {
      self[$0..<$0 + wanted.count].elementsEqual(wanted)
    }
  }
}
