import LuaRuntime
import Reactive

/// An enabled condition, and what is known of it beside its truth. On the loop's thread.
final class Condition: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// A function that is asked at each attempt, and where its answer goes.
  let predicate: (callback: Callback, answer: BehaviorSubject<Bool>)?
  /// Whether it is a signal that has been subscribed and has neither sent nor ended.
  fileprivate(set) var isPending = false
  /// What it failed with, or failed with when it was asked last.
  private(set) var failure: Failure?
  /// What the function gave as the reason, when it was asked last.
  private(set) var reason: String?
  /// Whether it would have to ask a process, which a rehearsal does not start: it is not known.
  private(set) var isUnasked = false

  /// A condition that is a signal, or none.
  init() { predicate = nil }

  /// A condition that is a function.
  init(_ callback: Callback) {
    predicate = (callback, BehaviorSubject(true))
  }

  /// Asks the function, if it is one: its first result decides, a second gives the reason.
  func ask() {
    guard let (callback, answer) = predicate else { return }
    (failure, reason) = (nil, nil)
    let refusals = callback.host.interpreter.refusals
    do {
      let (result, second) = try callback.callForTwo()
      reason = result.isTruthy ? nil : second.stringValue?.description
      answer.sendNext(result.isTruthy)
    } catch {
      isUnasked = callback.host.interpreter.refusals > refusals
      guard !isUnasked else { return }
      failure = callback.host.failure(of: error)
      answer.sendNext(false)
    }
  }

  /// Why the command is not enabled, as the end of a sentence; nil if nothing is known but that.
  var explanation: String? { failure.map { "its condition fails: \($0.message)" } ?? reason }

  /// A live signal as the condition: one that fails is false from then on.
  func live(_ signal: Signal<LuaValue>, in host: ScriptHost) -> Signal<Bool> {
    let subscriptions = host.subscriptions
    return Signal { [self] observer, subscription in
      let slot = subscriptions.insert(subscription)
      subscription.add { subscriptions.remove(slot) }
      isPending = true
      let refusals = host.interpreter.refusals
      let next = observer.next
      signal.observe(
        Observer(
          next: { [self, unowned(unsafe) host] in
            isPending = false
            isUnasked = host.interpreter.refusals > refusals
            if !isUnasked { next($0.isTruthy) }
          },
          end: { [self, unowned(unsafe) host] termination in
            isPending = false
            isUnasked = host.interpreter.refusals > refusals
            if case .error(let error) = termination, !isUnasked {
              failure = host.failure(of: error)
              next(false)
            }
            observer.end(.completed)
          }), in: subscription)
    }
  }
}
