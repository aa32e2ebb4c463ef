import Journal
import RunnerCore

/// Provides the entries of a batch: files here; another implementation may read a queue.
package protocol EntrySource: Sendable {
  /// Requests the next entries, after the previous request has been answered.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of entries; a page that was read ahead may have as many as the call
  ///     before this one asked for.
  ///   - deliver: called once, on any thread, as soon as entries are available.
  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void)
}

/// The entries that a source delivers.
package struct EntryPage: Sendable {
  package var entries: [PlannedEntry] = []
  /// The problems that prevented a plan from being read to its end.
  package var problems: [String] = []
  /// The fraction of all entries delivered so far, from 0 to 1, if known.
  package var fraction: Double?
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
  package var entry: PlanEntry
  /// The reason why it cannot be executed, whatever the commands are.
  package var problem: String?
  /// The tags that a worker must have to execute it; they mean nothing on one machine.
  package var tags: [String]

  package init(entry: PlanEntry, problem: String? = nil, tags: [String] = []) {
    self.entry = entry
    self.problem = problem
    self.tags = tags
  }
}

extension PlannedEntry {
  /// Returns true for a word that can be a tag of entries and workers.
  package static func isTag(_ word: String) -> Bool {
    !word.isEmpty
      && word.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || "-_.".unicodeScalars.contains($0)
      }
  }
}
