import Synchronization

/// The state of a command and its mutex.
///
/// An object of its own, because the properties share it: through them a signal of the command does
/// not keep the signal block alive.
@usableFromInline
final class SharedCommandState: Sendable {
  private let state: Mutex<CommandState>

  init(_ initial: consuming sending CommandState) {
    state = Mutex(initial)
  }

  @inline(__always)
  func withLock<Result>(_ body: (inout CommandState) -> sending Result) -> sending Result {
    state.withLock(body)
  }
}

/// A subscriber of a command's property that comes or goes.
///
/// While the pump makes a publication, the lists of subscribers do not change: who comes or goes
/// meanwhile does so before the next publication. So the pump needs neither a lock nor a copy of a
/// list in order to send, and a subscriber that comes has already received the values of the
/// publication.
protocol SubscriptionChange: AnyObject, Sendable {
  /// Enters the list, or leaves it if the subscriber has been disposed; called under the mutex.
  func carryOut()
}

extension CommandState {
  /// Carries out a change, now or before the next publication; the caller keeps the subscriber.
  mutating func change(_ subscriber: some SubscriptionChange) {
    if isPublishing {
      postponed.append(subscriber)
    } else {
      subscriber.carryOut()
    }
  }

  /// Ends a publication.
  ///
  /// - Returns: the subscribers that came or went meanwhile, to be released outside the mutex.
  mutating func endPublication() -> [any SubscriptionChange] {
    isPublishing = false
    if postponed.isEmpty { return [] }
    defer { postponed = [] }
    for subscriber in postponed { subscriber.carryOut() }
    return postponed
  }
}
