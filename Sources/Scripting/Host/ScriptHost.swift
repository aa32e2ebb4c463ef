import Commands
import EventLoop
import LuaRuntime
import Reactive

/// An interpreter with the `rac` library, its commands, and everything its scripts have started.
///
/// Confined to the thread of its event loop, which is the main scheduler of everything it makes.
public final class ScriptHost: @unchecked Sendable {
  // Unchecked: neither an actor nor a Mutex can express "the thread of the event loop"; the
  // interpreter and the loop check it.

  /// The version of the library and the program.
  public static let version = "0.1.0"

  /// The event loop that runs all work.
  public let loop: EventLoop
  /// The main scheduler, which is the loop's.
  public let scheduler: MainScheduler
  /// The Lua interpreter.
  public let interpreter: LuaInterpreter

  /// The named commands in definition order.
  public private(set) var commands: [ScriptCommand] = []
  /// The places where commands without a name were defined.
  public private(set) var anonymousCommands: [String] = []
  /// The named commands by name and alias.
  private var commandsByName: [String: ScriptCommand] = [:]

  /// Receives what processes write to an uncaptured standard error, with the id of the outermost
  /// execution that the process belongs to, if any.
  public var onErrorOutput: (Int?, UnsafeRawBufferPointer) -> Void = { _, _ in }
  /// Receives what processes write to a captured standard error, with the same id.
  public var onCapturedErrors: (Int?, UnsafeRawBufferPointer) -> Void = { _, _ in }
  /// Called when a process has begun a process group, with the group's leader and the id of the
  /// outermost execution that the process belongs to, if any.
  public var onGroupBegun: (Int?, Int32) -> Void = { _, _ in }
  /// Called when no process of such a group is left.
  public var onGroupEnded: (Int32) -> Void = { _ in }
  /// Returns true if the host receives what processes print while they are being ended along with
  /// their execution.
  public var takesLateOutput: () -> Bool = { true }
  /// Called when all values of a chunk of a process's output have been delivered; see
  /// `isDeliveringOutput`.
  public var onOutputDelivered: () -> Void = {}
  /// Receives each process and each step of a command as it starts, as it could be typed, with the
  /// name of the command that it works for. Nil if nothing shows it.
  public var onEcho: ((String?, String) -> Void)?
  /// Receives what scripts log.
  public var onLog: (LogLevel, String) -> Void = { _, _ in }
  /// Called when a command that names secrets is defined.
  public var onSecrets: (() -> Void)?
  /// Receives each unhandled error once.
  public var onUnhandled: (Failure) -> Void = { _ in }

  /// Receives each problem in the definition of a command, as `file:line: message`, instead of
  /// failing the script. While it is set, a definition continues with its valid parts.
  public var onProblem: ((String) -> Void)?
  /// True if executions are only simulated; see `rehearse(for:)`.
  public internal(set) var isRehearsing = false
  /// True while everything is being cancelled.
  private(set) var isCancelling = false

  /// Called with each execution of a command as it begins or is rejected, and with the id of the
  /// outermost execution that it belongs to. Returns true if the caller handles its failure.
  public var onExecution: (ScriptCommand, Execution<LuaValue, LuaValue>, Int) -> Bool = {
    _, _, _ in false
  }

