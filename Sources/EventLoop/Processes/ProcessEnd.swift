import Platform

/// The end of a child.
public struct ProcessEnd: Sendable, Equatable {
  /// The exit status of the process that was started; the rest of its group does not count.
  public let status: Status
  /// The last part of standard error, at most 20 whole lines and 8 KiB; empty if it was not
  /// captured (`.inherit`, `.mergeIntoOutput`).
  public let errorTail: [UInt8]
  /// True if `terminate` or `kill` was called before the end.
  public let wasTerminated: Bool

  /// An end with these facts.
  public init(status: Status, errorTail: [UInt8], wasTerminated: Bool) {
    self.status = status
    self.errorTail = errorTail
    self.wasTerminated = wasTerminated
  }

  /// True if something that it started may have had no time to put in order what it shares with others:
  /// it failed, unless it ended as it was asked to.
  public var mayBeUnfinished: Bool {
    switch status {
    case .exited(0): false
    // As a shell reports the signal that has ended what it waited for.
    case .exited(let code): !(wasTerminated && code != 128 + SIGKILL)
    case .signalled(let signal): !(wasTerminated && signal != SIGKILL)
    case .unknown: true
    }
  }

  /// The exit status of a process.
  public enum Status: Sendable, Equatable {
    /// The process exited with this code, 0 to 255.
    case exited(Int32)
    /// This OS signal ended the process.
    case signalled(Int32)
    /// Other code of this program reaped the process and took its status.
    case unknown

    /// True if an OS signal ended the process.
    var isSignalled: Bool { if case .signalled = self { true } else { false } }

    /// Decodes the status that `waitpid` reports for a process that has ended.
    init(waitStatus: Int32) {
      let signal = waitStatus & 0x7f
      self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }
  }
}
