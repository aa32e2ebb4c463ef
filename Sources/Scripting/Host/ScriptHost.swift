import Commands
import EventLoop
import LuaRuntime
import Reactive

/// One interpreter with the `rac` library, its commands, and everything its scripts have started.
///
/// It belongs to the thread of its event loop, which is the main scheduler of all it makes.
public final class ScriptHost: @unchecked Sendable {
  // Unchecked: neither an actor nor a Mutex can say "the thread of the event loop"; the interpreter
  // and the loop check it.

  /// The version of the library and the program.
  public static let version = "0.1.0"

  /// The loop everything happens on.
  public let loop: EventLoop
  /// The main scheduler: the loop's.
  public let scheduler: MainScheduler
  /// The Lua side.
  public let interpreter: LuaInterpreter

  /// The named commands in the order of their definition.
  public private(set) var commands: [ScriptCommand] = []
  /// Where commands without a name were defined.
  public private(set) var anonymousCommands: [String] = []
  /// The same by their names and aliases.
  private var commandsByName: [String: ScriptCommand] = [:]

  /// Receives what processes write to standard error when it is not captured, with the id of the
  /// outermost execution that the process belongs to, if any.
  public var onErrorOutput: @Sendable (Int?, UnsafeRawBufferPointer) -> Void = { _, _ in }
  /// Receives what processes write to standard error that is captured, with the same id.
  public var onCapturedErrors: @Sendable (Int?, UnsafeRawBufferPointer) -> Void = { _, _ in }
  /// Told of each process group that a process has begun, by its leader, with the id of the outermost
  /// execution that the process belongs to, if any.
  public var onGroupBegun: @Sendable (Int?, Int32) -> Void = { _, _ in }
  /// Told when nothing is left of such a group.
  public var onGroupEnded: @Sendable (Int32) -> Void = { _ in }
  /// Whether it receives what processes print while they are ended because their execution is, too.
  public var takesLateOutput: @Sendable () -> Bool = { true }
  /// Told when all values of a chunk of a process's output have been delivered; see
  /// `isDeliveringOutput`.
  public var onOutputDelivered: @Sendable () -> Void = {}
  /// Receives what scripts log.
  public var onLog: @Sendable (LogLevel, String) -> Void = { _, _ in }
  /// Told when a command is defined that names secrets.
  public var onSecrets: (() -> Void)?
  /// Receives errors that nobody handles, each once.
  public var onUnhandled: @Sendable (Failure) -> Void = { _ in }

  /// Receives what is wrong with the definitions of commands, as `file:line: message`, instead of
  /// failing the script. While it is set, a definition goes on with what is right in it.
  public var onProblem: ((String) -> Void)?
  /// Whether executions only seem to take place; see `rehearse(for:)`.
  public internal(set) var isRehearsing = false
  /// Whether everything is being cancelled at this moment.
  private(set) var isCancelling = false

  /// Called with each execution of a command as it begins or is rejected, and with the id of the
  /// outermost execution that it belongs to; tells whether its failure is taken care of.
  public var onExecution: @Sendable (ScriptCommand, Execution<LuaValue, LuaValue>, Int) -> Bool = {
    _, _, _ in false
  }

  /// Told what is waited for once that has taken a second.
  public var onPatience: @Sendable (String) -> Void = { _ in }
  /// Whether commands wait for the first value of their conditions, which must be booleans, as the
  /// runner wants it; else a condition counts as true until it has sent, and any value as Lua takes it.
  public var requiresConditions = false
  /// Whether the condition of a named command is subscribed only when somebody needs to know it.
  public var defersConditions = false
  /// How long a condition is waited for that sends no value; nil for no limit.
  public var conditionTimeout: Duration?
  /// The conditions that somebody waits for.
  var awaitedConditions: [EnabledCondition] = []
  /// Whether a condition is being subscribed, which makes nobody an observer.
  var isSubscribingCondition = false
  /// Where commands have made signals that nobody had used when their function returned: those that
  /// were still there, and those that were gone.
  var placesOfStoredSignals: Set<String> = []
  var placesOfLostSignals: Set<String> = []
  /// What observers of commands have started.
  public let observerWork = ObserverWork()

