import Reactive
import Synchronization

/// The place of one execution in its command.
///
/// It is what the state machine knows of an execution; it does not know its types.
@usableFromInline
final class ExecutionEntry: @unchecked Sendable {
  // Unchecked: what changes is guarded by the mutex of the command's core.

  @usableFromInline
  enum Phase: Sendable {
    /// Accepted, waiting for a slot.
    case queued
    /// It has a slot; its signal block is being called.
    case preparing
    /// Its publication and then its start are due on the main scheduler.
    case ready
    /// The work has been or is being subscribed.
    case running
    /// It is over for its subscribers; the slot may be held until the work has really ended.
    case ended(ExecutionState, (any Error)?)

    var isEnded: Bool {
      if case .ended = self { true } else { false }
    }
  }

  private static let lastID = Atomic<Int>(0)

  let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
  let supervision: Supervision?
  /// The subscription of the work, from the start of the execution on.
  let subscription = CompoundDisposable()

  @exclusivity(unchecked) var phase = Phase.queued
  @exclusivity(unchecked) var place = 0
  @exclusivity(unchecked) var isAnnounced = false
  /// The work of a supervised execution, which may be subscribed again.
  @exclusivity(unchecked) var work: Work?
  /// Made for the first who watches the state: sends whenever it has changed.
  @exclusivity(unchecked) var changes: BehaviorSubject<Void>?

  @usableFromInline
  init(_ options: ExecutionOptions) {
    supervision = options.isSupervised ? Supervision(options) : nil
  }

  // MARK: A cancellation while the work is being subscribed

  private enum StartStopHandshake {
    static let subscribed: UInt8 = 1
    static let stopped: UInt8 = 2
  }

  private let handshake = Atomic<UInt8>(0)

  /// The call that subscribes the work begins.
  func willSubscribe() {
    handshake.bitwiseAnd(~StartStopHandshake.subscribed, ordering: .relaxed)
  }

  /// The call that subscribed the work has returned. True if the execution was stopped before that:
  /// then the caller sees to the end of the work, of which it alone knows all.
  func didSubscribe() -> Bool {
    let before = handshake.bitwiseOr(
      StartStopHandshake.subscribed, ordering: .acquiringAndReleasing
    ).oldValue
    return before & StartStopHandshake.stopped != 0
  }

  /// The execution was stopped. True if the work had been subscribed: then the caller sees to its
  /// end.
  func didStop() -> Bool {
    let before = handshake.bitwiseOr(StartStopHandshake.stopped, ordering: .acquiringAndReleasing)
      .oldValue
    return before & StartStopHandshake.subscribed != 0
  }
}

extension ExecutionEntry.Phase {
  /// What the phase looks like from outside.
  var state: ExecutionState {
    switch self {
    case .queued: .queued
    case .preparing, .ready, .running: .running
    case .ended(let state, _): state
    }
  }

  var error: (any Error)? {
    if case .ended(_, let error) = self { error } else { nil }
  }
}
