import LuaRuntime
import Platform
import Reactive

/// What holds while some code of a script runs, and is passed on to what that code starts: variables
/// that are set for the time of a call. Confined to the loop's thread.
final class ExecutionContext {
  private let interpreter: LuaInterpreter
  /// The work that observers of commands have started.
  let observerWork: ObserverWork

  /// The work that runs; whatever a script starts meanwhile belongs to it.
  private(set) var purpose = Purpose()
  /// The innermost coroutine that runs.
  var run: CoroutineRun?
  /// The subscriber that is subscribing, which the code that subscribes keeps.
  unowned(unsafe) var subscriber: ScriptSubscriber?
  /// The backlog of the source that is sending: what it has sent and what has been queued since.
  var backlog: Backpressure?
  /// True while the `<close>` variables of a coroutine that is being ended run.
  var isClosingCoroutine = false
  /// True while a condition is being subscribed. Such a subscription is not an observer.
  var isSubscribingCondition = false
  /// True while a chunk of a process's output is being delivered value by value.
  var isDeliveringOutput = false
  /// The chain of scheduled functions that the running one belongs to.
  var currentChain: TurnChain?
  /// True while everything is being cancelled.
  var isCancelling = false

  /// The time at which code that belongs to no execution is stopped; nil for never.
  var deadline: Duration? {
    didSet { if execution == nil { interpreter.deadline = deadline } }
  }
  /// The time that a script has to clean up after the deadline of its work.
  var cleanUpTime = Duration.seconds(5)
  /// The end of the clean-up that runs.
  private var cleanUpEnd: Duration?

  init(_ interpreter: LuaInterpreter, _ observerWork: ObserverWork) {
    self.interpreter = interpreter
    self.observerWork = observerWork
  }

  /// Runs `body` with another value of a variable.
  @inline(__always)
  func with<Value, Result>(
    _ variable: ReferenceWritableKeyPath<ExecutionContext, Value>, _ value: Value,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = self[keyPath: variable]
    self[keyPath: variable] = value
    defer { self[keyPath: variable] = outer }
    return try body()
  }

  /// The execution whose work runs.
  var execution: ScriptExecution? { purpose.execution }

  /// Runs `body` as part of some work under its deadline, and as part of an observer's if told so.
  func within<Result>(
    _ purpose: Purpose, asObserver isObserver: Bool, _ body: () -> Result
  ) -> Result {
    serving(purpose) {
      observerWork.within(isObserver) {
        interpreter.withDeadline(purpose.execution?.deadline ?? deadline, body)
      }
    }
  }

  /// Runs `body` as part of some work under the deadline that is in force.
  @inline(__always)
  func serving<Result>(_ purpose: Purpose, _ body: () throws -> Result) rethrows -> Result {
    let outer = self.purpose
    self.purpose = purpose
    defer { self.purpose = outer }
    return try body()
  }

  /// Returns the same job, which will run as part of the work that runs now, and under its deadline.
  func inheriting(_ job: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let work = keeping(job)
    // An expired deadline has already stopped its code and does not apply to later work.
    guard let deadline = interpreter.deadline, deadline > LuaInterpreter.now else { return work }
    return { [interpreter] in interpreter.withDeadline(deadline, work) }
  }

  /// Runs `body`, the clean-up of work with a deadline, which gets some time even if the deadline
  /// has passed. Code that ends this work within a time limit of its own gets no extra time.
  func cleanUp(after deadline: Duration?, _ body: () -> Void) {
    guard let deadline else { return body() }
    let (now, current) = (LuaInterpreter.now, interpreter.deadline)
    var end = max(deadline, now) + cleanUpTime
    if let current, current > now, current != deadline || current == cleanUpEnd {
      end = min(end, current)
    }
    let outer = cleanUpEnd
    cleanUpEnd = end
    defer { cleanUpEnd = outer }
    interpreter.withDeadline(end, body)
  }
}

extension ScriptHost {
  /// The execution whose work runs now.
  var currentExecution: ScriptExecution? { context.execution }

  /// True while a chunk of a process's output is being delivered value by value, so that the
  /// resulting output can be written in one piece at the end.
  public var isDeliveringOutput: Bool { context.isDeliveringOutput }

  /// The work that observers of commands have started.
  public var observerWork: ObserverWork { context.observerWork }

  /// The time at which code that belongs to no execution is stopped, on the clock of
  /// `LuaInterpreter.now`; nil for never.
  public var deadline: Duration? {
    get { context.deadline }
    set { context.deadline = newValue }
  }

  /// The time that a script has to clean up after the deadline of its work.
  public var cleanUpTime: Duration {
    get { context.cleanUpTime }
    set { context.cleanUpTime = newValue }
  }

  /// Runs `body` as part of an execution's work, or of none.
  func within<Result>(_ execution: ScriptExecution?, _ body: () -> Result) -> Result {
    within(Purpose(execution: execution), body)
  }

  /// Runs `body` for a caller, as part of no execution's work.
  ///
  /// - Parameter caller: the variables that what it begins begins with; nil for those of the interpreter.
  package func serving<Result>(
    _ caller: CallerEnvironment?, _ body: () throws -> Result
  ) rethrows -> Result {
    guard let caller, !caller.isOwn else { return try body() }
    return try context.serving(Purpose(nil, for: caller), body)
  }

  /// Runs `body` as part of some work.
  func within<Result>(_ purpose: Purpose, _ body: () -> Result) -> Result {
    context.within(
      purpose, asObserver: purpose.execution?.isObserverWork ?? observerWork.isCurrent, body)
  }

  /// Limits how long Lua code may run without a pause, unless a limit is already set.
  public func limitTime(to limit: Duration) {
    if interpreter.timeLimit == nil { setTimeLimit(limit) }
  }

  /// Runs `body` with a limit on how long Lua code may run without a pause, unless a shorter one is
  /// set.
  package func withTimeLimit(_ limit: Duration, _ body: () -> Void) {
    let outer = interpreter.timeLimit
    setTimeLimit(outer.map { min($0, limit) } ?? limit)
    defer { setTimeLimit(outer) }
    body()
  }

  private func setTimeLimit(_ limit: Duration?) {
    interpreter.timeLimit = limit
    limitLoops()
  }

  /// Limits loops of signals and of scheduled work as Lua code is limited. A loop that has no
  /// subscriber ends the code that it runs in.
  func limitLoops() {
    scheduler.limitLoops(
      to: interpreter.timeLimit,
      onExceeded: onLoop { [unowned self] error in
        if !interpreter.exceedTimeLimit() { reportUnhandled(error) }
      })
  }
}
