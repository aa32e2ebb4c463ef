import Synchronization

/// Who may touch a shared state without a lock: the first caller that finds it idle, until it lets go.
/// A caller that comes meanwhile, from another thread or re-entrantly, leaves its work under a lock,
/// and the owner does that work before it lets go; nobody waits.
///
/// ```
/// idle ──CAS──▶ owned ──CAS──▶ idle            nobody else came
///                 │ somebody came: what is to do was left under the lock
///                 ▼
///              contended ──all done, under the lock──▶ idle
/// ```
///
/// Closing, from any of these, is for good. Nobody becomes the owner after it: the last one is the
/// owner at that moment, who finds out when it lets go, or else the caller that closes.
@usableFromInline
struct DeliveryGate: ~Copyable, Sendable {
  @usableFromInline enum Phase {
    @usableFromInline static var idle: UInt8 { 0 }
    @usableFromInline static var owned: UInt8 { 1 }
    @usableFromInline static var contended: UInt8 { 2 }
    /// A bit beside the others.
    @usableFromInline static var closed: UInt8 { 4 }
  }

  @usableFromInline let phase = Atomic<UInt8>(Phase.idle)

  @inlinable
  init() {}

  /// True if the caller has become the owner.
  @inlinable
  func acquire() -> Bool {
    phase.compareExchange(
      expected: Phase.idle, desired: Phase.owned, ordering: .acquiring
    ).exchanged
  }

  /// True if the caller has become the last owner.
  @inlinable
  func acquireAndClose() -> Bool {
    phase.compareExchange(
      expected: Phase.idle, desired: Phase.owned | Phase.closed, ordering: .acquiring
    ).exchanged
  }

  /// The owner lets go. False if it stays the owner, because somebody came or has closed: then it
  /// does what was left.
  @inlinable
  func release() -> Bool {
    phase.compareExchange(
      expected: Phase.owned, desired: Phase.idle, ordering: .releasing
    ).exchanged
  }

  /// Under the lock, after something was left: true if the caller has become the owner and does it
  /// itself; else the owner will look before it lets go, unless it is closed.
  @usableFromInline
  func acquireOrContend() -> Bool {
    while true {
      switch phase.load(ordering: .acquiring) {
      case Phase.idle: if acquire() { return true }
      case Phase.owned:
        let (marked, _) = phase.compareExchange(
          expected: Phase.owned, desired: Phase.contended, ordering: .relaxed)
        if marked { return false }
      default: return false
      }
    }
  }

  /// Under the lock, when nothing is left to do: the owner lets go. False if it is closed; then the
  /// caller stays the last owner.
  @inlinable
  @discardableResult
  func releaseDrained() -> Bool {
    while true {
      let seen = phase.load(ordering: .relaxed)
      if seen & Phase.closed != 0 { return false }
      let (released, _) = phase.compareExchange(
        expected: seen, desired: Phase.idle, ordering: .releasing)
      if released { return true }
    }
  }

  /// Whether nobody becomes the owner any more.
  @inlinable
  var isClosed: Bool { phase.load(ordering: .acquiring) & Phase.closed != 0 }

  /// Lets nobody become the owner any more. True if there was none: then the caller is the last one.
  @inlinable
  func close() -> Bool {
    phase.bitwiseOr(Phase.closed, ordering: .acquiringAndReleasing).oldValue == Phase.idle
  }
}
