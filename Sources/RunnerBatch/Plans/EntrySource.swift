import Journal
import RunnerCore

/// Provides the entries of a batch: files here; another implementation may read a queue.
package protocol EntrySource: Sendable {
  /// Requests the next entries, after the previous request has been answered.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of entries.
  ///   - deliver: called once, on any thread, as soon as entries are available.
  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void)
}

/// The entries that a source delivers.
package struct EntryPage: Sendable {
  package var entries: [PlannedEntry] = []
  /// The problems that prevented a plan from being read to its end.
  var problems: [String] = []
  /// The fraction of all entries delivered so far, from 0 to 1, if known.
  var fraction: Double?
  /// True if nothing follows.
  package var isLast = false

  package init(
    entries: [PlannedEntry] = [], problems: [String] = [], fraction: Double? = nil,
    isLast: Bool = false
  ) {
    self.entries = entries
    self.problems = problems
    self.fraction = fraction
    self.isLast = isLast
  }
}

/// An entry of a plan.
package struct PlannedEntry: Sendable {
  let entry: PlanEntry
  /// The reason why it cannot be executed, whatever the commands are.
  var problem: String?
}
