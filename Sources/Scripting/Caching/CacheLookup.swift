import Platform

/// The answer of the cache to an execution.
enum CacheAnswer: Sendable {
  /// The result of an equal execution.
  case found(CacheKey, CachedResult)
  /// There is none. The difference from the latest result of the call, if there is one.
  case missing(UpToDateChange?)
  /// What was there cannot be used.
  case unusable(CacheProblem)
}

extension ResultCache {
  /// Looks for the result of an execution whose files are as an inspection has found them.
  func answer(
    _ terms: UpToDateTerms, _ call: CachedCall, _ inspection: Inspection,
    isCancelled: @Sendable () -> Bool
  ) -> CacheAnswer {
    do {
      let key = CacheKey(terms, call, inspection.sources)
      if let (key, result) = try result(key, terms, call, isCancelled) {
        return .found(key, result)
      }
      return .missing(difference(terms, call, inspection))
    } catch {
      return .unusable(error)
    }
  }

  private func result(
    _ key: CacheKey, _ terms: UpToDateTerms, _ call: CachedCall,
    _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) -> (CacheKey, CachedResult)? {
    guard terms.depfiles != nil else { return try result(key).map { (key, $0) } }
    for list in dependencyLists(key)?.lists ?? [] {
      guard
        let files = try? [FileRecord](of: list, known: [], isCancelled: isCancelled),
        files.count == list.count, !files.contains(where: { $0.kind == .missing })
      else { continue }
      let full = key.with(files, in: call.root)
      if let result = try result(full) { return (full, result) }
    }
    return nil
  }

  /// The first difference from the latest result of the call.
  private func difference(
    _ terms: UpToDateTerms, _ call: CachedCall, _ inspection: Inspection
  ) -> UpToDateChange? {
    guard let key = last(of: call), let result = try? result(key),
      let about = try? StoredExecution(content(of: result.about))
    else { return nil }
    return inspection.differences(terms, about).first
  }
}
