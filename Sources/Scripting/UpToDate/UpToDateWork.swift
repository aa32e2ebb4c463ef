import Commands
import LuaRuntime
import Platform
import Reactive

/// One attempt of an execution that may be left out: it finds out whether the command is up to date,
/// sends the recorded values if it is, and otherwise does the work and keeps what is known of it.
/// Confined to the loop's thread.
final class UpToDateWork {
  let script: ScriptExecution
  let observer: Observer<LuaValue>
  let subscription: CompoundDisposable
  let store: any StateStore
  private var values: RecordedValues
  /// The values with what is shown beside them, for the cache; nil if the result is not kept.
  private var said: RecordedValues?
  /// The token of the attempt in the store, until the store knows how it has ended.
  private var begun: Int64?
  /// The record of what earlier executions have made; nil if nothing needs to know.
  private var earlier: [UInt8]?
  /// True once the attempt has succeeded and is recorded.
  private var isKept = false
  private let start = LuaInterpreter.now
  var host: ScriptHost { script.scriptCommand.host }
  var name: String { script.scriptCommand.name }

  private init(
    _ script: ScriptExecution, _ store: any StateStore, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable
  ) {
    self.script = script
    self.store = store
    self.observer = observer
    self.subscription = subscription
    // Only a definition that says so may send fewer values the next time.
    let replay = script.scriptCommand.description.policy.replay
    values = RecordedValues(capacity: replay == CommandPolicy().replay ? .max : replay)
  }

  /// Begins the work of an execution, whose events an observer receives, in a subscription.
  typealias Work = (Observer<LuaValue>, CompoundDisposable) -> Void

  /// Calls `work`, unless the command is up to date.
  static func start(
    _ script: ScriptExecution, _ input: LuaValue, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable, _ work: @escaping Work
  ) {
    let command = script.scriptCommand
    guard let rules = command.description.upToDate, let store = command.host.stateStore else {
      command.host.observers.beginsWork(of: command, within: script.origin, because: [])
      return work(observer, subscription)
    }
    UpToDateWork(script, store, observer, subscription).ask(rules, input, work)
  }

  private func ask(_ rules: UpToDateRules, _ input: LuaValue, _ work: @escaping Work) {
    host.within(script) {
      UpToDateQuestion(script.scriptCommand, rules, input, in: subscription).ask { [self] terms in
        switch terms {
        case .success(let terms): look(terms, work) { [self] in ask(rules, input, work) }
        case .failure(let error): observer.end(.error(error))
        }
      }
    }
  }

  /// Looks at the files, and does the work unless the command is up to date.
  ///
  /// - Parameter again: called instead if an equal execution has been at work meanwhile.
  private func look(
    _ terms: UpToDateTerms, _ work: @escaping Work, orAsk again: @escaping () -> Void
  ) {
    if let outputs = terms.outputs { host.observers.willMake(outputs.glob, for: terms.key) }
    let state = store.state(of: terms.key)
    let isForced = host.ignoresUpToDate(of: name)
    let cache = cache(for: terms)
    host.inBackground(subscription) { isCancelled in
      let kept = KeptAndFound(terms, state)
      let inspection = Inspection(terms, kept, state, isCancelled: isCancelled)
      let answer =
        isForced ? nil : cache?.answer(terms, inspection, isCancelled: isCancelled)
      return (kept.stored, inspection, answer)
    } then: { [self] stored, inspection, answer in
      if let state, let stored, inspection.changes.isEmpty, !isForced {
        if let refreshed = inspection.refreshed(stored) {
          store.refresh(terms.key, state.token, refreshed.bytes)
        }
        if state.isAging { store.touch(terms.key) }
        return replay(stored.values)
      }
      if leavesToEqualWork(terms, since: state, orAsk: again) { return }
      guard let cache, case .found(let key, let result)? = answer else {
        if let cache, let answer { cache.report(answer, of: script) }
        return execute(terms, inspection, work)
      }
      restore(result, key, from: cache, terms, inspection) { [self] in
        execute(terms, inspection, work)
      }
    }
  }

  /// Does the work, after a look at the outputs that are there if its result is to be stored.
  private func execute(
    _ terms: UpToDateTerms, _ inspection: Inspection, _ work: @escaping Work
  ) {
    guard let cache = cache(for: terms) else { return execute(terms, inspection, nil, work) }
    host.inBackground(subscription) { _ in
      cache.leftovers(terms, inspection)
    } then: { [self] leftovers in
      execute(terms, inspection, Storing(cache: cache, leftovers: leftovers), work)
    }
  }

  /// What is needed to store the result of an execution.
  private struct Storing {
    let cache: CommandCache
    let leftovers: Leftovers
  }

  /// Sends what an equal execution has sent, and leaves out the work.
  ///
  /// - Parameter saved: how long the execution took whose result was restored; nil if nothing had to be.
  func replay(_ values: RecordedValues, saving saved: Duration? = nil) {
    script.isUpToDate = true
    script.savedTime = saved
    host.observers.skipped(script.id, within: script.origin, saving: saved)
    values.replay(to: observer, script)
    observer.end(.completed)
  }

  /// Announces to the store that the outputs change from now on.
  ///
  /// - Returns: nil if nothing can be kept.
  func begin(_ terms: UpToDateTerms, _ inspection: Inspection) -> Int64? {
    earlier = terms.call == nil ? nil : inspection.knownOutputs.bytes
    let token = store.begin(
      terms.key, earlier,
      reason: "its last execution began at \(now) and did not end: it was killed, or is still at "
        + "work")
    begun = token
    guard let token else { return nil }
    subscription.add(
      onLoop { [self] in
        guard begun == token else { return }
        record(terms, token, "its last execution \(script.endFromOutside) at \(now)")
      })
    return token
  }

