import Synchronization

/// One caller at a time without a wait, as the library promises it: the first caller does its work at
/// once; callers that come meanwhile leave theirs, and the first one does that too before it goes.
struct HandWrittenGate: ~Copyable, Sendable {
  private enum Phase {
    static let free: UInt8 = 0
    static let taken: UInt8 = 1
    static let hasWaiting: UInt8 = 2
    /// For good.
    static let closed: UInt8 = 3
  }

  private let phase = Atomic<UInt8>(Phase.free)
  private let waiting = Mutex<[@Sendable () -> Void]>([])

  @inline(__always)
  func enter() -> Bool {
    phase.compareExchange(
      expected: Phase.free, desired: Phase.taken, ordering: .acquiring
    ).exchanged
  }

  @inline(__always)
  func leave() {
    let (isFree, _) = phase.compareExchange(
      expected: Phase.taken, desired: Phase.free, ordering: .releasing)
    if !isFree { workOff() }
  }

  var isClosed: Bool { phase.load(ordering: .acquiring) == Phase.closed }

  /// Closes a gate that the caller has entered.
  @inline(__always)
  func close() { phase.store(Phase.closed, ordering: .releasing) }

  /// Closes a gate from outside; true if nobody is inside.
  @inline(__always)
  func shut() -> Bool {
    phase.exchange(Phase.closed, ordering: .acquiringAndReleasing) == Phase.free
  }

  /// Leaves work to the caller that is inside, or does it if that one has gone.
  @inline(never)
  func submit(_ work: @escaping @Sendable () -> Void) {
    let isFree = waiting.withLock { waiting in
      guard !isClosed else { return false }
      waiting.append(work)
      return phase.exchange(Phase.hasWaiting, ordering: .acquiringAndReleasing) == Phase.free
    }
    if isFree { workOff() }
  }

  @inline(never)
  private func workOff() {
    while true {
      let work = waiting.withLock { waiting -> (@Sendable () -> Void)? in
        guard !isClosed else { return nil }
        guard waiting.isEmpty else { return waiting.removeFirst() }
        phase.store(Phase.free, ordering: .releasing)
        return nil
      }
      guard let work else { return }
      work()
    }
  }
}
