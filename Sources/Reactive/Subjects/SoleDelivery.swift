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

  /// Takes the right. False, without an effect, if there is another subscriber or something is being
  /// sent.
  package func begin() -> Bool {
    list._withUnsafeGuaranteedRef { list in
      guard list.gate.acquire() else { return false }
      // A subject that has ended has no subscribers.
      if list.live == 1,
        node._withUnsafeGuaranteedRef({ $0.index >= 0 && !$0.isDisposed })
      {
        return true
      }
      if !list.gate.release() { drain() }
      return false
    }
  }

  /// Gives the right back, and carries out what has waited. The place may be gone afterwards.
  package func end() {
    list._withUnsafeGuaranteedRef { if !$0.gate.release() { drain() } }
  }

  @inline(never)
  private func drain() { list.takeUnretainedValue().drainInRoom() }
}