  /// Records what is known of an attempt that has succeeded.
  func keep(_ stored: StoredExecution, _ terms: UpToDateTerms, _ token: Int64) {
    begun = nil
    isKept = true
    store.finish(terms.key, token, stored.bytes, reason: nil)
  }

  /// The subscription of work, behind whose end the store learns what it has made, if nothing else is
  /// kept of it: the next execution may leave that as it is.
  private func subscription(
    ofWork terms: UpToDateTerms, _ inspection: Inspection, _ storing: Storing, _ token: Int64
  ) -> CompoundDisposable {
    let working = subscription.makeChild()
    subscription.addAsync(
      onLoop { [self] done in
        if isKept { return done() }
        working.whenTornDown(
          onLoop { [self] in
            host.inBackground(CompoundDisposable()) { _ in
              storing.cache.made(terms, inspection, storing.leftovers)
            } then: { [store] made in
              if let made { store.refresh(terms.key, token, StoredExecution(made: made).bytes) }
              done()
            }
          })
      })
    return working
  }

  private func execute(
    _ terms: UpToDateTerms, _ inspection: Inspection, _ storing: Storing?, _ work: @escaping Work
  ) {
    let place = script.scriptCommand.place
    for problem in inspection.problemsWithSources {
      host.log(.warn, "\(place)'\(name)' \(problem)")
    }
    script.scriptCommand.sayIfNothingIsCached()
    let token = begin(terms, inspection)
    var working = subscription
    if let token, let storing {
      working = subscription(ofWork: terms, inspection, storing, token)
      said = RecordedValues(capacity: values.capacity)
      script.aside = { [weak self] aside in self?.note(aside) }
    }
    let next = observer.next
    let batch = observer.batch
    host.observers.beginsWork(
      of: script.scriptCommand, within: script.origin, because: inspection.changes)
    work(
      Observer(
        next: onLoop { [self] value in
          values.add(value, host)
          said?.add(value, host)
          next(value)
        },
        batch: onLoop { [self] values in
          self.values.add(values, host)
          said?.add(values, host)
          if let batch { batch(values) } else { values.forEach(next) }
        },
        end: onLoop { [self] termination in
          script.aside = nil
          switch (termination, token) {
          case (_, nil): observer.end(termination)
          case (.completed, let token?): conclude(terms, inspection, token, storing)
          case (.error(let error), let token?):
            let text = Secrets.masked(host.failure(of: error).text)
            let line = text.split(whereSeparator: \.isNewline).first?.prefix(500) ?? ""
            record(terms, token, "its last execution failed at \(now): \(line)")
            observer.end(termination)
          }
        }), working)
  }

  private func note(_ aside: RecordedValues.Aside) { said?.add(aside, host) }

  private var now: String { localTimeText(WallClock.seconds) }

  /// Records why nothing is kept of the execution. What earlier ones have made stays known.
  private func record(_ terms: UpToDateTerms, _ token: Int64, _ reason: String) {
    begun = nil
    store.finish(terms.key, token, earlier, reason: reason)
  }

  private func conclude(
    _ terms: UpToDateTerms, _ inspection: Inspection, _ token: Int64, _ cached: Storing?
  ) {
    let time = LuaInterpreter.now - start
    let storing = cached.flatMap { cached in
      said.map { cached.cache.storing(script, $0, cached.leftovers, time) }
    }
    host.inBackground(subscription) { isCancelled in
      var gathered: ResultStoring.Gathered?
      let untouched = storing?.untouched() ?? Leftovers.Untouched()
      let conclusion = Result { () throws(Unkept) in
        try inspection.conclusion(terms) {
          gathered = storing?.gather(
            terms, known: inspection.outputs, untouched: untouched, isCancelled: isCancelled)
          return (try? gathered?.get().records) ?? []
        } isCancelled: {
          isCancelled()
        }
      }.map { stored in
        guard let storing else { return stored }
        return stored.withMade(in: storing.cache.call.root) { !untouched.paths.contains($0) }
      }
      guard let storing, let gathered, case .success(let stored) = conclusion else {
        return (conclusion, nil)
      }
      let problem = storing.store(stored, gathered, terms, inspection, isCancelled: isCancelled)
      return (conclusion, problem)
    } then: { [self] (conclusion, problem: CacheProblem?) in
      if let problem { cached?.cache.report(problem, of: script) }
      switch conclusion {
      case .success(var stored) where values.problem == nil:
        stored.values = values
        keep(stored, terms, token)
      case .success: leave(terms, token, Unkept(reason: values.problem ?? "", weight: .warning))
      case .failure(let unkept) where unkept.weight == .failure:
        record(terms, token, "its last execution failed at \(now): \(unkept.reason)")
        let place = SourceLocation(text: script.scriptCommand.position)
        return observer.end(.error(place.failure(unkept.reason)))
      case .failure(let unkept): leave(terms, token, unkept)
      }
      observer.end(.completed)
    }
  }

  private func leave(_ terms: UpToDateTerms, _ token: Int64, _ unkept: Unkept) {
    record(terms, token, "its last execution was not kept: \(unkept.reason)")
    let text = "'\(name)' will be executed again: \(unkept.reason)"
    host.log(unkept.weight == .warning ? .warn : .info, text)
  }
}

extension ScriptExecution {
  /// What has ended it before its work had ended.
  fileprivate var endFromOutside: String {
    if case .timeout? = error as? CommandError { "timed out" } else { "was cancelled" }
  }
}
