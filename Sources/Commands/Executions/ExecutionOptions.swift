/// How long an execution may take, and how often it may try.
public struct ExecutionOptions: Sendable, Hashable {
  /// The time from the start of the work, after any wait in a queue, within which the execution has
  /// to end, with all attempts and delays; nil for no limit. Then it fails with
  /// `CommandError.timeout`.
  public var timeout: Duration?
  /// What to do when the work fails; nil to fail.
  public var retry: Retry?

  /// The options; none by default.
  public init(timeout: Duration? = nil, retry: Retry? = nil) {
    self.timeout = timeout
    self.retry = retry
  }

  /// Subscribing the work again after it failed. Values of all attempts arrive in the one execution.
  ///
  /// The signal block is not called again: a cold signal starts its work anew, a hot one that failed
  /// fails again.
  public struct Retry: Sendable, Hashable {
    /// How many further attempts may follow the first.
    public var times: Int
    /// The time between the end of an attempt and the start of the next, at least zero.
    public var delay: Duration
    /// What the delay is multiplied by after each further attempt.
    public var backoff: Double

    /// `times` further attempts.
    public init(times: Int, delay: Duration = .zero, backoff: Double = 1) {
      precondition(times >= 0, "the number of retries cannot be negative")
      precondition(delay >= .zero && backoff >= 0, "a delay cannot be negative")
      self.times = times
      self.delay = delay
      self.backoff = backoff
    }

    /// The delay before the attempt of a number; the second is the first that has one.
    func delay(before attempt: Int) -> Duration {
      var delay = delay
      for _ in 2..<max(attempt, 2) { delay = delay * backoff }
      return delay
    }
  }

  var isSupervised: Bool { timeout != nil || retry != nil }
}

/// One try of an execution at its work.
///
/// The first is announced when it starts, a later one when the one before it has failed: `delay`
/// before it starts.
public struct Attempt: Sendable {
  /// Counts from one.
  public let number: Int
  /// The error of the attempt before; nil for the first.
  public let cause: (any Error)?
  /// The time between the end of the attempt before and this one.
  public let delay: Duration
}
