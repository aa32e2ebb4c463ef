import Dispatch
import Synchronization

/// The event loop that a main scheduler runs on.
public protocol MainLoop: AnyObject, Sendable {
  /// Runs `job` in a later turn of the loop; jobs run in the order of the calls. Any thread.
  func enqueue(_ job: @escaping @Sendable () -> Void)

  /// Runs `item` once after `delay`, or after `delay` and then every `interval`, until it is
  /// disposed. Any thread.
  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void)

  /// True if the calling thread is the loop's.
  var isCurrent: Bool { get }

  /// The monotonic time that the loop's timers use. Any thread.
  var now: Duration { get }
}

extension MainLoop {
  /// The time since an arbitrary moment, unaffected by the wall clock.
  public var now: Duration { MonotonicClock.now }
}

/// Runs work on an event loop; always a hop, first in, first out. RAC: `mainThreadScheduler`.
///
/// `Scheduler.main` runs on the dispatch main queue until a host sets its own loop.
public final class MainScheduler: Scheduler, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable, atomic or behind its mutex.

  /// Kept, so that scheduling on it takes no lock.
  private let firstLoop: any MainLoop
  private let laterLoop = Mutex<(any MainLoop)?>(nil)
  private let hasMoved = Atomic<Bool>(false)

  /// A scheduler for a thread's loop; for tests and hosts with several loops.
  public init(loop: any MainLoop) {
    firstLoop = loop
  }

  /// Moves this scheduler to another loop. Work scheduled before stays on the old loop.
  public func use(_ loop: any MainLoop) {
    laterLoop.withLock { $0 = loop }
    hasMoved.store(true, ordering: .releasing)
  }

  /// Moves this scheduler to another loop if it is on the loop `former`; see `use`.
  public func use(_ loop: any MainLoop, inPlaceOf former: any MainLoop) {
    laterLoop.withLock { if $0 ?? firstLoop === former { $0 = loop } }
    hasMoved.store(true, ordering: .releasing)
  }

  /// True if the calling thread is the loop's, inside scheduled work or not.
  override public var isCurrent: Bool { currentLoop.isCurrent }

  /// The time of the loop.
  override public var now: Duration { currentLoop.now }

  private var currentLoop: any MainLoop {
    guard hasMoved.load(ordering: .acquiring) else { return firstLoop }
    return laterLoop.withLock { $0 } ?? firstLoop
  }

  @discardableResult
  override public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    let item = ScheduledWork(work)
    currentLoop.enqueue { self.perform { item.runOnce() } }
    return item
  }

  /// Runs work that cannot be cancelled; cheaper than `schedule`.
  public func enqueue(_ work: @escaping @Sendable () -> Void) {
    currentLoop.enqueue { self.perform(work) }
  }

  /// Runs a job that cannot be cancelled and itself calls `perform`; saves a closure.
  package func enqueuePerforming(_ job: @escaping @Sendable () -> Void) {
    // Not by `currentLoop`, which retains the loop.
    if !hasMoved.load(ordering: .acquiring) { return firstLoop.enqueue(job) }
    currentLoop.enqueue(job)
  }

  @discardableResult
  override public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = ScheduledWork(work)
    currentLoop.startTimer(item, after: delay, every: nil, leeway: .zero) {
      self.perform { item.runOnce() }
    }
    return item
  }

  @discardableResult
  override public func schedule(
    every interval: Duration, leeway: Duration = .zero, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = ScheduledWork(work)
    currentLoop.startTimer(item, after: interval, every: interval, leeway: leeway) {
      self.perform { item.run() }
    }
    return item
  }
}

/// The dispatch main queue, for programs without an event loop of their own.
final class DispatchMainLoop: MainLoop {
  /// On the queue once it is asked for: a program with a loop of its own never asks.
  private static let marker = {
    let marker = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: marker, value: ())
    return marker
  }()

  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: Self.marker) != nil
  }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async(execute: job)
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.main.startTimer(
      item, after: delay, every: interval, leeway: leeway, fire)
  }
}
