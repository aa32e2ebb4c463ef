import Dispatch

extension Scheduler {
  /// The priority at which the thread pool runs a scheduler's work relative to other work. RAC:
  /// `RACSchedulerPriority`.
  public enum Priority: Sendable, CaseIterable {
    /// Work that a user is waiting for.
    case high
    /// Work without a specific priority.
    case `default`
    /// Long-running work with results that a user sees.
    case low
    /// Work that is invisible to users.
    case background

    var qualityOfService: DispatchQoS {
      switch self {
      case .high: .userInitiated
      case .default: .default
      case .low: .utility
      case .background: .background
      }
    }
  }
}
