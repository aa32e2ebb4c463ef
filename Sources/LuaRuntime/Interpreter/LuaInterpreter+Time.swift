import CLuaShims

extension LuaInterpreter {
  /// The clock of deadlines: time since an arbitrary moment.
  public static var now: Duration { .nanoseconds(Int64(clamping: rac_lua_now())) }

  /// The time on the clock of `now` after which running code is stopped, with an error of kind
  /// `deadline` that no `pcall` catches; nil for never. Code is stopped within a tenth of a second,
  /// and so is all later code while the deadline is set.
  public var deadline: Duration? {
    get { storedDeadline }
    set {
      guard newValue != storedDeadline, let host = lifetime.confinedHost else { return }
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

  /// The time that code may run until it returns to the host or waits; nil for no limit. After it,
  /// code is stopped with an error of kind `timeLimit` that no `pcall` catches.
  public var timeLimit: Duration? {
    get { storedTimeLimit }
    set {
      guard let host = lifetime.confinedHost else { return }
      storedTimeLimit = newValue
      rac_lua_set_time_limit(host, newValue?.inNanoseconds ?? 0)
    }
  }

  /// Stops the running code as `timeLimit` does, because what it has called has taken that time.
  ///
  /// - Returns: false if no code runs.
  public func exceedTimeLimit() -> Bool {
    lifetime.confinedHost.map { rac_lua_exceed_time_limit($0) } ?? false
  }

  /// Begins the end of all code. Clean-up has this much time in total; code that runs after it is
  /// stopped with an error of kind `timeLimit` that no `pcall` catches, and all later calls are
  /// interrupted at once. This cannot be undone; of several calls the strictest applies. One
  /// operation inside C may take longer.
  public func end(within time: Duration) {
    guard let host = lifetime.confinedHost else { return }
    storedCleanUpTime = min(time, storedCleanUpTime ?? time)
    rac_lua_end_within(host, time.inNanoseconds)
  }

  /// Makes a signal interrupt the code, as `awaitInterrupt(by:)` does, and begin its end on
  /// arrival, before the host is notified.
  public func end(by signal: Int32, within time: Duration) {
    guard let host = lifetime.confinedHost else { return }
    storedCleanUpTime = min(time, storedCleanUpTime ?? time)
    rac_lua_end_by(host, signal, time.inNanoseconds)
  }

  /// Sets the function that is called, in a signal handler, if code does not stop within two
  /// seconds after the time limit stopped it: it is in a long C operation, such as a pattern match.
  /// One per process.
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
