import LuaRuntime
import Reactive

/// An enabled condition, and what is known of it beside its truth. On the loop's thread.
final class EnabledCondition: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private enum Source {
    /// There is none: the command is enabled.
    case always
    case signal(Signal<LuaValue>)
    /// A function that is asked at each attempt.
    case function(Callback)
  }

  private unowned(unsafe) let host: ScriptHost
  private let source: Source
  /// Whether the signal is subscribed only when it is asked.
  private let isDeferred: Bool
  /// Where the truth goes, and what a signal's subscription hangs on.
  private var command: (observer: Observer<Bool>, subscription: CompoundDisposable)?
  private var isSubscribed = false
  /// Whether it has been asked and has neither sent nor ended nor answered.
  private(set) var isPending = false
  /// What it failed with, or failed with when it was asked last.
  private(set) var failure: Failure?
  /// Why it is false, where that is known.
  private(set) var reason: String?
  /// Whether it would have to ask a process, which a rehearsal does not start: it is not known.
  private(set) var isUnasked = false
  /// What the function that is asked now hangs on.
  private var asking: CompoundDisposable?
  private var waiting = SlotTable<Waiter>()
  private var waits: CompoundDisposable?

  private init(_ host: ScriptHost, _ source: Source, isDeferred: Bool = false) {
    self.host = host
    self.source = source
    self.isDeferred = isDeferred
  }

  /// No condition.
  static func always(_ host: ScriptHost) -> EnabledCondition { EnabledCondition(host, .always) }

  /// A live signal as the condition: one that fails is false from then on.
  ///
  /// - Parameter isDeferred: whether it is subscribed only when it is asked.
  static func live(
    _ signal: Signal<LuaValue>, in host: ScriptHost, isDeferred: Bool
  ) -> EnabledCondition {
    EnabledCondition(host, .signal(signal), isDeferred: isDeferred)
  }

  /// A function that is asked at each attempt and may wait.
  static func asked(_ callback: Callback, in host: ScriptHost) -> EnabledCondition {
    EnabledCondition(host, .function(callback))
  }

  var isFunction: Bool { if case .function = source { true } else { false } }

  /// The condition as its command follows it; nil for none.
  var truth: Signal<Bool>? {
    if case .always = source { return nil }
    return Signal { [self] observer, subscription in
      command = (observer, subscription)
      subscription.add { self.command = nil }
      if case .signal = source, !isDeferred { subscribe() }
    }
  }

  /// Why the command is not enabled, as the end of a sentence; nil if nothing is known but that.
  var explanation: String? {
    guard let failure else { return reason }
    // What a process has written to standard error and nobody has seen: its last line.
    let why =
      failure.hidesStandardError
      ? failure.stderr?.split(whereSeparator: \.isNewline).last : nil
    return "its condition fails: \(failure.message)" + (why.map { ": \($0)" } ?? "")
  }

  /// What there is to say while it is pending.
  var pendingText: String {
    isFunction ? "its condition has not answered yet" : "its condition has sent no value yet"
  }

  /// Whether it is a signal whose subscription was put off.
  var isUnsubscribed: Bool { isDeferred && !isSubscribed }

  /// Sees to it that it becomes known: subscribes a signal, and calls a function anew.
  func ask() {
    switch source {
    case .always: break
    case .signal: subscribe()
    case .function(let callback): if asking == nil { ask(callback) }
    }
  }

  /// An execution is admitted that waits for the answer, so an earlier one must not keep it out.
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
    let outer = host.isSubscribingCondition
    host.isSubscribingCondition = true
    defer { host.isSubscribingCondition = outer }
    let observer = Observer<LuaValue>(
      next: { [self, unowned(unsafe) host] value in
        isUnasked = host.interpreter.refusals > refusals
        isUnasked ? settle() : take(value, "sent")
      },
      end: { [self, unowned(unsafe) host] termination in
        subscription.dispose()
        isUnasked = host.interpreter.refusals > refusals
        if isUnasked {
          settle()
        } else if case .error(let error) = termination {
          decide(false, failure: host.failure(of: error))
        } else if isPending {
          guard host.requiresConditions else { return settle() }
          decide(false, reason: "its condition ended without a value")
        }
      })
    boundTime { signal.observe(observer, in: subscription) }
  }

  /// Code that does not pause has no more time than a value.
  private func boundTime(_ body: () -> Void) {
    guard let limit = host.conditionTimeout else { return body() }
    host.withTimeLimit(limit, body)
  }

  // MARK: Functions

  private func ask(_ callback: Callback) {
    let subscription = host.subscriptions.makeChild()
    asking = subscription
    isPending = true
    let refusals = host.interpreter.refusals
    let run = CoroutineRun(
      host,
      Observer(
        next: { [self] value in
          // The first value of a signal that the function has returned.
          subscription.dispose()
          answer(value, refusals)
        },
        end: { [self, unowned(unsafe) host] termination in
          guard asking === subscription else { return }
          subscription.dispose()
          asking = nil
          isUnasked = host.interpreter.refusals > refusals
          if isUnasked { return settle() }
          switch termination {
          case .error(let error): decide(false, failure: host.failure(of: error))
          case .completed: decide(false, reason: "its condition ended without a value")
          }
        }), subscription,
      resultUse: .all { [self, unowned(unsafe) host] results in
        let first = results.first ?? .nil
        if let signal = host.signal(from: first) { return signal }
        subscription.dispose()
        answer(first, refusals, reason: results.dropFirst().first?.stringValue?.description)
        return nil
      })
    host.within(nil) { boundTime { run.start(callback.function) { _ in 0 } } }
  }

  private func answer(_ value: LuaValue, _ refusals: Int, reason: String? = nil) {
    asking = nil
    isUnasked = host.interpreter.refusals > refusals
    isUnasked ? settle() : take(value, "returned", reason: reason)
  }

  // MARK: What is known

  /// Takes a value for the truth.
  private func take(_ value: LuaValue, _ verb: String, reason: String? = nil) {
    if host.requiresConditions, value.boolValue == nil, !(isFunction && value.isNil) {
      let what = value.isNil ? "nil" : "a \(value.type.name)"
      decide(false, reason: "its condition \(verb) \(what), not a boolean")
    } else {
      decide(value.isTruthy, reason: value.isTruthy ? nil : reason)
    }
  }

  private func decide(_ isTrue: Bool, failure: Failure? = nil, reason: String? = nil) {
    (self.failure, self.reason) = (failure, reason)
    command?.observer.next(isTrue)
    settle()
  }

  /// It is pending no more.
  private func settle() {
    isPending = false
    guard let waits else { return }
    self.waits = nil
    waits.dispose()
    host.awaitedConditions.removeAll { $0 === self }
    var waiters: [Waiter] = []
    waiting.removeAll(reversedInto: &waiters)
    // Not on top of whatever has sent the value.
    for waiter in waiters.reversed() { host.scheduler.enqueue { waiter.call() } }
  }

  /// Ends the wait of all: nothing will come, or it takes too long.
  func giveUp(_ why: String) {
    guard isPending else { return }
    asking?.dispose()
    asking = nil
    let what = isFunction ? "its condition did not answer" : "its condition sent no value"
    decide(false, reason: what + why)
  }

  // MARK: Waiting

  private final class Waiter: @unchecked Sendable {
    // Unchecked: scripts run on the loop's thread only.

    private var body: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func call() { body.take()?() }

    func cancel() { body = nil }
  }

  /// Calls `body` when it is pending no more.
  func whenKnown(
    of script: ScriptCommand, in subscription: CompoundDisposable,
    _ body: @escaping @Sendable () -> Void
  ) {
    let waiter = Waiter(body)
    let slot = waiting.insert(waiter)
    subscription.add { [self] in
      waiter.cancel()
      _ = waiting.remove(at: slot)
    }
    guard waits == nil else { return }
    let waits = CompoundDisposable()
    self.waits = waits
    host.awaitedConditions.append(self)
    let place = script.position.map { " (\($0))" } ?? ""
    let text = "waiting for the condition of '\(script.name)'\(place)"
    after(.seconds(1), in: waits) { [unowned(unsafe) host] in host.onPatience(text) }
    if let limit = host.conditionTimeout {
      after(limit, in: waits) { [self] in giveUp(" within \(limit.text)") }
    }
  }

  /// A timer that keeps nothing from ending.
  private func after(
    _ delay: Duration, in subscription: CompoundDisposable, _ body: @escaping () -> Void
  ) {
    let timer = host.loop.timer(after: delay, body)
    timer.unref()
    subscription.add { timer.cancel() }
  }
}

extension ScriptHost {
  /// Ends the wait for conditions because nothing is left that could send a value.
  ///
  /// - Returns: whether somebody waited for one.
  public func giveUpConditions() -> Bool {
    let awaited = awaitedConditions.filter(\.isPending)
    for condition in awaited {
      condition.giveUp(", and nothing is left that could make it do so")
    }
    return !awaited.isEmpty
  }
}
