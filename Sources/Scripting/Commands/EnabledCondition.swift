import LuaRuntime
import Platform
import Reactive

/// An enabled condition, with its state beyond the boolean value. Confined to the loop's thread.
final class EnabledCondition {
  private enum Source {
    /// No condition: the command is enabled.
    case always
    case signal(Signal<LuaValue>)
    /// A function that is called at each attempt.
    case function(Callback)
    /// The command is never enabled.
    case never
  }

  unowned(unsafe) let host: ScriptHost
  private let source: Source
  /// True if the signal is subscribed only when the condition is evaluated.
  private let isDeferred: Bool
  /// The observer of the boolean value, and the parent of a signal's subscription.
  private var command: (observer: Observer<Bool>, subscription: CompoundDisposable)?
  private var isSubscribed = false
  /// True once evaluation has started, until the condition sends a value, ends or answers.
  private(set) var isPending = false
  /// The failure of the signal, or of the function's last evaluation.
  private(set) var failure: Failure?
  /// The reason why it is false, if known.
  private(set) var reason: String?
  /// True if its value is unknown because it needs a process, which a rehearsal does not start.
  private(set) var isUnasked = false
  /// Called when it has another value or another reason.
  var onDecision: (() -> Void)?
  /// The subscription of the function call in progress.
  private var asking: CompoundDisposable?
  let waiters = ConditionWaiters()

  /// The name in messages: `its condition`.
  let name: String
  /// The environment of the command whose condition it is.
  var environment = CommandEnvironment()
  /// The variables that its function begins with; nil for those of who asks.
  var caller: CallerEnvironment?
  var commandName: String?
  /// True if it is the probe of a service.
  var isProbe = false

  private init(
    _ host: ScriptHost, _ source: Source, isDeferred: Bool = false, name: String = "its condition"
  ) {
    self.host = host
    self.source = source
    self.isDeferred = isDeferred
    self.name = name
  }

  /// No condition.
  static func always(_ host: ScriptHost) -> EnabledCondition { EnabledCondition(host, .always) }

  /// A condition from a live signal. If the signal fails, the condition is false from then on.
  ///
  /// - Parameter isDeferred: true if the signal is subscribed only when the condition is evaluated.
  static func live(
    _ signal: Signal<LuaValue>, in host: ScriptHost, isDeferred: Bool
  ) -> EnabledCondition {
    EnabledCondition(host, .signal(signal), isDeferred: isDeferred)
  }

  /// A condition from a function that is called at each attempt and may wait.
  static func asked(_ callback: Callback, in host: ScriptHost) -> EnabledCondition {
    EnabledCondition(host, .function(callback))
  }

  /// A condition that is false for a reason that does not change.
  static func never(_ reason: String, in host: ScriptHost) -> EnabledCondition {
    let condition = EnabledCondition(host, .never)
    condition.reason = reason
    return condition
  }

  /// The same condition under another name in messages, asked only when its value is needed.
  func named(_ name: String) -> EnabledCondition {
    EnabledCondition(host, source, isDeferred: true, name: name)
  }

  /// True if there is no condition.
  var isAbsent: Bool { if case .always = source { true } else { false } }

  var isFunction: Bool { if case .function = source { true } else { false } }

  /// The boolean value that the command follows; nil if there is no condition.
  var truth: Signal<Bool>? {
    if case .always = source { return nil }
    let me = LoopBound(self)
    return Signal { observer, subscription in
      me.value.command = (observer, subscription)
      subscription.add { me.value.command = nil }
      me.value.begin(observer)
    }
  }

  private func begin(_ observer: Observer<Bool>) {
    switch source {
    case .signal: if !isDeferred { subscribe() }
    case .never: observer.next(false)
    case .always, .function: break
    }
  }

  /// The reason why the command is not enabled, as the end of a sentence; nil if no reason is
  /// known.
  var explanation: String? {
    guard let failure else { return reason }
    // The last line that a process has written to a captured standard error, which has not been
    // shown.
    let why =
      failure.hidesStandardError
      ? failure.stderr?.split(whereSeparator: \.isNewline).last : nil
    return "\(name) fails: \(failure.message)" + (why.map { ": \($0)" } ?? "")
  }

  /// The message while it is pending.
  var pendingText: String {
    isFunction ? "\(name) has not answered yet" : "\(name) has sent no value yet"
  }

  /// True if it is a signal whose subscription was deferred.
  var isUnsubscribed: Bool { isDeferred && !isSubscribed }

  /// Starts evaluation: subscribes to a signal, or calls a function again.
  func ask() {
    switch source {
    case .always, .never: break
    case .signal: subscribe()
    case .function(let callback): if asking == nil { ask(callback) }
    }
  }

  /// Admits an execution that waits for the answer, so that an earlier answer does not reject it.
  func admitUnknown() { command?.observer.next(true) }

  // MARK: Signals

