import CLuaShims
import Dispatch
import Synchronization

extension LuaInterpreter {
  /// The clock of deadlines: time since an arbitrary moment.
  public static var now: Duration { .nanoseconds(Int64(clamping: rac_lua_now())) }

  /// The moment of `now` after which code that still runs is stopped, with an error of kind
  /// `deadline` that no `pcall` catches; nil for never. It is stopped within a tenth of a second, and
  /// so is whatever runs later as long as the deadline stays.
  public var deadline: Duration? {
    get { storedDeadline }
    set {
      guard newValue != storedDeadline, let host = lifetime.host else { return }
      storedDeadline = newValue
      rac_lua_set_deadline(host, newValue.map { max(1, $0.inNanoseconds) } ?? 0)
      watch.setDeadline(newValue)
    }
  }

  /// Runs `body` with another deadline.
  public func withDeadline<Result>(_ deadline: Duration?, _ body: () -> Result) -> Result {
    let outer = self.deadline
    self.deadline = deadline
    defer { self.deadline = outer }
    return body()
  }

  /// How long code may run at a stretch, until it returns to the host or waits; nil for ever. Then it
  /// is stopped with an error of kind `timeLimit` that no `pcall` catches.
  public var timeLimit: Duration? {
    get { storedTimeLimit }
    set {
      guard let host = lifetime.host else { return }
      storedTimeLimit = newValue
      rac_lua_set_time_limit(host, newValue?.inNanoseconds ?? 0)
      watch.setLimit(newValue)
    }
  }

  /// What is called, in a signal handler, when code does not stop two seconds after the time limit
  /// stopped it: it is in a long operation of C, such as a pattern match. One for the process.
  public static func onStuck(_ giveUp: @escaping @convention(c) () -> Void) {
    rac_lua_on_stuck(giveUp)
  }
}

/// Sends an interpreter's thread a tick now and then, while there is something to look at: a deadline
/// that is due, or a time limit.
final class LuaWatch: Sendable {
  private struct State {
    var timer: DispatchSourceTimer?
    /// From when on the timer fires; nil when it does not.
    var start: Duration?
    var deadline: Duration?
    var limit: Duration?
    var isClosed = false
  }

  private let thread = rac_lua_thread()
  private let state = Mutex(State())

  /// The tick, after a first one at a deadline.
  private static let interval = Duration.milliseconds(50)

  func setDeadline(_ moment: Duration?) {
    state.withLock { state in
      state.deadline = moment
      guard let moment else { return }
      // A timer that fires already goes on until there is nothing to look at.
      if let first = state.start, first <= moment { return }
      start(&state, at: moment)
    }
  }

  func setLimit(_ limit: Duration?) {
    state.withLock { state in
      state.limit = limit
      if limit != nil { start(&state, at: LuaInterpreter.now) }
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func start(_ state: inout State, at moment: Duration) {
    guard !state.isClosed, rac_lua_prepare_ticks() == 0 else { return }
    state.start = moment
    let timer = state.timer ?? makeTimer()
    let delay = max(.zero, moment - LuaInterpreter.now)
    timer.schedule(
      deadline: .now() + .nanoseconds(Int(clamping: delay.inNanoseconds)),
      repeating: .nanoseconds(Int(Self.interval.inNanoseconds)), leeway: .milliseconds(10))
    if state.timer == nil { timer.resume() }
    state.timer = timer
  }

  private func makeTimer() -> DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
    timer.setEventHandler { [weak self] in self?.tick() }
    return timer
  }

  private func tick() {
    // Under the lock, so that the thread is there: its interpreter closes the watch before it goes.
    state.withLock { state in
      guard !state.isClosed else { return }
      guard state.deadline != nil || state.limit != nil else {
        state.start = nil
        state.timer?.schedule(deadline: .distantFuture)
        return
      }
      rac_lua_tick(thread)
    }
  }
}

extension Duration {
  fileprivate var inNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, seconds < 9_000_000_000 else { return seconds < 0 ? 0 : .max / 2 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
  }
}
