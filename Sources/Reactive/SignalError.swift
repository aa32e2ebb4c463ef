/// The errors that this module itself sends or throws.
public enum SignalError: Error, Hashable {
  /// `timeout` ended a signal that took longer than this.
  case timedOut(after: Duration)
  /// A synchronous loop of signals ran for longer than this without a pause; see
  /// `MainScheduler.limitLoops`.
  case endless(after: Duration)
  /// The named call would have blocked the main thread, where the events it waits for may be due.
  case waitOnMainThread(call: String)
}

extension SignalError: CustomStringConvertible {
  /// The error, and a way to avoid it.
  public var description: String {
    switch self {
    case .timedOut(let interval):
      "the signal did not end within \(interval)"
    case .endless(let limit):
      "the signals ran for more than \(limit) without a pause"
    case .waitOnMainThread(let call):
      "\(call) blocks and cannot be called on the main thread; subscribe to the signal or use `values`"
    }
  }
}
