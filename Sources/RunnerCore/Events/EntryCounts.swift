/// The numbers of entries by outcome.
package struct EntryCounts: Equatable {
  package var completed = 0
  package var failed = 0
  package var cancelled = 0
  package var skipped = 0
  /// The number of further attempts.
  package var retries = 0

  package var ended: Int { completed + failed + cancelled + skipped }

  package init() {}
}
