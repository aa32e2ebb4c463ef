import Synchronization

/// A non-blocking lock. The first caller that finds it idle becomes the owner until it releases it.
/// Callers that find it taken, from another thread or re-entrantly, queue their work under a mutex;
/// the owner drains it before releasing. No caller waits.
///
/// ```
/// idle ──CAS──▶ owned ──CAS──▶ idle            no other caller came
///                 │ another caller came and queued its work under the mutex
///                 ▼
///              contended ──all done, under the mutex──▶ idle
/// ```
///
/// Closing is permanent and possible in any state. After it no caller becomes the owner. The last
/// owner is the owner at that moment, which finds out when it releases the gate, or if there is
/// none, the caller that closes it.
@usableFromInline
struct DeliveryGate: ~Copyable, Sendable {
  @usableFromInline enum Phase {
    @usableFromInline static var idle: UInt8 { 0 }
    @usableFromInline static var owned: UInt8 { 1 }
    @usableFromInline static var contended: UInt8 { 2 }
    /// A flag combined with the other phases.
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

  /// Releases the gate. False if the caller stays the owner because another caller queued work or
  /// closed the gate; then it has to do the queued work.
  @inlinable
  func release() -> Bool {
    phase.compareExchange(
      expected: Phase.owned, desired: Phase.idle, ordering: .releasing
    ).exchanged
  }

  /// Called under the mutex after queueing work. True if the caller has become the owner and does
  /// the work itself; otherwise the owner will do it before releasing the gate, unless the gate is
  /// closed.
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

  /// Called by the owner under the mutex when no work is left: releases the gate. False if it is
  /// closed; then the caller stays the last owner.
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

  /// True if no caller can become the owner any more.
  @inlinable
  var isClosed: Bool { phase.load(ordering: .acquiring) & Phase.closed != 0 }

  /// Prevents any caller from becoming the owner. True if there was no owner: then the caller is
  /// the last one.
  @inlinable
  func close() -> Bool {
    phase.bitwiseOr(Phase.closed, ordering: .acquiringAndReleasing).oldValue == Phase.idle
  }
}
