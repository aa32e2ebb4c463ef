/// The right to deliver values to the only subscriber of a subject in place of the subject, for code
/// that reaches that subscriber on a shorter way.
///
/// While it is taken, the subject is sending: sends, subscriptions and disposals wait for its end. It
/// retains nothing; use it only while the place exists.
package struct SoleDelivery: Sendable {
  // Unmanaged, because it is used for every value.
  private let node: Unmanaged<SubjectNode>
  private let list: Unmanaged<SubscriberList>

  /// - Parameter place: a result of `SubjectPlaces.add`, for a subject that replays nothing.
  package init(to place: any Disposable) {
    guard let node = place as? SubjectNode else { preconditionFailure("that is no place") }
    self.node = .passUnretained(node)
    list = .passUnretained(node.list)
  }

  /// Whether the right could be taken.
  package enum Turn {
    /// No: something is being sent.
    case none
    /// Yes, but there is another subscriber.
    case shared
    /// Yes, and there is no other subscriber.
    case sole
  }

  /// Takes the right, until `end`.
  package func begin() -> Turn {
    list._withUnsafeGuaranteedRef { list in
      guard list.gate.acquire() else { return .none }
      // A subject that has ended has no subscribers.
      let isSole =
        list.live == 1 && node._withUnsafeGuaranteedRef { $0.index >= 0 && !$0.isDisposed }
      return isSole ? .sole : .shared
    }
  }

  /// Gives the right back. False if something has waited for it; then `drain` carries that out and
  /// gives the right back. The place may be gone afterwards.
  package func end() -> Bool { list._withUnsafeGuaranteedRef { $0.gate.release() } }

  /// Carries out what has waited. The place may be gone afterwards.
  package func drain() { list.takeUnretainedValue().drainInRoom() }
}
