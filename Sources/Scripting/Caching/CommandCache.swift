import Digests
import LuaRuntime
import Platform
import Reactive

/// The cache as one execution uses it: what it looks for there, restores from it and stores in it.
struct CommandCache: Sendable {
  let cache: ResultCache
  private(set) var call: CachedCall

  /// - Returns: nil if the results of the command are not kept.
  init?(_ host: ScriptHost, _ terms: UpToDateTerms) {
    guard let cache = host.policy.cache, let call = terms.call else { return nil }
    (self.cache, self.call) = (cache, call)
  }

  /// Looks for the result of an execution; on any thread.
  ///
  /// - Returns: nil if there is nothing to look for.
  func answer(
    _ terms: UpToDateTerms, _ inspection: Inspection, isCancelled: @Sendable () -> Bool
  ) -> CacheAnswer? {
    guard !inspection.changes.isEmpty, inspection.isComparable else { return nil }
    if let refusal = call.refusal { return .unusable(refusal) }
    return cache.answer(terms, call, inspection, isCancelled: isCancelled)
  }

  /// Reports why the cache has no result, if the user can do something about it. On the loop's thread.
  func report(_ answer: CacheAnswer, of script: ScriptExecution) {
    switch answer {
    case .found: break
    case .missing: cache.note { $0.misses += 1 }
    // It is reported when the result is not stored.
    case .unusable(let problem) where problem == call.refusal: break
    case .unusable(let problem): report(dropped: problem, of: script)
    }
  }

  /// Reports that a result was not stored.
  func report(_ problem: CacheProblem, of script: ScriptExecution) {
    guard problem != .cancelled else { return }
    let command = script.scriptCommand
    let level: LogLevel = if case .changed = problem { .info } else { .warn }
    command.host.log(level, "the result of '\(command.name)' is not cached: \(problem)")
  }

  /// Reports that a result cannot be restored, so that the command is executed.
  func report(dropped problem: CacheProblem, of script: ScriptExecution) {
    let command = script.scriptCommand
    command.host.log(
      .warn,
      "the cached result of '\(command.name)' "
        + (problem.isOfEntry ? "is dropped" : "cannot be restored")
        + ", and the command is executed: \(problem)")
  }

  /// Looks for outputs that an execution must make itself. On any thread.
  func leftovers(_ terms: UpToDateTerms, _ inspection: Inspection) -> Leftovers {
    Leftovers(terms, call, inspection)
  }

  /// The outputs after an execution which was not kept, as the system describes them, with a mark at those
  /// that it has made, or those before it: to read them could take longer than the execution. On any thread.
  ///
  /// - Returns: nil if they cannot be read.
  func made(
    _ terms: UpToDateTerms, _ inspection: Inspection, _ leftovers: Leftovers
  ) -> [FileRecord]? {
    guard let paths = try? terms.outputs?.glob.paths(),
      let found = try? [FileRecord](
        of: paths, known: inspection.outputs, reading: .none, isCancelled: { false })
    else { return nil }
    let untouched = leftovers.untouched(besides: cache, call).paths
    return StoredExecution(made: found).withMade(in: call.root) { !untouched.contains($0) }.outputs
  }

  func storing(
    _ script: ScriptExecution, _ said: RecordedValues, _ leftovers: Leftovers, _ time: Duration
  ) -> ResultStoring {
    var cache = self
    cache.call.refusal = call.refusal ?? script.problemWithUsedService
    return ResultStoring(cache: cache, said: said, leftovers: leftovers, time: time)
  }
}

/// What an execution needs to store its result on another thread.
struct ResultStoring: Sendable {
  let cache: CommandCache
  let said: RecordedValues
  /// What was there before the execution.
  let leftovers: Leftovers
  let time: Duration

  typealias Gathered = Result<GatheredOutputs, CacheProblem>

  /// What the execution should have made itself, and has left as it was.
  func untouched() -> Leftovers.Untouched {
    leftovers.untouched(besides: cache.cache, cache.call)
  }

  /// Gathers the outputs of an execution, as far as its result can be stored.
  func gather(
    _ terms: UpToDateTerms, known: [FileRecord], untouched: Leftovers.Untouched,
    isCancelled: @Sendable () -> Bool
  ) -> Gathered {
    Result { () throws(CacheProblem) in
      if let refusal = cache.call.refusal { throw refusal }
      if let problem = untouched.problem { throw problem }
      if let problem = said.problem { throw .unkeepable(problem) }
      return try cache.cache.gather(terms, cache.call, known: known, isCancelled: isCancelled)
    }
  }

  /// - Returns: why it is not stored; nil if it is.
  func store(
    _ execution: StoredExecution, _ gathered: Gathered, _ terms: UpToDateTerms,
    _ inspection: Inspection, isCancelled: @Sendable () -> Bool
  ) -> CacheProblem? {
    do throws(CacheProblem) {
      let gathered = try gathered.get()
      // It may have been another for a while, although it is the same again.
      if let source = execution.sources.first(where: { $0.changed >= inspection.start }) {
        throw .changed(source.path)
      }
      let draft = ResultDraft(
        key: CacheKey(terms, cache.call, execution.sources), call: cache.call, terms: terms,
        execution: execution, said: said, seconds: time / .seconds(1))
      try cache.cache.store(draft, gathered, isCancelled: isCancelled)
      return nil
    } catch {
      return error
    }
  }
}