  /// When code that belongs to no execution of a command is stopped, on the clock of
  /// `LuaInterpreter.now`; nil for never.
  public var deadline: Duration? {
    didSet { if currentExecution == nil { interpreter.deadline = deadline } }
  }
  /// How long after the deadline of its work a script may still clean up.
  public var cleanUpTime = Duration.seconds(5)
  /// When the clean-up that runs has to be over.
  private var cleanUpEnd: Duration?
  /// How many processes that scripts have started have not ended.
  public internal(set) var liveProcesses = 0
  /// What shells of `os.execute` have left behind.
  var leftPrograms: [ObjectIdentifier: ShellProgram] = [:]
  /// Whether the run is asked to end, for a script that holds up the loop on which that is told.
  public var isEndRequested: @Sendable () -> Bool = { false }

  let arguments: [String]
  let stackRoom = StackRoom()
  let prelude: PreludeFunctions
  /// `rac.commands`.
  let commandTable: LuaReference
  /// All that scripts have subscribed to but by functions.
  private(set) var subscriptions = CompoundDisposable()
  /// All functions of scripts that are subscribed.
  @exclusivity(unchecked) var subscribers = SlotTable<ScriptSubscriber>()
  /// The subscriber that subscribes now.
  var currentSubscriber: ScriptSubscriber?
  /// Standard input, for `rac.stdin`.
  private(set) lazy var inputLines = InputLines(self)
  /// Whether the `<close>` variables of a coroutine run that is being ended.
  var isClosingCoroutine = false
  /// Whether a script has asked for standard input.
  public internal(set) var readsInput = false
  /// Whether somebody else reads standard input for now; scripts that listen to it wait meanwhile.
  public var isInputHeld: Bool {
    get { inputLines.isHeld }
    set { inputLines.isHeld = newValue }
  }
  /// The subscriptions that a script made and that have not ended.
  @exclusivity(unchecked) var activeSubscriptions = 0
  let terminalTurns = TerminalTurns()
  /// How many coroutines are at work.
  var activeRuns = 0
  /// The innermost of them that is running now.
  var currentRun: CoroutineRun?
  /// What the source that is sending now has sent and what waits since.
  var backlog: Backpressure?
  /// The execution whose work runs now; what a script starts meanwhile belongs to it.
  var currentExecution: ScriptExecution?
  /// Whether a chunk of a process's output is being delivered, value by value, so that what they lead
  /// to may be written at once at its end.
  public internal(set) var isDeliveringOutput = false
  /// The command whose execution is the script itself.
  var mainCommand: Command<LuaValue, LuaValue>?
  /// Of executions that end in this turn: the one inside each that has failed first.
  var innerFailures: [Int: InnerFailure] = [:]
  /// The executions that have not ended, of named and anonymous commands.
  @exclusivity(unchecked) var executions: [Int: ScriptExecution] = [:]

  /// Opens an interpreter with the library.
  ///
  /// - Parameters:
  ///   - loop: the loop of the calling thread.
  ///   - script: what `arg[0]` is.
  ///   - arguments: what `rac.args` holds.
  ///   - memoryLimit: the most bytes that Lua may hold; nil for no limit, or the sandbox's.
  ///   - timeLimit: how long Lua code may run without a pause; nil for no limit, or the sandbox's.
  ///   - sandbox: what scripts cannot reach; nil to let them reach everything.
  /// - Throws: `LuaError` when there is no memory for it.
  public init(
    loop: EventLoop, script: String = "", arguments: [String] = [], memoryLimit: Int? = nil,
    timeLimit: Duration? = nil, sandbox: Sandbox? = nil
  ) throws {
    self.loop = loop
    self.arguments = arguments
    interpreter = try LuaInterpreter(memoryLimit: memoryLimit ?? sandbox?.memoryLimit)
    scheduler = MainScheduler(loop: InheritedContext(loop, interpreter, observerWork))
    prelude = try PreludeFunctions(interpreter)
    commandTable = try interpreter.newTable()
    interpreter.errorBridge = LuaErrorBridge(
      push: { [unowned(unsafe) self] error, stack in
        stack.push(luaValue(of: error))
        return true
      },
      recover: { [unowned(unsafe) self] stack, index in recoverFailure(stack.value(at: index)) })
    // The end of a subject or a connection calls subscribers.
    interpreter.onCollected = { [unowned interpreter, scheduler] in
      scheduler.enqueue { interpreter.releaseCollected() }
    }
    openLibrary(script: script, granted: sandbox == nil ? .all : Sandbox.granted)
    replaceProgramFunctions()
    // Last, so that nothing is added to Lua's library behind it.
    sandbox?.close(interpreter)
    interpreter.timeLimit = timeLimit ?? sandbox?.timeLimit
    scheduler.limitLoops(to: interpreter.timeLimit)
  }

