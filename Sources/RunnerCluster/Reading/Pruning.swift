import Scripting

/// The removal of old batches from a server.
package struct Pruning {
  package let batches: Int
  package let entries: Int
  /// The bytes of files that no batch needs any more.
  package let bytes: Int

  /// Deletes batches with all that belongs to them.
  ///
  /// - Parameters:
  ///   - age: the time since their end.
  ///   - kept: the number of the latest ended batches that stay, whatever their age.
  package init(_ questions: ServerQuestions, olderThan age: Duration, keeping kept: Int) throws {
    let rows = try questions.ask(
      SQL.prune, [.number(age / .seconds(1)), .integer(kept)])
    batches = rows.integer(0, 0)
    entries = rows.integer(0, 1)
    _ = try questions.ask(SQL.prune_bundles)
    bytes = try questions.ask(SQL.prune_blobs).integer(0, 0)
  }

  package var text: String {
    let entries = "\(entries) \(entries == 1 ? "entry" : "entries")"
    return "\(batches) \(batches == 1 ? "batch" : "batches") with \(entries) removed"
      + (bytes > 0 ? ", and \(bytes) bytes of files" : "")
  }
}