extension CacheAnswer {
  /// What the answer adds to the reasons why a command would be executed. A difference from what is in
  /// the cache is one more only if nothing is known of an execution here.
  ///
  /// - Parameter leftover: an output that no execution is known to have made.
  func changes(besides inspection: Inspection, _ leftover: CachePath?) -> [UpToDateChange] {
    let isKnown = !inspection.changes.contains { change in
      switch change {
      case .never, .unkept: true
      default: false
      }
    }
    switch self {
    case .found(_, let result): return [.restorable(.seconds(result.seconds))]
    case .missing(let difference):
      let uncached = isKnown ? nil : difference.map { UpToDateChange.uncached($0) }
      return [uncached, leftover.map { .leftover($0.text) }].compactMap { $0 }
    case .unusable: return []
    }
  }
}

extension UpToDateWork {
  func cache(for terms: UpToDateTerms) -> CommandCache? { CommandCache(host, terms) }

  /// Restores a result in place of the work, and calls `otherwise` if that is not possible.
  func restore(
    _ result: CachedResult, _ key: CacheKey, from cache: CommandCache, _ terms: UpToDateTerms,
    _ inspection: Inspection, _ otherwise: @escaping () -> Void
  ) {
    // Without a store nothing would know that the outputs are current.
    guard let token = begin(terms, inspection) else { return otherwise() }
    host.inBackground(subscription) { isCancelled in
      Result { () throws(CacheProblem) in
        try cache.restore(result, key, terms, inspection, isCancelled)
      }
    } then: { [self] outcome in
      switch outcome {
      case .success(let restored):
        keep(restored.execution, terms, token)
        replay(restored.said, saving: .seconds(result.seconds))
      case .failure(let problem):
        cache.report(dropped: problem, of: script)
        otherwise()
      }
    }
  }
}

extension CommandCache {
  fileprivate struct Restored: Sendable {
    var execution: StoredExecution
    var said: RecordedValues
  }

  fileprivate func restore(
    _ result: CachedResult, _ key: CacheKey, _ terms: UpToDateTerms, _ inspection: Inspection,
    _ isCancelled: @Sendable () -> Bool
  ) throws(CacheProblem) -> Restored {
    // A store that cannot be locked can still be read.
    let lock = try? CacheLock.shared(cache)
    defer { withExtendedLifetime(lock) {} }
    do {
      var reader = ByteReader(try cache.content(of: result.said))
      guard let said = try? RecordedValues(from: &reader) else { throw CacheProblem.damaged }
      // One that cannot be read is replaced.
      let paths = result.files.map(\.path.text)
      let present = try? [FileRecord](
        of: paths,
        seen: inspection.outputs.filter(\.isContentKnown).named(as: paths, in: call.root),
        isCancelled: isCancelled)
      let restored = try ResultRestoring(
        cache: cache, result: result, root: call.root, present: present ?? [],
        own: inspection.made,
        folders: OutputCapture.folders(of: terms, call), newestSource: inspection.newestSource
      ).run(isCancelled: isCancelled)
      var execution = try inspection.conclusion(
        afterRestoring: result.dependencies, restored, terms, call, isCancelled: isCancelled)
      let files = Set(result.files.map(\.path))
      execution = execution.withMade(in: call.root) { files.contains($0) }
      execution.values = said.withoutAsides
      cache.touch(key)
      cache.note {
        $0.hits += 1
        $0.saved += result.seconds
      }
      return Restored(execution: execution, said: said)
    } catch let problem as CacheProblem {
      if problem.isOfEntry { cache.drop(key) }
      throw problem
    } catch {
      throw .unkeepable((error as? Unkept)?.reason ?? "\(error)")
    }
  }
}

extension ScriptCommand {
  /// Says once if its results cannot be kept because the user has no folder for a cache.
  func sayIfNothingIsCached() {
    guard description.caching != nil, ResultCache.userFolder == nil, !host.hasSaidNothingIsCached
    else { return }
    host.hasSaidNothingIsCached = true
    host.log(
      .warn, "'\(name)': results are not cached, because neither XDG_CACHE_HOME nor HOME is set")
  }

  /// What the cache has to know of a call; nil if results are not kept.
  ///
  /// - Parameter input: the input of the call as a document.
  func cachedCall(_ input: JSONValue) -> CachedCall? {
    guard description.caching != nil, host.policy.cache != nil else { return nil }
    var digest = SHA256()
    digest.update(part: name.exactBytes)
    digest.update(part: input.exactBytes)
    return CachedCall(
      identity: digest.finish(), root: currentFolder(), refusal: problemWithService)
  }
}
