import Synchronization

/// A scheduler whose time passes only when it is advanced: everything that is due then runs on the
/// calling thread, in order of time and, at one time, in order of scheduling. Time starts at zero.
///
/// It may be used from any thread. An `advance` made while another is in progress, from inside
/// scheduled work or from another thread, extends that one and returns at once. Rx:
/// `VirtualTimeScheduler`; RAC: `RACTestScheduler`.
open class VirtualTimeScheduler: Scheduler, @unchecked Sendable {
  // Unchecked only because it is open: all state is under the mutex.

  /// The order of work that is due at one time.
  package enum Precedence: Int, Comparable, Sendable {
    case first, ordinary, last

    package static func < (one: Precedence, other: Precedence) -> Bool {
      one.rawValue < other.rawValue
    }
  }

  private struct Entry {
    let time: Duration
    let precedence: Precedence
    /// Breaks ties; a repeated entry gets a new one for each round.
    let number: Int
    let identity: Int
    let item: ScheduledWork
    let interval: Duration?
    /// Whether a test asked for it, rather than the code under test.
    let isScripted: Bool

    func isBefore(_ other: Entry) -> Bool {
      (time, precedence, number) < (other.time, other.precedence, other.number)
    }
  }

  private struct State {
    var now = Duration.zero
    var target = Duration.zero
    var isRunning = false
    var count = 0
    /// The next one last.
    var entries: [Entry] = []

    mutating func insert(_ entry: Entry) {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entry.isBefore(entries[middle]) { low = middle + 1 } else { high = middle }
      }
      entries.insert(entry, at: low)
    }

    mutating func nextDue() -> Entry? {
      guard let next = entries.last, next.time <= target else { return nil }
      now = max(now, next.time)
      return entries.removeLast()
    }
  }

  private let state = Mutex(State())

  /// A scheduler at time zero.
  public override init() {}

  /// The virtual time.
  override public var now: Duration { state.withLock { $0.now } }

  /// How many pieces of work wait for their time; neither those disposed nor the events of a test's
  /// hot signals count. Zero after a pipeline has ended proves that it left no timer behind.
  public var pendingCount: Int { pendingTimes.count }

  /// When each piece of work that waits will run.
  public var pendingTimes: [Duration] {
    state.withLock { $0.entries.reversed().filter { !$0.isScripted }.map(\.time) }
  }

  /// When the next work is due; nil when none waits.
  public var nextTime: Duration? { state.withLock { $0.entries.last?.time } }

  // MARK: Scheduling

  /// Runs `work` in the next advance, after what is already due now.
  @discardableResult
  override public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    insert(work, after: .zero)
  }

  @discardableResult
  override public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    insert(work, after: delay)
  }

  @discardableResult
  override public func schedule(
    every interval: Duration, leeway: Duration = .zero, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    precondition(interval > .zero, "work repeats after an interval longer than nothing")
    return insert(work, after: interval, every: interval)
  }

  /// Runs work of a test at a time; `pendingCount` does not count it.
  @discardableResult
  package func script(
    at time: Duration, _ precedence: Precedence, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    insert(work, after: time - now, precedence: precedence, isScripted: true)
  }

  private func insert(
    _ work: @escaping @Sendable () -> Void, after delay: Duration, every interval: Duration? = nil,
    precedence: Precedence = .ordinary, isScripted: Bool = false
  ) -> any Disposable {
    let item = ScheduledWork(work)
    let identity = state.withLock { state in
      state.count += 1
      state.insert(
        Entry(
          time: state.now + max(delay, .zero), precedence: precedence, number: state.count,
          identity: state.count, item: item, interval: interval, isScripted: isScripted))
      return state.count
    }
    item.onDispose { [weak self] in self?.remove(identity) }
    return item
  }

  private func remove(_ identity: Int) {
    // The entry is released after the lock.
    _ = state.withLock { state in
      state.entries.firstIndex { $0.identity == identity }.map { state.entries.remove(at: $0) }
    }
  }

  // MARK: Time

  /// Runs everything that is due up to `duration` from now, what becomes due on the way included,
  /// and leaves the time there.
  ///
  /// - Parameter duration: zero runs what is due now.
  public func advance(by duration: Duration = .zero) {
    let starts = state.withLock { state in
      state.target = max(state.target, state.now) + duration
      return Self.claim(&state)
    }
    if starts { runDue(atMost: .max) }
  }

  /// Does the same as `advance(by:)`, as long as `goesOn` returns true, which is called before each
  /// piece of work.
  ///
  /// - Returns: false if work that was due is left.
  package func advance(by duration: Duration, while goesOn: () -> Bool) -> Bool {
    let starts = state.withLock { state in
      state.target = max(state.target, state.now) + duration
      return Self.claim(&state)
    }
    if starts { runDue(atMost: .max, while: goesOn) }
    return state.withLock { state in state.entries.last.map { $0.time > state.target } ?? true }
  }

  /// Runs until nothing is pending.
  ///
  /// - Parameter limit: the most pieces of work to run.
  /// - Returns: false if work is still pending then.
  package func runAll(atMost limit: Int) -> Bool {
    var left = limit
    while left > 0 {
      let starts = state.withLock { state in
        guard let next = state.entries.last else { return false }
        state.target = max(state.target, next.time)
        return Self.claim(&state)
      }
      guard starts else { return true }
      left = runDue(atMost: left)
    }
    return false
  }

  /// Runs the next piece of work alone, at its time. RAC: `step`.
  ///
  /// - Returns: whether there was one. From inside scheduled work there is none to run: that one has
  ///   not ended.
  @discardableResult
  public func step() -> Bool {
    let starts = state.withLock { state in
      guard !state.isRunning, let next = state.entries.last else { return false }
      state.target = max(state.now, next.time)
      return Self.claim(&state)
    }
    if starts { runDue(atMost: 1) }
    return starts
  }

  /// Runs the next pieces of work, one after the other, each at its time. RAC: `step:`.
  ///
  /// - Parameter count: how many at most.
  /// - Returns: how many there were.
  @discardableResult
  public func step(_ count: Int) -> Int {
    var steps = 0
    while steps < count, step() { steps += 1 }
    return steps
  }

  private static func claim(_ state: inout State) -> Bool {
    defer { state.isRunning = true }
    return !state.isRunning
  }

  /// - Returns: how much of the limit is left.
  @discardableResult
  private func runDue(atMost limit: Int, while goesOn: () -> Bool = { true }) -> Int {
    var left = limit
    while left > 0 {
      guard goesOn() else {
        state.withLock { $0.isRunning = false }
        return left
      }
      guard let entry = nextDue() else { return left }
      left -= 1
      guard let interval = entry.interval else {
        perform { entry.item.runOnce() }
        continue
      }
      // Before it runs, so that disposing it from inside takes the next round away.
      state.withLock { state in
        state.count += 1
        state.insert(
          Entry(
            time: entry.time + interval, precedence: entry.precedence, number: state.count,
            identity: entry.identity, item: entry.item, interval: interval,
            isScripted: entry.isScripted))
      }
      // Disposed meanwhile, it looked for itself in vain.
      if entry.item.isDisposed { remove(entry.identity) }
      perform { entry.item.run() }
    }
    if left == 0 { state.withLock { $0.isRunning = false } }
    return left
  }

  private func nextDue() -> Entry? {
    state.withLock { state in
      if let entry = state.nextDue() { return entry }
      state.now = max(state.now, state.target)
      state.isRunning = false
      return nil
    }
  }
}
