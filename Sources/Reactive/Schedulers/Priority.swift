import Dispatch

extension Scheduler {
  /// How soon the pool of threads runs the work of a scheduler while other work waits too. RAC:
  /// `RACSchedulerPriority`.
  public enum Priority: Sendable, CaseIterable {
    /// What somebody waits for at this moment.
    case high
    /// What nothing else is known of.
    case `default`
    /// What takes long and is shown to somebody.
    case low
    /// What nobody looks at.
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
