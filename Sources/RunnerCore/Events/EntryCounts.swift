/// The numbers of entries by outcome.
package struct EntryCounts: Equatable {
  package var completed = 0
  /// Those of the completed whose work was left out because their command is up to date.
  package var upToDate = 0
  package var failed = 0
  package var cancelled = 0
  package var skipped = 0
  /// The number of further attempts.
  package var retries = 0

  package var ended: Int { completed + failed + cancelled + skipped }

  package init() {}
}
