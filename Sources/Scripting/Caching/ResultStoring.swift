import Digests
import Platform

/// What is to be stored of an execution that has succeeded.
struct ResultDraft: Sendable {
  var key: CacheKey
  var call: CachedCall
  var terms: UpToDateTerms
  /// What counts the next time, with the records of the files.
  var execution: StoredExecution
  /// The values, and what was printed.
  var said: RecordedValues
  var seconds: Double
}

extension ResultCache {
  /// Stores what an execution has made. The entry gets its name last, when all that it names has its own.
  /// Nothing waits for the disk: what a power failure takes of an entry is found by its digest.
  ///
  /// - Throws: `CacheProblem` if nothing is stored.
  func store(
    _ draft: ResultDraft, _ gathered: GatheredOutputs, isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) {
    try gathered.check(draft.execution, in: draft.call.root)
    for (blob, file) in gathered.new { try file.name(place(of: blob)) }
    var writer = ByteWriter()
    draft.said.write(to: &writer)
    var about = draft.execution
    (about.outputs, about.values) = ([], RecordedValues())
    let work = gathered.work
    var result = CachedResult(
      said: try write(writer.bytes, by: work), about: try write(about.bytes, by: work),
      seconds: draft.seconds)
    result.outputs = gathered.outputs
    if isCancelled() { throw .cancelled }
    try write(with(draft, &result), draft, by: work)
    note { $0.bytes += gathered.new.reduce(result.bytes.count) { $0 + $1.blob.size } }
    gathered.release()
    keepToBound()
  }

  /// Gives a result the files that its depfile named.
  ///
  /// - Returns: its key.
  private func with(
    _ draft: ResultDraft, _ result: inout CachedResult
  ) -> (key: CacheKey, result: CachedResult) {
    guard draft.terms.depfiles != nil else { return (draft.key, result) }
    result.dependencies = draft.execution.dependencies.map {
      $0.path.inCheckout(draft.call.root)
    }
    return (draft.key.with(draft.execution.dependencies, in: draft.call.root), result)
  }

  private func write(
    _ entry: (key: CacheKey, result: CachedResult), _ draft: ResultDraft, by work: CacheWorkplace
  ) throws(CacheProblem) {
    try write(entry.result.bytes, entry.key, by: work)
    if draft.terms.depfiles != nil {
      var lists = dependencyLists(draft.key) ?? DependencyLists()
      lists.add(entry.result.dependencies)
      try write(lists.bytes, draft.key, by: work)
    }
    try writeLast(entry.key, of: draft.call, by: work)
  }
}
