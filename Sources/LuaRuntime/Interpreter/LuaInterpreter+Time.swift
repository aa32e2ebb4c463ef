import CLuaShims

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
    }
  }

  /// Begins the end of all code. What is still to be cleaned up has this long, altogether; what runs then
  /// is stopped with an error of kind `timeLimit` that no `pcall` catches, and whatever is called later is
  /// interrupted at once. Nothing takes that back; of several calls the strictest counts. One operation
  /// inside C may take longer.
  public func end(within time: Duration) {
    guard let host = lifetime.host else { return }
    storedCleanUpTime = min(time, storedCleanUpTime ?? time)
    rac_lua_end_within(host, time.inNanoseconds)
  }

  /// Has a signal interrupt the code, as by `awaitInterrupt(by:)`, and begin its end as it arrives,
  /// before the host can hear of it.
  public func end(by signal: Int32, within time: Duration) {
    guard let host = lifetime.host else { return }
    storedCleanUpTime = min(time, storedCleanUpTime ?? time)
    rac_lua_end_by(host, signal, time.inNanoseconds)
  }

  /// What is called, in a signal handler, when code does not stop two seconds after the time limit
  /// stopped it: it is in a long operation of C, such as a pattern match. One for the process.
  public static func onStuck(_ giveUp: @escaping @convention(c) () -> Void) {
    rac_lua_on_stuck(giveUp)
  }
}

extension Duration {
  fileprivate var inNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, seconds < 9_000_000_000 else { return seconds < 0 ? 0 : .max / 2 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
  }
}
