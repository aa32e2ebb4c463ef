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
  /// The loop of real time, as the code that runs on it sees it.
  let realTime: InheritedContext
  /// The name of the script whose top level runs, for messages; nil if none does.
  @exclusivity(unchecked) package var runningSource: String?
  /// The Lua interpreter.
  public let interpreter: LuaInterpreter

  /// The commands that scripts have defined.
  var registry = CommandRegistry()
  /// The tables of definitions, kept only for a check.
  var definitions: [KeptDefinition] = []
  /// The number of mistakes in definitions that were reported.
  var mistakes = 0
  /// What `rac.defaults` has set, by file.
  var fileDefaults = FileDefaults()
  var declaredResources = DeclaredResources()
  /// What holds while some code runs.
  let context: ExecutionContext

  /// The variables that its scripts have, and what they start for no caller with others.
  package let environment: CallerEnvironment
  /// What the host decides for its scripts.
  public package(set) var policy: HostPolicy
  /// The receivers of what it reports.
  @exclusivity(unchecked) var observers: HostObservers
  /// True if executions are only simulated; see `rehearse(for:)`.
  public internal(set) var isRehearsing = false
  /// True if the condition of a named command is subscribed only when its value is needed.
  public var defersConditions = false
  /// The conditions that are being waited for.
  var awaitedConditions: [EnabledCondition] = []
  /// The function that describes definitions, once it was needed.
  var definitionDescription: LuaReference?
  /// What `require` searched Lua's files with before the first script; nil in the sandbox.
  var fileSearch = LuaValue.nil
  /// What it searches them with, once it has searched for one.
  var moduleKeepingInForce: ModuleKeeping?
  /// The files of the modules that `require` has found, in order, also those that did not load, with
  /// their states right before they were read.
  package internal(set) var modules: [(path: String, state: CommandFileState?)] = []
  /// The paths of these files.
  public var moduleFiles: [String] { modules.map(\.path) }
  /// What `rac.glob` has returned while files of commands were loaded.
  package internal(set) var listings: [GlobListing] = []
  var isLoadingDefinitions = false
  /// Reads files beside the loop, so that the loop stays responsive.
  private(set) lazy var fileWork = Scheduler.background(named: "raclette.files")
  /// The number of processes started by scripts that have not ended.
  public internal(set) var liveProcesses = 0 {
    didSet { if liveProcesses > oldValue { hasStartedProcesses = true } }
  }
  /// True once a script has started a process.
  package private(set) var hasStartedProcesses = false
  /// The signal of the OS that ends the run; nil before.
  package var endingSignal: Int32?
  /// When a process could not be started that waits since then; nil if the latest one was started.
  var postponedSince: Duration?
  /// True if the user was told that processes wait to start.
  var hasToldPostponement = false
  /// True once it was said that there is no folder for a cache.
  var hasSaidNothingIsCached = false
  /// The programs that shells of `os.execute` have left behind.
  var leftPrograms: [ObjectIdentifier: ShellProgram] = [:]
  let arguments: [String]
  let stackRoom = StackRoom()
  let prelude: PreludeFunctions
  /// The files of commands that were loaded.
  var scopes = SourceScopes()
  /// True if the program is asked for several files of other tools, of which each may be at fault.
  var adoptsSeveral = false
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
  /// The values of `rac.lazy`.
  var lazyValues = LazyValues()
  /// True if values of `rac.lazy` and computed defaults are not computed where commands are only looked
  /// at, as in a list.
  public var leavesLazyValues = false
  /// Standard input, for `rac.stdin`.
  lazy var inputLines = InputLines(self)
  /// True if a script has asked for standard input.
  public internal(set) var readsInput = false
  /// True if a process has had standard input.
  var hasGivenInput = false
  /// True while other code reads standard input; scripts that listen to it wait meanwhile.
  public var isInputHeld: Bool {
    get { inputLines.isHeld }
    set { inputLines.isHeld = newValue }
  }
  /// The number of active subscriptions made by scripts.
  @exclusivity(unchecked) var activeSubscriptions = 0
  let terminalTurns = TerminalTurns()
  private(set) lazy var jobShares = JobShares(policy.jobServer)
  /// The waits for resources that were reported.
  var resourceWaits = ResourceWaits()
  /// The numbers of the executions that run.
  var slotNumbers = SlotNumbers()
  /// Provides services if the policy names no provider.
  package internal(set) lazy var ownServices: ServiceSupervisor = {
    hasOwnServices = true
    return ServiceSupervisor(loop)
  }()
  private var hasOwnServices = false
  /// True while services of ended work end: another use of one could still meet its present run.
  package var isEndingServices: Bool {
    policy.services?.isEnding ?? (hasOwnServices && ownServices.isBusy)
  }
  /// Keeps the services of its runs, if these are rounds of a watch.
  package internal(set) weak var keptServices: KeptServices?
  /// The latest states of each service that were reported.
  var reportedServices: [CallKey: [ReportedService]] = [:]
  /// The holders of the resources that services wait for, as reported last.
  var waitsOfServices: [CallKey: String] = [:]
  /// The ports that scripts were given, by their names.
  var ports: [String: UInt16] = [:]
  /// The number of running or suspended coroutines.
  var activeRuns = 0
  /// The number of those that run for services.
  var runsOfServices = 0
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
  ///   - policy: what the host decides for its scripts.
  ///   - observers: receive what the host reports, from the beginning.
  /// - Throws: `LuaError` if there is not enough memory.
  public init(
    loop: EventLoop, script: String = "", arguments: [String] = [], policy: HostPolicy,
    observers: [any HostObserver]
  ) throws {
    self.loop = loop
    self.policy = policy
    environment = policy.environment()
    self.observers = HostObservers(all: observers)
    let limits = policy.limits
    let sandbox = limits.sandbox
    self.arguments = arguments
    interpreter = try LuaInterpreter(memoryLimit: limits.memory ?? sandbox?.memoryLimit)
    let observerWork = ObserverWork()
    context = ExecutionContext(interpreter, observerWork)
    realTime = InheritedContext(loop, context)
    scheduler = MainScheduler(loop: realTime)
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
    interpreter.timeLimit = limits.time ?? sandbox?.timeLimit
    limitLoops()
  }

  deinit {
    // Whatever scripts have started refers to the host without retaining it; `close` ends all of
    // it.
    precondition(!interpreter.isOpen, "a ScriptHost has to be closed before it is dropped")
  }
}
