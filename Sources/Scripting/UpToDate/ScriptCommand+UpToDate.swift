import Digests
import LuaRuntime
import Platform
import Reactive

extension ScriptCommand {
  /// True if the definition says when an execution can be left out.
  public var declaresUpToDate: Bool { description.upToDate != nil }

  /// What the definition says about one of `sources`, `outputs` and `depfile`.
  public enum NamedFiles: Sendable, Equatable {
    /// Patterns, relative to the program's folder.
    case patterns([String])
    /// A function of the input returns them.
    case function
    /// Values of `rac.lazy` are among them.
    case lazy
  }

  /// What the definition says about files, by the names of its fields; those that it does not have are
  /// left out.
  public var namedFiles: [(field: String, files: NamedFiles)] {
    guard let rules = description.upToDate else { return [] }
    let fields = [
      ("sources", rules.sources), ("outputs", rules.outputs), ("depfile", rules.depfiles),
    ]
    return fields.compactMap { field, files in named(files).map { (field, $0) } }
  }

  private func named(_ files: UpToDateRules.Files) -> NamedFiles? {
    switch files {
    case .none: nil
    case .patterns(let patterns):
      .patterns(patterns.map { WatchPatterns.pattern($0, in: description.folder) })
    case .function: .function
    case .lazy: .lazy
    }
  }

  /// True if the result of `fingerprint` counts.
  public var hasFingerprint: Bool { description.upToDate?.hasFingerprint == true }

  /// True if its results are kept in the user's cache.
  public var isCached: Bool { description.caching != nil }

  /// Finds out whether an execution with an input would be left out, without executing anything but
  /// the functions of the definition, and calls `done` on the loop's thread.
  public func askUpToDate(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ done: @escaping (UpToDateVerdict) -> Void
  ) {
    guard let rules = description.upToDate else { return done(.undeclared) }
    if host.isRehearsing || host.leavesLazyValues, let value = valueToCompute(for: input) {
      return done(.unanswered("\(value) is computed when it is executed"))
    }
    let refusals = host.interpreter.refusals
    complete(input, for: nil, in: subscription) { [self] completed in
      switch completed {
      case .failure(let error): done(.unanswered(host.failure(of: error).message))
      case .success(let input): askUpToDate(rules, input, refusals, in: subscription, done)
      }
    }
  }

  /// The first value that an execution with an input computes; nil if there is none.
  func valueToCompute(for input: LuaValue) -> String? {
    if let parameter = uncomputed(in: input).first {
      return "the default of parameter '\(parameter.name)'"
    }
    let isLazy =
      description.upToDate?.isComputed == true || description.hasMarkedTexts
      || !lazyValuesOfFunctions.isEmpty
    return isLazy ? "a value of rac.lazy" : nil
  }

  /// The values of `rac.lazy` that functions of the definition use; none if it cannot be described.
  var lazyValuesOfFunctions: [LazyObject] {
    guard host.lazyValues.hasAny else { return [] }
    return (try? definitionDescription())?.lazyValues ?? []
  }

  func definitionDescription() throws -> DefinitionDescription {
    try host.description(
      ofDefinition: node.userValue(CommandDefinition.Slot.kept), executing: stepCalls)
  }

  /// The digest of what it is defined to do, the same in each interpreter in which the command file has read
  /// the same; nil if it cannot be compared.
  package var definitionDigest: String? {
    guard let description = try? definitionDescription(), description.incomparable == nil else {
      return nil
    }
    var digest = SHA256()
    for part in description.parts {
      digest.update(part: part.name)
      digest.update(part: part.digest)
    }
    return digest.finish().hexadecimal
  }

  /// The input as its states are kept for it.
  func stateDocument(of input: LuaValue) throws -> JSONValue {
    // Called from Lua without an input, from a command line with an empty one.
    input.isNil ? .object([]) : try host.jsonValue(input)
  }

  /// The key of its state with an input.
  func stateKey(_ document: JSONValue) -> [UInt8] {
    var digest = SHA256()
    let file = host.realPathOfCommandFile(definingAt: position) ?? ""
    for part in [file.exactBytes, name.exactBytes, document.exactBytes] {
      digest.update(part: part)
    }
    return digest.finish()
  }

  /// True if a service does what that of another interpreter does, as far as that can be compared.
  package func isDefined(as other: ScriptCommand) -> Bool {
    guard let own = try? definitionDescription(), let others = try? other.definitionDescription()
    else { return false }
    return own.incomparable == nil && others.incomparable == nil && own.parts == others.parts
  }

  private func askUpToDate(
    _ rules: UpToDateRules, _ input: LuaValue, _ refusals: Int,
    in subscription: CompoundDisposable, _ done: @escaping (UpToDateVerdict) -> Void
  ) {
    let purpose: Purpose
    do {
      purpose = Purpose(surroundings: Surroundings(try place(with: input, for: host.caller)))
    } catch {
      return done(.unanswered(error.message))
    }
    host.within(purpose) {
      UpToDateQuestion(self, rules, input, in: subscription).ask { [self] terms in
        switch terms {
        case .failure(let error):
          let isUnasked = host.interpreter.refusals > refusals
          done(
            .unanswered(
              isUnasked
                ? "a function of its definition starts a process, which is not started"
                : host.failure(of: error).message))
        case .success(let terms):
          let state = host.stateStore?.state(of: terms.key)
          let cache = CommandCache(host, terms)
          host.inBackground(subscription) { isCancelled in
            let kept = KeptAndFound(terms, state)
            let inspection = Inspection(terms, kept, state, isCancelled: isCancelled)
            guard !inspection.changes.isEmpty else { return UpToDateVerdict.upToDate }
            let answer = cache?.answer(terms, inspection, isCancelled: isCancelled)
            let leftover = cache.flatMap { cache in
              cache.leftovers(terms, inspection).first(besides: cache.cache, cache.call)
            }
            return .outdated(
              inspection.changes + (answer?.changes(besides: inspection, leftover) ?? []))
          } then: {
            done($0)
          }
        }
      }
    }
  }
}
