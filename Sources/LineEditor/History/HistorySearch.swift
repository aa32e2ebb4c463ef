/// An incremental search of the history: Ctrl-R and Ctrl-S.
struct HistorySearch: Equatable {
  /// The buffer before the search.
  let origin: EditBuffer
  var query = ""
  /// The index of the matching entry, and the range of the match in it.
  var match: (index: Int, range: Range<Int>)?
  var hasFailed = false

  init(from buffer: EditBuffer) { origin = buffer }

  static func == (left: HistorySearch, right: HistorySearch) -> Bool {
    left.query == right.query && left.match?.index == right.match?.index
      && left.hasFailed == right.hasFailed && left.origin == right.origin
  }

  /// Searches for the query, from the match on or beyond it.
  mutating func find(in history: EntryHistory, isBackward: Bool, beyond: Bool) {
    let newest = history.entries.count - 1
    var start = match?.index ?? newest
    if beyond, match != nil { start += isBackward ? -1 : 1 }
    if let found = history.search(query, from: start, isBackward: isBackward) {
      match = found
      hasFailed = false
    } else {
      hasFailed = !query.isEmpty
      if query.isEmpty { match = nil }
    }
  }

  func buffer(in history: EntryHistory) -> EditBuffer {
    guard let match else { return origin }
    var buffer = EditBuffer(history.entries[match.index])
    buffer.moveCursor(to: match.range.upperBound)
    return buffer
  }
}