  deinit {
    // What scripts have started refers to the host without keeping it; `close` ends all of that.
    precondition(!interpreter.isOpen, "a ScriptHost has to be closed before it is dropped")
  }

  /// The command of a name or alias.
  public func command(named name: String) -> ScriptCommand? {
    commandsByName[name]
  }

  /// Makes a named command known, to Lua too as `rac.commands[name]`, from its userdata at an index.
  func register(_ command: ScriptCommand, at index: Int, on stack: LuaStack) throws {
    guard let name = command.description.name else { return }
    for other in [name] + command.aliases {
      guard let known = self.command(named: other) else { continue }
      throw APIUsageError.duplicateCommand(
        name: other, here: command.position, there: known.position)
    }
    stack.push(commandTable)
    stack.copy(from: index)
    stack.rawSet(name, at: -2)
    stack.pop()
    command.register()
    commands.append(command)
    for name in [name] + command.aliases { commandsByName[name] = command }
  }

  /// Remembers the first commands without a name; a script may make any number of them.
  func noteAnonymous(_ position: String) {
    if anonymousCommands.count < 100 { anonymousCommands.append(position) }
  }

  /// Whether something that a script started has not ended: a coroutine, an execution, a
  /// subscription, a process that `os.execute` has left behind. Enabled conditions do not count.
  public var hasWork: Bool { activeSubscriptions > 0 || isExecuting || !leftPrograms.isEmpty }

  /// Whether a coroutine or an execution that a script started has not ended.
  public var isExecuting: Bool { !executions.isEmpty || activeRuns > 0 }

  /// Whether something that has happened to a command is still to be told to its observers.
  public var isDelivering: Bool { commands.contains(where: \.isDelivering) }

  /// Makes the arrival of an OS signal stop Lua code that runs too long to notice it; call after the
  /// loop's own handler was installed.
  public func interrupts(on signal: Int32) {
    // A signal the system does not let us handle has no handler to run after either.
    try? LuaInterpreter.interruptOnSignal(signal)
  }

  /// Ends all executions as cancelled and takes back an interrupt; what their clean-up starts may
  /// run.
  public func cancelAll() {
    interpreter.clearInterrupt()
    isCancelling = true
    defer { isCancelling = false }
    for execution in mainCommand?.activeExecutionSignals ?? [] { execution.cancel() }
    for execution in executions.values.sorted(by: { $0.id < $1.id }) {
      execution.execution.cancel()
    }
    for program in leftPrograms.values { program.terminate() }
  }

  /// Has a signal of the OS end the whole run: it stops what runs, and all code has ended `cleanUpTime` after
  /// it.
  public func ends(by signal: Int32) { interpreter.end(by: signal, within: cleanUpTime) }

  /// The whole run is to end: code that cleans up runs, whatever has stopped the code before it, but for no
  /// longer than `cleanUpTime` altogether.
  public func allowCleanUp() {
    interpreter.end(within: cleanUpTime)
    interpreter.clearInterrupt()
  }

  /// Cancels all as the whole run is to end.
  public func endAll() {
    allowCleanUp()
    cancelAll()
  }

  /// Disposes everything that scripts have subscribed to so far; they may go on.
  public func disposeSubscriptions() {
    let ended = subscriptions
    subscriptions = CompoundDisposable()
    disposeSubscribers()
    ended.dispose()
  }

  /// Disposes everything that scripts subscribed to but what happens to commands: they may still be told
  /// how that ends, and start nothing more.
  public func disposeAllButObservers() {
    subscriptions.dispose()
    disposeUnobserving()
  }

  /// Disposes everything that scripts subscribed to, the commands' conditions included.
  public func disposeAll() {
    subscriptions.dispose()
    disposeSubscribers()
    for command in commands { command.release() }
    commands = []
    commandsByName = [:]
    mainCommand = nil
  }

  /// Closes the interpreter.
  public func close() {
    disposeAll()
    inputLines.close()
    scheduler.limitLoops(to: nil)
    interpreter.close()
  }

