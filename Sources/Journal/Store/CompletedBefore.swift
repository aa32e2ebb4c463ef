/// The executions that batches before one have completed, counted by key in memory. Only for a batch
/// beside which no other runs: then these executions do not change any more.
///
/// Reading the journal once, in the order of its rows, takes a small part of the time of a look-up
/// for each entry of a long plan: keys are digests, so that each look-up reads another page. Confined
/// to its database's thread.
final class CompletedBefore {
  private struct Slot {
    var high: UInt64 = 0
    var low: UInt64 = 0
    /// The number of the latest execution.
    var latest: Int64 = 0
    /// The number of executions; 0 for a free slot.
    var done: Int32 = 0
    /// The number of entries that were skipped because of them.
    var skipped: Int32 = 0
  }

  /// The most executions that are counted in memory, which takes 43 bytes for each.
  static let most = 2_000_000

  private var slots: [Slot]
  /// The slots of the entries that the commit under way has skipped.
  private var uncommitted: [Int] = []

  /// - Returns: nil if there are more than `most` executions.
  init?(
    before batch: Int64, in database: Database, most: Int = CompletedBefore.most
  ) throws(JournalError) {
    let count =
      try Statement(
        "SELECT count(*) FROM (SELECT 1 FROM execution WHERE batch < ? LIMIT ?)", in: database
      ).first(batch, most + 1) { Int($0.integer(0)) } ?? 0
    guard count <= most else { return nil }
    slots = Array(repeating: Slot(), count: count + count / 3 + 1)
    // In the order of the rows: the plus sign keeps SQLite from using the index.
    try Statement(
      "SELECT key, id FROM execution WHERE +batch < ? AND state = 'completed'", in: database
    ).forEach(batch) { row in
      if let key = row.words(0) { add(key, row.integer(1)) }
      return true
    }
  }

  private func add(_ key: (high: UInt64, low: UInt64), _ execution: Int64) {
    let place = place(of: key)
    slots[place].high = key.high
    slots[place].low = key.low
    slots[place].done += 1
    slots[place].latest = max(slots[place].latest, execution)
  }

  /// The slot of a key, or the free one that it would take. There always is one.
  private func place(of key: (high: UInt64, low: UInt64)) -> Int {
    var place = Int(key.high.multipliedFullWidth(by: UInt64(slots.count)).high)
    while slots[place].done > 0, slots[place].high != key.high || slots[place].low != key.low {
      place = place + 1 == slots.count ? 0 : place + 1
    }
    return place
  }

  /// Skips an entry if more equal ones have completed than were skipped.
  ///
  /// - Returns: the latest execution of an equal entry; nil if the entry is to be executed.
  func skip(_ key: EntryKey) -> Int64? {
    let place = place(of: key.words)
    guard slots[place].done > slots[place].skipped else { return nil }
    slots[place].skipped += 1
    uncommitted.append(place)
    return slots[place].latest
  }

  /// Takes over the number of entries that were skipped before these executions were counted.
  func skip(_ key: (high: UInt64, low: UInt64), times: Int32) {
    let place = place(of: key)
    if slots[place].done > 0 { slots[place].skipped = times }
  }

  /// The number of entries that were skipped.
  func skipped(_ key: EntryKey) -> Int { Int(slots[place(of: key.words)].skipped) }

  /// Keeps what was skipped since the last commit.
  func commit() { uncommitted.removeAll(keepingCapacity: true) }

  /// Forgets what was skipped since the last commit.
  func rollBack() {
    for place in uncommitted { slots[place].skipped -= 1 }
    commit()
  }
}

extension Row {
  /// The two halves of a key; nil for anything else, also for a text of the same bytes, which SQLite
  /// takes for another value.
  func words(_ column: Int32) -> (high: UInt64, low: UInt64)? {
    isBlob(column) ? withBytes(column, EntryKey.words) : nil
  }
}
