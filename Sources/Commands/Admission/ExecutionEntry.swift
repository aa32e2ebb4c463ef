import Reactive
import Synchronization

/// The state of one execution in its command, and the subscription of its work from the start of the
/// execution: one object, because each execution needs both.
///
/// The state machine uses this entry, which does not depend on the execution's types.
@usableFromInline
final class ExecutionEntry: CompoundDisposable, @unchecked Sendable {
  // Unchecked: the command core's mutex guards all mutable state that this class adds.

  @usableFromInline
  enum Phase: Sendable {
    /// Accepted, waiting for a slot.
    case queued
    /// Has a slot; its signal block is being called.
    case preparing
    /// Its publication and then its start are pending on the main scheduler, or its work has been
    /// started: the handshake tells which.
    case ready
    /// Ended for its subscribers; it may hold the slot until the work has really ended.
    case ended(ExecutionState)

    var isEnded: Bool {
      if case .ended = self { true } else { false }
    }
  }

  private static let lastID = Atomic<Int>(0)

  let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue

  @exclusivity(unchecked) var phase = Phase.queued
  @exclusivity(unchecked) var place = 0
  @exclusivity(unchecked) var isAnnounced = false
  private let isSupervised: Bool
  @exclusivity(unchecked) private var extra: Extra?

  @usableFromInline
  init(_ options: ExecutionOptions) {
    isSupervised = options.isSupervised
    if options.isSupervised { extra = Extra(Supervision(options)) }
    super.init()
  }

  // MARK: What few executions have

  /// One object for all of it: an entry that releases several retains itself meanwhile.
  private final class Extra {
    let supervision: Supervision?
    @exclusivity(unchecked) var error: (any Error)?
    @exclusivity(unchecked) var changes: BehaviorSubject<Void>?

    init(_ supervision: Supervision?) { self.supervision = supervision }
  }

  private var neededExtra: Extra {
    if let extra { return extra }
    let new = Extra(nil)
    extra = new
    return new
  }

  /// The timeout and the retries, if there are any; read without the mutex, too.
  var supervision: Supervision? { isSupervised ? extra?.supervision : nil }

  /// The error of an execution that has failed or was cancelled.
  var error: (any Error)? {
    get { extra?.error }
    set { neededExtra.error = newValue }
  }

  /// Sends whenever the state has changed; created for the first observer of the state.
  var changes: BehaviorSubject<Void>? {
    get { extra?.changes }
    set { neededExtra.changes = newValue }
  }

  // MARK: A cancellation while the work is being started and subscribed

  private enum StartStopHandshake {
    static let subscribed: UInt8 = 1
    static let stopped: UInt8 = 2
    static let started: UInt8 = 4
    /// Apart from `stopped`, which follows once the subscription has been disposed.
    static let claimed: UInt8 = 8
  }

  private let handshake = Atomic<UInt8>(0)

  /// Notes that the work begins, without the mutex. False if its end was claimed before.
  func willStart() -> Bool {
    let before = handshake.bitwiseOr(
      StartStopHandshake.started, ordering: .acquiringAndReleasing
    ).oldValue
    return before & StartStopHandshake.claimed == 0
  }

  /// Notes that the end was claimed from outside. True if the work has begun.
  func didClaimAfterStart() -> Bool {
    let before = handshake.bitwiseOr(StartStopHandshake.claimed, ordering: .acquiringAndReleasing)
      .oldValue
    return before & StartStopHandshake.started != 0
  }

  /// Notes that the call that subscribes the work begins.
  func willSubscribe() {
    handshake.bitwiseAnd(~StartStopHandshake.subscribed, ordering: .relaxed)
  }

  /// Notes that the call that subscribed the work has returned. True if the execution was stopped
  /// before that; then the caller has to end the work, because only that caller knows all of the
  /// work.
  func didSubscribe() -> Bool {
    let before = handshake.bitwiseOr(
      StartStopHandshake.subscribed, ordering: .acquiringAndReleasing
    ).oldValue
    return before & StartStopHandshake.stopped != 0
  }

  /// Notes that the execution was stopped. True if the work had been subscribed; then the caller
  /// has to end it.
  func didStop() -> Bool {
    let before = handshake.bitwiseOr(StartStopHandshake.stopped, ordering: .acquiringAndReleasing)
      .oldValue
    return before & StartStopHandshake.subscribed != 0
  }
}

extension ExecutionEntry.Phase {
  /// The public state for this phase.
  var state: ExecutionState {
    switch self {
    case .queued: .queued
    case .preparing, .ready: .running
    case .ended(let state): state
    }
  }
}