  /// Runs `body` as part of an execution's work.
  func within<Result>(_ execution: ScriptExecution?, _ body: () -> Result) -> Result {
    within(execution, asObserver: execution?.isObserverWork ?? observerWork.isCurrent, body)
  }

  /// Runs `body` as part of an execution's work, or of an observer's.
  func within<Result>(
    _ execution: ScriptExecution?, asObserver isObserver: Bool, _ body: () -> Result
  ) -> Result {
    let outer = currentExecution
    currentExecution = execution
    defer { currentExecution = outer }
    return observerWork.within(isObserver) {
      interpreter.withDeadline(execution?.deadline ?? deadline, body)
    }
  }

  /// Runs what is left to be done at the end of work with a deadline, for which there is some time even
  /// when the deadline is over. Whoever else ends that work in a time of its own has no more for it.
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

  /// Limits how long Lua code may run without a pause, unless it has such a limit.
  public func limitTime(to limit: Duration) {
    if interpreter.timeLimit == nil { setTimeLimit(limit) }
  }

  /// Runs `body` with a limit of how long Lua code may run without a pause, if it has no shorter one.
  func withTimeLimit(_ limit: Duration, _ body: () -> Void) {
    let outer = interpreter.timeLimit
    setTimeLimit(outer.map { min($0, limit) } ?? limit)
    defer { setTimeLimit(outer) }
    body()
  }

  private func setTimeLimit(_ limit: Duration?) {
    interpreter.timeLimit = limit
    scheduler.limitLoops(to: limit)
  }

  /// Tells an error that nobody handles.
  func reportUnhandled(_ error: any Error) {
    let failure = failure(of: error)
    if failure.kind != .cancelled { onUnhandled(failure) }
  }

  /// The signal that a value is; whoever uses it sees to it that the userdata lives until then.
  func operand(_ value: LuaValue) -> Signal<LuaValue>? {
    guard case .reference(let reference) = value, reference.type == .userdata else { return nil }
    let object = interpreter.withStack { stack in
      stack.push(reference)
      return stack.object(at: -1, Userdata.signal)
    }
    guard let object = object ?? nil else { return nil }
    noteObserved(object)
    return object.signal
  }

  /// The signal that a value is, kept alive until it is subscribed, from when on it roots itself; nil
  /// if the value is none.
  public func signal(from value: LuaValue) -> Signal<LuaValue>? {
    guard let signal = operand(value) else { return nil }
    return Signal { observer, subscription in
      withExtendedLifetime(value) { signal.observe(observer, in: subscription) }
    }
  }

  /// The signal on a stack, which lives as `signal(from:)` says.
  func signal(at index: Int, on stack: LuaStack) -> Signal<LuaValue>? {
    guard let object = stack.object(at: index, Userdata.signal) else { return nil }
    noteObserved(object)
    // Without Lua functions behind it, nothing of the userdata is needed.
    return object.isFree ? object.signal : signal(from: stack.value(at: index))
  }

  /// What a script uses as a signal counts as handled.
  func noteObserved(_ object: SignalObject) { object.noteObserved() }

  /// `file:line` of the script line that calls the library now.
  func placeOfCall() -> String? {
    interpreter.withStack { $0.placeOfCall } ?? nil
  }

  /// `file:line` where a function is defined; nil if that is not in a script.
  func placeOfFunction(_ function: LuaValue) -> String? {
    interpreter.withStack { stack in
      stack.push(function)
      return stack.placeOfFunction(at: -1)
    } ?? nil
  }

  func node(of stack: LuaStack, at index: Int) -> SignalNode {
    guard let anchor = stack.anchor(at: index) else {
      preconditionFailure("a userdata of the library has an anchor")
    }
    return SignalNode(host: self, anchor: anchor)
  }

  /// A value made on the stack by `push`.
  func value(pushing push: (LuaStack) -> Void) -> LuaValue {
    interpreter.withStack { stack in
      push(stack)
      return stack.value(at: -1)
    } ?? .nil
  }

  /// A tuple, as combining operators send it.
  func tuple(_ values: [LuaValue]) -> LuaValue {
    (try? interpreter.call(.reference(prelude.newTuple), values, results: 1).first) ?? .nil
  }
}

/// How urgent a log line is.
public enum LogLevel: String, Sendable, CaseIterable {
  case debug, info, warn, error
}