  /// Called before anything is executed for a call whose command wants a confirmation; throws
  /// unless it is confirmed. Nil if the host asks nobody.
  public var onConfirm: ((Plan.Call) throws(Failure) -> Void)?
  /// Called with a description of what is being waited for, once a wait has taken a second.
  public var onPatience: (String) -> Void = { _ in }
  /// True if commands wait for the first value of their conditions, which must be a boolean, as the
  /// runner requires. Otherwise a condition counts as true until it sends a value, and any value
  /// has Lua's truth.
  public var requiresConditions = false
  /// True if the condition of a named command is subscribed only when its value is needed.
  public var defersConditions = false
  /// The longest wait for a condition that sends no value; nil for no limit.
  public var conditionTimeout: Duration?
  /// The conditions that are being waited for.
  var awaitedConditions: [EnabledCondition] = []
  /// True while a condition is being subscribed. Such a subscription is not an observer.
  var isSubscribingCondition = false
  /// The places where commands have made signals that were unused when their function returned,
  /// both those still alive and those already collected.
  var placesOfStoredSignals: Set<String> = []
  var placesOfLostSignals: Set<String> = []
  /// Where the host keeps what it knows of the last executions; nil to execute everything.
  public var stateStore: (any StateStore)?
  /// True if commands are executed although they are up to date.
  public var ignoresUpToDate = false
  /// Called with the id of an execution that is left out because its command is up to date, and with
  /// the id of the outermost execution that it belongs to.
  public var onUpToDate: (Int, Int) -> Void = { _, _ in }
  /// The function that describes definitions, once it was needed.
  var definitionDescription: LuaReference?
  /// A function that returns the code of a module as it was loaded, and the table of all modules;
  /// empty in the sandbox.
  var loadedModules: [LuaValue] = []
  /// The files of the modules that `require` has found, in order, also those that did not load.
  public internal(set) var moduleFiles: [String] = []
  /// Called with each new one of them, before it is read.
  public var onModuleFile: (String) -> Void = { _ in }
  /// Reads files beside the loop, so that the loop stays responsive.
  private(set) lazy var fileWork = Scheduler.background(named: "raclette.files")
  /// The work that observers of commands have started.
  public let observerWork = ObserverWork()

  /// The time at which code that belongs to no execution is stopped, on the clock of
  /// `LuaInterpreter.now`; nil for never.
  public var deadline: Duration? {
    didSet { if currentExecution == nil { interpreter.deadline = deadline } }
  }
  /// The time that a script has to clean up after the deadline of its work.
  public var cleanUpTime = Duration.seconds(5)
  /// The end of the clean-up that runs now.
  private var cleanUpEnd: Duration?
  /// The number of processes started by scripts that have not ended.
  public internal(set) var liveProcesses = 0
  /// The programs that shells of `os.execute` have left behind.
  var leftPrograms: [ObjectIdentifier: ShellProgram] = [:]
  /// Returns true if the run has been asked to end. Needed while a script blocks the loop, which
  /// cannot deliver the request then.
  public var isEndRequested: () -> Bool = { false }

  let arguments: [String]
  let stackRoom = StackRoom()
  let prelude: PreludeFunctions
  /// The files of commands that were loaded.
  var scopes = SourceScopes()
  /// The table `rac.commands`.
  let commandTable: LuaReference
  /// The subscriptions that scripts have made other than by subscribing functions.
  private(set) var subscriptions = CompoundDisposable()
  /// The subscribed functions of scripts.
  @exclusivity(unchecked) var subscribers = SlotTable<ScriptSubscriber>()
  /// True if the places of subscriptions are noted, for `subscriptionsOfScripts`.
  public var notesSubscriptions = false
  /// The subscriber that is subscribing now.
  var currentSubscriber: ScriptSubscriber?
  /// Standard input, for `rac.stdin`.
  private(set) lazy var inputLines = InputLines(self)
  /// True while the `<close>` variables of a coroutine that is being ended run.
  var isClosingCoroutine = false
  /// True if a script has asked for standard input.
  public internal(set) var readsInput = false
  /// True while other code reads standard input; scripts that listen to it wait meanwhile.
  public var isInputHeld: Bool {
    get { inputLines.isHeld }
    set { inputLines.isHeld = newValue }
  }
  /// The number of active subscriptions made by scripts.
  @exclusivity(unchecked) var activeSubscriptions = 0
  let terminalTurns = TerminalTurns()
  /// The number of running or suspended coroutines.
  var activeRuns = 0
  /// The innermost coroutine that is running now.
  var currentRun: CoroutineRun?
  /// The backlog of the source that is sending now: what it has sent and what has been queued
  /// since.
  var backlog: Backpressure?
  /// The execution whose work runs now; whatever a script starts meanwhile belongs to it.
  var currentExecution: ScriptExecution?
  /// True while a chunk of a process's output is being delivered value by value, so that the
  /// resulting output can be written in one piece at the end.
  public internal(set) var isDeliveringOutput = false
  /// The command whose execution is the script itself.
  var mainCommand: Command<LuaValue, LuaValue>?
  /// For each execution that ends in this turn, the inner execution that failed first.
  var innerFailures: [Int: InnerFailure] = [:]
  /// The executions that have not ended, of named and anonymous commands.
  @exclusivity(unchecked) var executions: [Int: ScriptExecution] = [:]

