/// The timeout and the retries of an execution.
public struct ExecutionOptions: Sendable, Hashable {
  /// The time limit from the start of the work, after any wait in a queue, including all attempts
  /// and delays; nil for no limit. An execution that exceeds it fails with `CommandError.timeout`.
  public var timeout: Duration?
  /// The retries after a failure of the work; nil for none.
  public var retry: Retry?

  /// The options; none by default.
  public init(timeout: Duration? = nil, retry: Retry? = nil) {
    self.timeout = timeout
    self.retry = retry
  }

  /// A new subscription of the work after a failure. The execution receives the values of all
  /// attempts.
  ///
  /// The signal block is not called again: a cold signal starts its work anew, and a hot one that
  /// failed fails again.
  public struct Retry: Sendable, Hashable {
    /// The number of further attempts after the first.
    public var times: Int
    /// The time between the end of an attempt and the start of the next, at least zero.
    public var delay: Duration
    /// The factor applied to the delay after each further attempt.
    public var backoff: Double

    /// `times` further attempts.
    public init(times: Int, delay: Duration = .zero, backoff: Double = 1) {
      precondition(times >= 0, "the number of retries cannot be negative")
      precondition(delay >= .zero && backoff >= 0, "a delay cannot be negative")
      self.times = times
      self.delay = delay
      self.backoff = backoff
    }

    /// The delay before an attempt. The second attempt is the first that has one.
    func delay(before attempt: Int) -> Duration {
      var delay = delay
      for _ in 2..<max(attempt, 2) { delay = delay * backoff }
      return delay
    }
  }

  var isSupervised: Bool { timeout != nil || retry != nil }
}

/// One attempt of an execution at its work.
///
/// The first is announced when it starts, a later one when the previous one has failed, which is
/// `delay` before it starts.
public struct Attempt: Sendable {
  /// The attempt's number, counted from one.
  public let number: Int
  /// The error of the previous attempt; nil for the first.
  public let cause: (any Error)?
  /// The time between the end of the previous attempt and this one.
  public let delay: Duration
}
