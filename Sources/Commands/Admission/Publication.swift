/// Something that observers of a command are told, on its scheduler and in the order of the changes.
enum Publication: Sendable {
  /// An execution was admitted: it is published, then what it changes, then its work starts. The work
  /// of one that waited is made only now.
  case admitted(any ExecutionBody, work: AnyObjectBox?, Change)
  /// `executing` or `enabled` changed.
  case changed(Change)
  /// The concurrency limit changed.
  case limit(ConcurrencyLimit)
  /// An execution failed.
  case failed(any Error)
  /// An execution was not admitted.
  case rejected(CommandError)
  /// The command was dropped; nothing follows.
  case closed

  /// New values; nil for one that stays.
  struct Change: Sendable {
    var executing: Bool?
    var enabled: Bool?

    var isEmpty: Bool { executing == nil && enabled == nil }
  }
}

/// The work of an execution on its way to the scheduler. The signal in it is sendable; its type is
/// known to the execution only.
struct AnyObjectBox: @unchecked Sendable {
  // Unchecked because `AnyObject` cannot say that it is a signal.
  let object: AnyObject
}
