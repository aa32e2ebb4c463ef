import Reactive
import Synchronization

/// A scheduler in virtual time for tests, in which marble diagrams count time in frames.
///
/// Nothing runs until the test advances it. RAC: `RACTestScheduler`.
public final class TestScheduler: VirtualTimeScheduler, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is constant or under the mutex.

  /// How long one frame of a marble diagram lasts.
  public let frame: Duration
  /// What has to live as long as the scheduler.
  private let kept = Mutex<[any Sendable]>([])

  /// A scheduler at time zero.
  ///
  /// - Parameter frame: how long one frame of a marble diagram lasts; more than zero.
  public init(frame: Duration = .seconds(1)) {
    precondition(frame > .zero, "a frame lasts longer than nothing")
    self.frame = frame
  }

  /// The frame that the virtual time is in.
  public var currentFrame: Int { Int(now / frame) }

  /// Runs work of the test itself in a frame: its subscriptions and disposals before the frame's
  /// events, and disposals that a group puts behind them after.
  @discardableResult
  package func script(
    atFrame number: Int, _ precedence: Precedence = .ordinary,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    script(at: frame * number, precedence, work)
  }

  package func keep(_ object: some Sendable) {
    kept.withLock { $0.append(object) }
  }

  /// Advances to the end of a frame, which includes all its events.
  package func advance(toFrame number: Int) {
    let end = frame * (number + 1) - .nanoseconds(1)
    let distance = end - now
    if distance >= .zero { advance(by: distance) }
  }

  /// Runs until nothing is pending.
  ///
  /// - Parameter limit: the most pieces of work to run.
  /// - Throws: `TestSchedulerError.endless` if work is still pending then, as with a timer that
  ///   nobody disposes.
  public func run(atMost limit: Int = 100_000) throws {
    guard runAll(atMost: limit) else {
      throw TestSchedulerError.endless(limit: limit, pending: pendingTimes)
    }
  }

  /// Fails if work is pending.
  ///
  /// - Throws: `TestSchedulerError.pending` with its times.
  public func expectIdle() throws {
    let times = pendingTimes
    if !times.isEmpty { throw TestSchedulerError.pending(times) }
  }
}
