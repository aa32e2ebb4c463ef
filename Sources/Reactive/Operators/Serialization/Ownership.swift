import Synchronization

/// Who may touch a shared state without a lock: whoever found it idle, until he lets go. Whoever comes
/// meanwhile, from another thread or re-entrantly, leaves under a lock what he wants done, and the
/// owner does it before he lets go; nobody waits.
///
/// ```
/// idle ──CAS──▶ owned ──CAS──▶ idle            nobody else came
///                 │ somebody came: what is to do was left under the lock
///                 ▼
///              contended ──all done, under the lock──▶ idle
/// ```
@usableFromInline
struct Ownership: ~Copyable, Sendable {
  @usableFromInline enum Phase {
    @usableFromInline static var idle: UInt8 { 0 }
    @usableFromInline static var owned: UInt8 { 1 }
    @usableFromInline static var contended: UInt8 { 2 }
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

  /// The owner lets go. False if somebody came: then he stays the owner, and does what was left.
  @inlinable
  func release() -> Bool {
    phase.compareExchange(
      expected: Phase.owned, desired: Phase.idle, ordering: .releasing
    ).exchanged
  }

  /// Under the lock, after something was left: true if the caller has become the owner and does it
  /// himself; else the owner will look before he lets go.
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

  /// Under the lock, when nothing is left to do: the owner lets go.
  @inlinable
  func releaseDrained() {
    phase.store(Phase.idle, ordering: .releasing)
  }
}
