import Commands
import EventLoop
import LuaRuntime
import Platform
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

  /// The commands that scripts have defined.
  var registry = CommandRegistry()
  /// What holds while some code runs.
  let context: ExecutionContext

  /// Receives what processes write to an uncaptured standard error, with the id of the outermost
  /// execution that the process belongs to, if any.
  public var onErrorOutput: (Int?, UnsafeRawBufferPointer) -> Void = { _, _ in }
  /// Receives what processes write to a captured standard error, with the same id.
  public var onCapturedErrors: (Int?, UnsafeRawBufferPointer) -> Void = { _, _ in }
  /// Called when a process has begun a process group, with the group's leader and the id of the
  /// outermost execution that the process belongs to, if any.
  public var onGroupBegun: (Int?, Int32) -> Void = { _, _ in }
  /// Returns variables for a process, by the id of the outermost execution that it belongs to, if
  /// any. Those of its command and its own take precedence.
  package var processVariables: (Int?) -> [EnvironmentChange] = { _ in [] }
  /// Decides who executes needed calls of commands with `scope = "cluster"`; nil if this process
  /// does.
  package weak var sharedNeeds: (any SharedNeeds)?
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
  /// Called with each execution of a command as it begins or is rejected, and with the id of the
  /// outermost execution that it belongs to. Returns true if the caller handles its failure. Nil if
  /// nobody follows them.
  @exclusivity(unchecked) public var onExecution:
    ((ScriptCommand, Execution<LuaValue, LuaValue>, Int) -> Bool)?

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
  /// Where the host keeps what it knows of the last executions; nil to execute everything.
  public var stateStore: (any StateStore)?
  /// True if commands are executed although they are up to date.
  public var ignoresUpToDate = false
  /// Called with the id of an execution that is left out because its command is up to date, and with
  /// the id of the outermost execution that it belongs to.
  public var onUpToDate: (Int, Int) -> Void = { _, _ in }
  /// Called with what identifies an execution, and with the files that it makes, before it makes them.
  public var onOutputs: ([UInt8], Glob) -> Void = { _, _ in }
  /// The function that describes definitions, once it was needed.
  var definitionDescription: LuaReference?
  /// What `require` searched Lua's files with before the first script; nil in the sandbox.
  var fileSearch = LuaValue.nil
  /// What it searches them with, once it has searched for one.
  var moduleKeepingInForce: ModuleKeeping?
  /// The files of the modules that `require` has found, in order, also those that did not load.
  public internal(set) var moduleFiles: [String] = []
  /// Called with each new one of them, before it is read.
  public var onModuleFile: (String) -> Void = { _ in }
  /// Reads files beside the loop, so that the loop stays responsive.
  private(set) lazy var fileWork = Scheduler.background(named: "raclette.files")
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
  /// The latest name that was looked up in it in vain.
  var missingCommand: MissingCommand?
  /// The subscriptions that scripts have made other than by subscribing functions.
  var subscriptions = CompoundDisposable()
  /// The subscribed functions of scripts.
  @exclusivity(unchecked) var subscribers = SlotTable<ScriptSubscriber>()
  /// True if the places of subscriptions are noted, for `subscriptionsOfScripts`.
  @exclusivity(unchecked) public var notesSubscriptions = false
  /// Standard input, for `rac.stdin`.
  lazy var inputLines = InputLines(self)
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
  /// The command whose execution is the script itself.
  var mainCommand: Command<LuaValue, LuaValue>?
  var unreceivedErrors = UnreceivedErrors()
  /// For each execution that ends in this turn, the inner execution that failed first.
  var innerFailures: [Int: InnerFailure] = [:]
  /// The executions that have not ended, of named and anonymous commands.
  @exclusivity(unchecked) var executions = RunningExecutions()

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
    let observerWork = ObserverWork()
    context = ExecutionContext(interpreter, observerWork)
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
    if sandbox == nil { keepModules() }
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

}

/// The severity of a log line.
public enum LogLevel: String, Sendable, CaseIterable {
  case debug, info, warn, error
}
