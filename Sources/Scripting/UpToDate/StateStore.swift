import Platform

/// Where a host keeps what it knows of the last executions, so that one that would change nothing
/// can be left out. On the loop's thread.
public protocol StateStore: AnyObject {
  /// What identifies the store among those of all programs on this machine.
  var identity: String { get }
  /// What is kept under a key; nil if nothing is.
  func state(of key: [UInt8]) -> StoredState?
  /// Forgets what is kept under a key, because an execution begins; nil if nothing can be kept. Until that
  /// ends, a record of the outputs alone, and a reason, are in its place.
  func begin(_ key: [UInt8], _ record: [UInt8]?, reason: String) -> Int64?
  /// Keeps what is known of the execution that `begin` has announced: with a reason, only its outputs.
  func finish(_ key: [UInt8], _ token: Int64, _ record: [UInt8]?, reason: String?)
  /// Replaces a record by one that is equal but for what the system knows of the files.
  func refresh(_ key: [UInt8], _ token: Int64, _ record: [UInt8])
  /// Notes that what is kept under a key was used, so that it is not removed.
  func touch(_ key: [UInt8])
}

/// What a store keeps of an execution.
public struct StoredState: Sendable {
  /// What identifies the execution.
  public let token: Int64
  /// What is known; nil if nothing is.
  public let record: [UInt8]?
  /// Why nothing but outputs is known, as a sentence; nil if all is.
  public let reason: String?
  /// When it was written or used last, in seconds since 1970.
  public let used: Double

  /// Makes an entry.
  public init(token: Int64, record: [UInt8]?, reason: String?, used: Double) {
    (self.token, self.record, self.reason, self.used) = (token, record, reason, used)
  }

  /// True if its use has to be noted, which is not done each time.
  var isAging: Bool { WallClock.seconds - used > 86_400 }
}
