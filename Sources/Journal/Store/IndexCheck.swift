/// Checks that the indexes of executions find every row, and nothing else: in one pass over the table
/// and one over each index, where `PRAGMA integrity_check` looks up each row in each index.
///
/// An index is in order and holds what the table holds, of which a sum is compared, that is the same
/// in every order: damage is missed with a probability of 1 in 2⁶⁴. Confined to its database's thread.
enum IndexCheck {
  private typealias Key = (high: UInt64, low: UInt64)

  /// What a pass has read.
  private struct Contents: Equatable {
    private var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ key: Key = (0, 0), run: Int64 = 0, batch: Int64, execution: Int64) {
      var row = RowChecksum.Sum()
      row.add(key.high)
      row.add(key.low)
      for number in [run, batch, execution] { row.add(UInt64(bitPattern: number)) }
      count += 1
      sum &+= row.state
    }
  }

  /// - Returns: false if an index is damaged, or has a key that this check does not know.
  static func passes(in database: Database) throws(JournalError) -> Bool {
    guard let (entries, batches) = try table(database) else { return false }
    let byEntry = try index(
      """
      SELECT key, batch, id, id >> 16 FROM execution INDEXED BY execution_by_entry
        ORDER BY id >> 16, key, batch, id
      """, in: database)
    guard byEntry == entries else { return false }
    let byBatch = try index(
      """
      SELECT NULL, batch, id, 0 FROM execution INDEXED BY execution_by_batch ORDER BY batch, id
      """, in: database)
    return byBatch == batches
  }

  private static func table(
    _ database: Database
  ) throws(JournalError) -> (byEntry: Contents, byBatch: Contents)? {
    var contents = (byEntry: Contents(), byBatch: Contents())
    var isKnown = true
    try Statement("SELECT key, batch, id FROM execution NOT INDEXED", in: database).forEach { row in
      guard let key = row.words(0) else {
        isKnown = false
        return false
      }
      contents.byEntry.add(
        key, run: row.integer(2) >> 16, batch: row.integer(1), execution: row.integer(2))
      contents.byBatch.add(batch: row.integer(1), execution: row.integer(2))
      return true
    }
    return isKnown ? contents : nil
  }

  /// Reads an index in its order, from a statement for key, batch, number and run; an index that has
  /// no key gives NULL for it, and one that has no runs 0.
  ///
  /// - Returns: nil if the index is not in order.
  private static func index(_ sql: String, in database: Database) throws(JournalError) -> Contents?
  {
    var contents = Contents()
    var isInOrder = true
    var last: (Int64, UInt64, UInt64, Int64, Int64) = (.min, 0, 0, .min, .min)
    try Statement(sql, in: database).forEach { row in
      let key = row.words(0) ?? (0, 0)
      // SQLite compares bytes, the first one first.
      let next = (
        row.integer(3), key.high.bigEndian, key.low.bigEndian, row.integer(1), row.integer(2)
      )
      isInOrder = last < next
      last = next
      contents.add(key, run: next.0, batch: next.3, execution: next.4)
      return isInOrder
    }
    return isInOrder ? contents : nil
  }
}
