import RunnerCore

/// The latest entries of one session, numbered from 1. Older ones are dropped, so that a session may
/// have any number of entries.
package struct EntryLog {
  /// The number of entries that are kept at least.
  package static let capacity = 10_000

  package private(set) var texts: [String] = []
  /// The number of entries that were dropped: those with the lowest numbers.
  package private(set) var droppedCount = 0

  package init() {}

  /// The number of the latest entry.
  package var latest: Int { droppedCount + texts.count }

  package mutating func add(_ text: [UInt8]) {
    texts.append(String(decoding: text, as: UTF8.self))
    // Many at a time, so that an entry costs the same however many there are.
    guard texts.count == 2 * Self.capacity else { return }
    droppedCount += texts.count - Self.capacity
    texts.removeFirst(texts.count - Self.capacity)
  }

  package subscript(number: Int) -> String? {
    let index = number - droppedCount - 1
    return texts.indices.contains(index) ? texts[index] : nil
  }

  /// True for an entry that its user keeps out of the history, as in a shell: it begins with a space.
  package static func isPrivate(_ text: some Collection<UInt8>) -> Bool {
    text.first == UInt8(ascii: " ")
  }

  /// True for an entry that there was, and that is no longer kept.
  package func hasDropped(_ number: Int) -> Bool { number > 0 && number <= droppedCount }

  /// Tells what was dropped; nil if nothing was.
  package var gap: String? {
    switch droppedCount {
    case 0: nil
    case 1: "entry 1 is no longer kept"
    default: "entries 1 to \(droppedCount) are no longer kept"
    }
  }

  /// The latest entries with their numbers: a number of them, or those that contain a text.
  ///
  /// - Parameter end: the number of the entry that is executed, which is left out.
  package func entries(
    _ request: String, usually count: Int, before end: Int = .max
  ) -> [(number: Int, text: String)] {
    let known = texts.indices.prefix { $0 + droppedCount + 1 < end }
    let isCount = request.isEmpty || Int(request) != nil
    let chosen = isCount ? known.suffix(max(0, Int(request) ?? count)) : known
    return chosen.map { ($0 + droppedCount + 1, texts[$0]) }
      .filter { !Self.isPrivate($0.1.utf8) && (isCount || $0.1.contains(request)) }
  }
}
