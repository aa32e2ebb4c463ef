import Commands
import LuaRuntime
import Platform
import Reactive

/// One attempt of an execution that may be left out: it finds out whether the command is up to date,
/// sends the recorded values if it is, and otherwise does the work and keeps what is known of it.
/// Confined to the loop's thread.
final class UpToDateWork {
  private let script: ScriptExecution
  private let observer: Observer<LuaValue>
  private let subscription: CompoundDisposable
  private let store: any StateStore
  private var values: RecordedValues
  /// True once the store knows how the attempt has ended.
  private var isRecorded = false
  private var host: ScriptHost { script.scriptCommand.host }
  private var name: String { script.scriptCommand.name }

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

  /// Calls `work` with the observer of its events, unless the command is up to date.
  static func start(
    _ script: ScriptExecution, _ input: LuaValue, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable,
    _ work: @escaping (Observer<LuaValue>) -> Void
  ) {
    let command = script.scriptCommand
    guard let rules = command.description.upToDate, let store = command.host.stateStore else {
      command.host.observers.beginsWork(of: command, within: script.origin)
      return work(observer)
    }
    let attempt = UpToDateWork(script, store, observer, subscription)
    command.host.within(script) {
      UpToDateQuestion(command, rules, input, in: subscription).ask { terms in
        switch terms {
        case .success(let terms): attempt.look(terms, work)
        case .failure(let error): observer.end(.error(error))
        }
      }
    }
  }

  private func look(
    _ terms: UpToDateTerms, _ work: @escaping (Observer<LuaValue>) -> Void
  ) {
    if let outputs = terms.outputs { host.observers.willMake(outputs.glob, for: terms.key) }
    let state = store.state(of: terms.key)
    let stored = state?.record.flatMap { try? StoredExecution($0) }
    host.inBackground(subscription) { isCancelled in
      Inspection(terms, stored, state, isCancelled: isCancelled)
    } then: { [self] inspection in
      if let state, let stored, inspection.changes.isEmpty, !host.ignoresUpToDate(of: name) {
        if let refreshed = inspection.refreshed(stored) {
          store.refresh(terms.key, state.token, refreshed.bytes)
        }
        if state.isAging { store.touch(terms.key) }
        script.isUpToDate = true
        host.observers.skipped(script.id, within: script.origin)
        stored.values.replay(to: observer, host)
        return observer.end(.completed)
      }
      execute(terms, inspection, work)
    }
  }

  private func execute(
    _ terms: UpToDateTerms, _ inspection: Inspection,
    _ work: @escaping (Observer<LuaValue>) -> Void
  ) {
    let place = script.scriptCommand.position.map { "\($0): " } ?? ""
    for problem in inspection.problemsWithSources {
      host.log(.warn, "\(place)'\(name)' \(problem)")
    }
    let token = store.begin(terms.key)
    if let token {
      subscription.add(
        onLoop { [self] in
          guard !isRecorded else { return }
          record(terms, token, "its last execution \(script.endFromOutside) at \(now)")
        })
    }
    let next = observer.next
    let batch = observer.batch
    host.observers.beginsWork(of: script.scriptCommand, within: script.origin)
    work(
      Observer(
        next: onLoop { [self] value in
          values.add(value, host)
          next(value)
        },
        batch: onLoop { [self] values in
          self.values.add(values, host)
          if let batch { batch(values) } else { values.forEach(next) }
        },
        end: onLoop { [self] termination in
          switch (termination, token) {
          case (_, nil): observer.end(termination)
          case (.completed, let token?): conclude(terms, inspection, token)
          case (.error(let error), let token?):
            let text = Secrets.masked(host.failure(of: error).text)
            let line = text.split(whereSeparator: \.isNewline).first?.prefix(500) ?? ""
            record(terms, token, "its last execution failed at \(now): \(line)")
            observer.end(termination)
          }
        }))
  }

  private var now: String { localTimeText(WallClock.seconds) }

  /// Records that nothing is known of the execution, and why.
  private func record(_ terms: UpToDateTerms, _ token: Int64, _ reason: String) {
    isRecorded = true
    store.finish(terms.key, token, nil, reason: reason)
  }

  private func conclude(_ terms: UpToDateTerms, _ inspection: Inspection, _ token: Int64) {
    host.inBackground(subscription) { isCancelled in
      Result { () throws(Unkept) in try inspection.conclusion(terms, isCancelled: isCancelled) }
    } then: { [self] conclusion in
      switch conclusion {
      case .success(var stored) where values.problem == nil:
        stored.values = values
        isRecorded = true
        store.finish(terms.key, token, stored.bytes, reason: nil)
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

extension ScriptCommand {
  /// True if the definition says when an execution can be left out.
  public var declaresUpToDate: Bool { description.upToDate != nil }

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
  private func valueToCompute(for input: LuaValue) -> String? {
    if let parameter = uncomputed(in: input).first {
      return "the default of parameter '\(parameter.name)'"
    }
    let isLazy = description.upToDate?.isComputed == true || !description.markedTexts.isEmpty
    return isLazy ? "a value of rac.lazy" : nil
  }

  private func askUpToDate(
    _ rules: UpToDateRules, _ input: LuaValue, _ refusals: Int,
    in subscription: CompoundDisposable, _ done: @escaping (UpToDateVerdict) -> Void
  ) {
    let purpose: Purpose
    do { purpose = Purpose(surroundings: Surroundings(try place(for: input))) } catch {
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
          let stored = state?.record.flatMap { try? StoredExecution($0) }
          host.inBackground(subscription) { isCancelled in
            Inspection(terms, stored, state, isCancelled: isCancelled)
          } then: { inspection in
            done(inspection.changes.isEmpty ? .upToDate : .outdated(inspection.changes))
          }
        }
      }
    }
  }
}
