/// How a child ended.
public struct ProcessEnd: Sendable, Equatable {
  /// What became of the process that was started; the rest of its group does not count.
  public let status: Status
  /// The last of standard error, at most 20 whole lines and 8 KiB; empty when it was not ours to
  /// see (`.inherit`, `.mergeIntoOutput`).
  public let errorTail: [UInt8]
  /// Whether `terminate` or `kill` was called before the end.
  public let wasTerminated: Bool

  /// An end with these facts.
  public init(status: Status, errorTail: [UInt8], wasTerminated: Bool) {
    self.status = status
    self.errorTail = errorTail
    self.wasTerminated = wasTerminated
  }

  /// What became of a process.
  public enum Status: Sendable, Equatable {
    /// It ended by itself with this code, 0 to 255.
    case exited(Int32)
    /// This OS signal ended it.
    case signalled(Int32)
    /// Other code of this program took the status away from us.
    case unknown

    /// Whether an OS signal ended it.
    var isSignalled: Bool { if case .signalled = self { true } else { false } }

    /// Decodes what `waitpid` reports of a process that has ended.
    init(waitStatus: Int32) {
      let signal = waitStatus & 0x7f
      self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
  }
}