  /// Opens an interpreter with the library.
  ///
  /// - Parameters:
  ///   - loop: the loop of the calling thread.
  ///   - script: the value of `arg[0]`.
  ///   - arguments: the contents of `rac.args`.
  ///   - memoryLimit: the most bytes that Lua may hold; nil for no limit, or for the sandbox's.
  ///   - timeLimit: how long Lua code may run without a pause; nil for no limit, or for the
  ///     sandbox's.
  ///   - sandbox: the restrictions on scripts; nil for none.
  /// - Throws: `LuaError` if there is not enough memory.
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
      recover: { [unowned(unsafe) self] stack, index in recoverFailure(stack.value(at: index)) },
      describe: { stack, index in ErrorValueText(stack).text(at: index) })
    // The collection of a subject or a connection calls subscribers.
    interpreter.onCollected = { [unowned interpreter, scheduler] in
      scheduler.enqueue { interpreter.releaseCollected() }
    }
    openLibrary(script: script, granted: sandbox == nil ? .all : Sandbox.granted)
    replaceProgramFunctions()
    if sandbox == nil { try keepModules() }
    // Last, so that nothing is added to Lua's library afterwards.
    sandbox?.close(interpreter)
    interpreter.timeLimit = timeLimit ?? sandbox?.timeLimit
    scheduler.limitLoops(to: interpreter.timeLimit)
  }

  deinit {
    // Whatever scripts have started refers to the host without retaining it; `close` ends all of
    // it.
    precondition(!interpreter.isOpen, "a ScriptHost has to be closed before it is dropped")
  }

  /// Returns the command with a name or alias.
  public func command(named name: String) -> ScriptCommand? {
    commandsByName[name]
  }

  /// Registers a named command, also in Lua as `rac.commands[name]`, from its userdata at an index.
  func register(_ command: ScriptCommand, at index: Int, on stack: LuaStack) throws {
    guard let name = command.description.name else { return }
    for other in [name] + command.aliases {
      guard let known = self.command(named: other) else { continue }
      // Of the commands of one name for several systems, the one for this system counts.
      if !command.fitsSystem { return }
      guard known.fitsSystem else {
        withdraw(known, on: stack)
        continue
      }
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

  private func withdraw(_ command: ScriptCommand, on stack: LuaStack) {
    stack.push(commandTable)
    stack.set(command.name, .nil, at: -1)
    stack.pop()
    for name in [command.name] + command.aliases { commandsByName[name] = nil }
    commands.removeAll { $0 === command }
    command.release()
  }

  /// The commands that are executed when none is named; more than one is an error of the file.
  public var defaultCommands: [ScriptCommand] {
    commands.filter { $0.isDefault && $0.fitsSystem }
  }

  /// Records the first commands without a name; a script may make any number of them.
  func noteAnonymous(_ position: String) {
    if anonymousCommands.count < 100 { anonymousCommands.append(position) }
  }

  /// True while something that a script started has not ended: a coroutine, an execution, a
  /// subscription, or a process left behind by `os.execute`. Enabled conditions do not count.
  public var hasWork: Bool { activeSubscriptions > 0 || isExecuting || !leftPrograms.isEmpty }

  /// True while a coroutine or an execution that a script started has not ended.
  public var isExecuting: Bool { !executions.isEmpty || activeRuns > 0 }

  /// True while observers of a command have yet to receive one of its events.
  public var isDelivering: Bool { commands.contains(where: \.isDelivering) }

  /// Lets an OS signal stop Lua code that runs too long to notice it. Call it after the loop has
  /// installed its own handler.
  public func interrupts(on signal: Int32) {
    // If the system does not let us handle a signal, there is no earlier handler to call either.
    try? LuaInterpreter.interruptOnSignal(signal)
  }

  /// Cancels all executions and clears a pending interrupt. Work that their clean-up starts may
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

  /// Makes an OS signal end the whole run: it stops the code that runs, and all code has to end
  /// within `cleanUpTime`.
  public func ends(by signal: Int32) { interpreter.end(by: signal, within: cleanUpTime) }

  /// Prepares for the end of the whole run: clean-up code runs whatever stopped the code before it,
  /// but for no longer than `cleanUpTime` in total.
  public func allowCleanUp() {
    interpreter.end(within: cleanUpTime)
    interpreter.clearInterrupt()
  }

  /// Cancels everything because the whole run ends.
  public func endAll() {
    allowCleanUp()
    cancelAll()
  }

  /// Disposes all subscriptions that scripts have made so far. Scripts may make new ones.
  public func disposeSubscriptions() {
    let ended = subscriptions
    subscriptions = CompoundDisposable()
    disposeSubscribers()
    ended.dispose()
  }

  /// Disposes all subscriptions of scripts except those to command events: these may still receive
  /// the outcome, but start no more work.
  public func disposeAllButObservers() {
    subscriptions.dispose()
    disposeUnobserving()
  }

  /// Disposes all subscriptions of scripts, including the commands' conditions.
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

  /// Limits how long Lua code may run without a pause, unless a limit is already set.
  public func limitTime(to limit: Duration) {
    if interpreter.timeLimit == nil { setTimeLimit(limit) }
  }

  /// Runs `body` with a limit on how long Lua code may run without a pause, unless a shorter one is
  /// set.
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

  /// Reports an unhandled error.
  func reportUnhandled(_ error: any Error) {
    let failure = failure(of: error)
    if failure.kind != .cancelled { onUnhandled(failure) }
  }

  /// Returns the signal behind a value. The caller must keep the userdata alive while it uses the
  /// signal.
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

  /// Returns the signal behind a value, kept alive until it is subscribed, from which point it
  /// roots itself; nil if the value is not a signal.
  public func signal(from value: LuaValue) -> Signal<LuaValue>? {
    guard let signal = operand(value) else { return nil }
    return Signal { observer, subscription in
      withExtendedLifetime(value) { signal.observe(observer, in: subscription) }
    }
  }

  /// Returns the signal at a stack index, with the lifetime that `signal(from:)` describes.
  func signal(at index: Int, on stack: LuaStack) -> Signal<LuaValue>? {
    guard let object = stack.object(at: index, Userdata.signal) else { return nil }
    noteObserved(object)
    // A signal without Lua functions needs nothing from its userdata.
    return object.isFree ? object.signal : signal(from: stack.value(at: index))
  }

  /// Marks a signal that a script uses as handled.
  func noteObserved(_ object: SignalObject) { object.noteObserved() }

  /// Returns the `file:line` of the script line that is calling the library.
  func placeOfCall() -> String? {
    interpreter.withStack { $0.placeOfCall } ?? nil
  }

  /// Returns the `file:line` where a function is defined; nil if it is not in a script.
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

  /// Returns a value that `push` makes on the stack.
  func value(pushing push: (LuaStack) -> Void) -> LuaValue {
    interpreter.withStack { stack in
      push(stack)
      return stack.value(at: -1)
    } ?? .nil
  }

  /// Returns a tuple, the form in which combining operators send values.
  func tuple(_ values: [LuaValue]) -> LuaValue {
    (try? interpreter.call(.reference(prelude.newTuple), values, results: 1).first) ?? .nil
  }
}

/// The severity of a log line.
public enum LogLevel: String, Sendable, CaseIterable {
  case debug, info, warn, error
}
