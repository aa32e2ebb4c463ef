/// The state of an execution.
///
/// ```
///            ┌────────────── cancel ──────────────┐
///            │                                     ▼
/// queued ── turn ──▶ running ──── cancel ────▶ cancelled
///                      │  └───── completion ──▶ completed
///                      └─ error, timeout ─────▶ failed ◀── rejected: never admitted
/// ```
public enum ExecutionState: String, Sendable, Hashable {
  /// Accepted, but not started: the command is busy.
  case queued
  /// Admitted: it holds one of the command's slots.
  case running
  /// The work completed.
  case completed
  /// The work failed or timed out, or the execution was rejected.
  case failed
  /// Cancelled before its end. Its work may still be ending and hold its slot meanwhile.
  case cancelled

  /// True if no other state follows.
  public var isEnded: Bool {
    switch self {
    case .queued, .running: false
    case .completed, .failed, .cancelled: true
    }
  }
}