  private func subscribe() {
    guard !isSubscribed, let command, case .signal(let signal) = source else { return }
    isSubscribed = true
    isPending = true
    let subscriptions = host.subscriptions
    let subscription = command.subscription.makeChild()
    let slot = subscriptions.insert(subscription)
    subscription.add { subscriptions.remove(slot) }
    let refusals = host.interpreter.refusals
    let me = LoopBound(self)
    let observer = Observer<LuaValue>(
      next: { me.value.receive($0, refusals) },
      end: { termination in
        subscription.dispose()
        me.value.signalEnded(termination, refusals)
      })
    let purpose: Purpose
    // All that ask share its values.
    do {
      purpose = try environment.purposeOfQuestions(of: commandName, for: host.environment)
    } catch {
      return decide(false, failure: error)
    }
    host.within(purpose) {
      host.context.with(\.isSubscribingCondition, true) {
        boundTime { signal.observe(observer, in: subscription) }
      }
    }
  }

  private func receive(_ value: LuaValue, _ refusals: Int) {
    isUnasked = host.interpreter.refusals > refusals
    isUnasked ? settle() : take(value, "sent")
  }

  private func signalEnded(_ termination: Termination, _ refusals: Int) {
    isUnasked = host.interpreter.refusals > refusals
    if isUnasked {
      settle()
    } else if case .error(let error) = termination {
      decide(false, failure: host.failure(of: error))
    } else if isPending {
      guard host.requiresConditions else { return settle() }
      decide(false, reason: endText)
    }
  }

  /// The reason of a condition that ends before it has a value.
  private var endText: String {
    "\(name) ended without a value: a condition sends true or false, as rac.file_exists(PATH) does, "
      + "or is a function that returns one"
  }

  /// Limits code that does not pause to the time allowed for a value.
  private func boundTime(_ body: () -> Void) {
    guard let limit = host.conditionTimeout else { return body() }
    host.withTimeLimit(limit, body)
  }

  // MARK: Functions

  private func ask(_ callback: Callback) {
    let purpose: Purpose
    do {
      purpose = try environment.purposeOfQuestions(of: commandName, for: caller ?? host.caller)
    } catch {
      return decide(false, failure: error)
    }
    if isProbe { purpose.surroundings?.isOfService = true }
    let subscription = host.subscriptions.makeChild()
    asking = subscription
    isPending = true
    let refusals = host.interpreter.refusals
    let me = LoopBound(self)
    host.within(purpose) {
      let run = CoroutineRun(
        host,
        Observer(
          next: { value in
            // The function returned a signal, and this is its first value.
            subscription.dispose()
            me.value.answer(value, refusals)
          },
          end: { me.value.functionEnded($0, subscription, refusals) }), subscription,
        resultUse: .all { [self, unowned(unsafe) host] results in
          let first = results.first ?? .nil
          if let signal = host.signal(from: first) { return signal }
          subscription.dispose()
          answer(
            first, refusals,
            reason: CoroutineRun.failure(in: results)?.message
              ?? results.dropFirst().first?.stringValue?.description)
          return nil
        })
      boundTime { run.start(callback.function) { _ in 0 } }
    }
  }

  private func functionEnded(
    _ termination: Termination, _ subscription: CompoundDisposable, _ refusals: Int
  ) {
    guard asking === subscription else { return }
    subscription.dispose()
    asking = nil
    isUnasked = host.interpreter.refusals > refusals
    if isUnasked { return settle() }
    switch termination {
    case .error(let error): decide(false, failure: host.failure(of: error))
    case .completed: decide(false, reason: endText)
    }
  }

  private func answer(_ value: LuaValue, _ refusals: Int, reason: String? = nil) {
    asking = nil
    isUnasked = host.interpreter.refusals > refusals
    isUnasked ? settle() : take(value, "returned", reason: reason)
  }

  // MARK: Result

  /// Uses a value as the boolean value.
  ///
  /// A signal states its reason by a tuple of the boolean and a text.
  private func take(_ value: LuaValue, _ verb: String, reason: String? = nil) {
    if let parts = host.elements(ofTuple: value), let first = parts.first,
      first.boolValue != nil
    {
      let stated = parts.count > 1 ? parts[1].stringValue?.description : nil
      return take(first, verb, reason: stated ?? reason)
    }
    if host.requiresConditions, value.boolValue == nil, !(isFunction && value.isNil) {
      let what = value.isNil ? "nil" : "a \(value.type.name)"
      decide(false, reason: "\(name) \(verb) \(what), not a boolean")
    } else {
      decide(value.isTruthy, reason: value.isTruthy ? nil : reason)
    }
  }

  private func decide(_ isTrue: Bool, failure: Failure? = nil, reason: String? = nil) {
    (self.failure, self.reason) = (failure, reason)
    command?.observer.next(isTrue)
    settle()
    onDecision?()
  }

  /// Ends the pending state.
  private func settle() {
    isPending = false
    if waiters.callAll(on: host.scheduler) { host.awaitedConditions.removeAll { $0 === self } }
  }

  /// Ends all waits: no value will come, or it takes too long.
  func giveUp(_ why: String) {
    guard isPending else { return }
    asking?.dispose()
    asking = nil
    let what = isFunction ? "\(name) did not answer" : "\(name) sent no value"
    decide(false, reason: what + why)
  }

  /// Ends a call of its function, whose answer nobody wants any more.
  func stopAsking() {
    asking?.dispose()
    asking = nil
    isPending = false
  }
}
