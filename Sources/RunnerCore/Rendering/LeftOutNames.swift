import Platform

/// The executions of a run whose work was left out, and why.
struct LeftOutNames {
  private var upToDate = NamedCount()
  private var restored = NamedCount()
  private var saved = Duration.zero

  var isEmpty: Bool { upToDate.count == 0 && restored.count == 0 }

  mutating func add(_ record: ExecutionRecord) {
    guard let time = record.savedTime else { return upToDate.add(record.label) }
    restored.add(record.label)
    saved += time
  }

  /// What there is to say of them.
  var sentences: [String] {
    let time = "restored from the cache in place of \(saved.shortText)"
    return [
      upToDate.sentence("is up to date", "are up to date"),
      restored.sentence("is \(time)", "are \(time)"),
    ].compactMap { $0 }
  }
}
