import Commands
import LuaRuntime
import Platform
import Reactive
import Synchronization

/// A command defined by a script.
public final class ScriptCommand: Sendable {
  /// The parts of a definition other than its functions.
  struct Description: Sendable {
    var name: String?
    var summary: String?
    var details: String?
    var group: String?
    var aliases: [String] = []
    var isPrivate = false
    /// Nil if it accepts any parameters.
    var parameters: [Parameter]?
    var needs = CommandNeeds.listed([])
    /// Nil for a command of a signal block.
    var work: CommandWork?
    /// The question that is asked before anything is executed.
    var confirmation: String?
    /// True if it is executed when no command is named.
    var isDefault = false
    /// The operating systems that it is for; nil for all.
    var systems: [OperatingSystem]?
    var policy = CommandPolicy()
    var environment = CommandEnvironment()
    /// The patterns of the files that `--watch` watches.
    var watch: [String] = []
    /// The namespace of the file that defines it; empty if no other file includes that one.
    var namespace = ""
    /// The folder of that file, which patterns in the definition are relative to; empty for the
    /// program's.
    var folder = ""
    /// Nil if it is executed each time.
    var upToDate: UpToDateRules?
    var panel = PanelPlace()
    /// `file:line` of the definition.
    var position: String?
  }

  let description: Description
  package let command: Command<LuaValue, LuaValue>
  let node: SignalNode
  unowned(unsafe) let host: ScriptHost
  private let boundCondition: LoopBound<EnabledCondition>
  private let boundPrecondition: LoopBound<Precondition?>
  private let due = LoopBound(DueExecutions())
  private let isRegistered = Atomic<Bool>(false)
  /// The number of subscribers to `errors` and `disabled_errors`.
  let errorObservers = Atomic<Int>(0)

  init(
    _ description: Description, _ command: Command<LuaValue, LuaValue>, node: SignalNode,
    host: ScriptHost, condition: EnabledCondition, precondition: Precondition? = nil
  ) {
    self.description = description
    self.command = command
    self.node = node
    self.host = host
    boundCondition = LoopBound(condition)
    boundPrecondition = LoopBound(precondition)
  }

  var condition: EnabledCondition { boundCondition.value }
  var precondition: Precondition? { boundPrecondition.value }

  /// The name; for an anonymous command, the place of its definition.
  public var name: String { description.name ?? "command at \(description.position ?? "?")" }
  /// A summary in one line.
  public var summary: String? { description.summary }
  /// The long description.
  public var details: String? { description.details }
  /// The namespace that the name begins with, such as `api` or `api:db`; nil for a command of a file
  /// that no other one includes.
  public var namespace: String? {
    description.namespace.isEmpty ? nil : description.namespace
  }
  /// The heading under which it is listed.
  public var group: String? { description.group }
  /// Other names.
  public var aliases: [String] { description.aliases }
  /// True if it is left out of lists.
  public var isPrivate: Bool { description.isPrivate }
  /// The parameters it declares.
  public var parameters: [Parameter] { description.parameters ?? [] }
  /// True if it declares no parameters, so that any input is accepted.
  package var takesAnyInput: Bool { description.parameters == nil }
  /// The `file:line` of its definition.
  public var position: String? { description.position }

  /// The question that is asked before anything is executed for it.
  public var confirmation: String? { description.confirmation }
  /// True if it is executed when no command is named.
  public var isDefault: Bool { description.isDefault }
  /// True if it has a precondition, which is asked before what it needs is executed.
  public var hasPrecondition: Bool { precondition != nil }
  /// The patterns of the files whose changes concern it, relative to the program's folder.
  public var watchPatterns: [String] { description.watch }

  /// The policy for its executions.
  public var policy: CommandPolicy { description.policy }
  /// The folder it works in, relative to that of its file; nil for the same folder.
  public var directory: String? { description.environment.directory }
  /// True if its processes own the terminal.
  public var isInteractive: Bool { description.environment.isInteractive }
  /// Sends true while an attempt would be accepted: the current value, then each change.
  public var enabled: Signal<Bool> { command.enabled }

  /// Sends true while an execution runs or is still finishing its work: the current value, then
  /// each change.
  public var executing: Signal<Bool> { command.executing }

  /// The reason why an attempt would be rejected now, as the end of a sentence, as far as is known
  /// since `ask`; nil if an attempt would be accepted.
  public var disabledReason: String? {
    if isConditionPending { return condition.pendingText }
    guard case .notEnabled(_, let reason) = obstacle else { return nil }
    return explanation(of: reason)
  }

  func explanation(of reason: DisabledReason) -> String {
    (reason == .condition ? condition.explanation : nil) ?? reason.description
  }

  /// Executes the command after the commands it needs; see `Command.execute`. The caller handles
  /// its error.
  ///
  /// - Parameter options: timeout and retries; nil for the command's own.
  public func execute(
    _ input: LuaValue, options: ExecutionOptions? = nil
  ) -> Execution<LuaValue, LuaValue> {
    // The execution is not part of the work that the caller runs in.
    let script = host.within(nil) { start(input, options: options) }
    script.isObserved = true
    return script.execution
  }

  func start(
    _ input: LuaValue, options: ExecutionOptions? = nil, skippingNeeds: Bool = false,
    isAsked: Bool = false, in record: NeedsRecord? = nil
  ) -> ScriptExecution {
    let host = host
    Secrets.add(description.environment, input: input, host)
    if !isAsked { ask() }
    let awaitsCondition = isConditionPending
    if awaitsCondition { condition.admitUnknown() }
    let execution = command.execute(input, options: options)
    // A joined execution is already registered.
    if let known = execution.script { return known }
    let script = ScriptExecution(
      execution, of: self, timeout: (options ?? command.options).timeout,
      skippingNeeds: skippingNeeds, in: record)
    script.awaitsCondition = awaitsCondition
    host.track(script)
    if description.work != nil { due.value.add(script) }
    return script
  }

  /// Returns the function at a position of its work.
  func function(at position: Int) -> LuaValue {
    node.userValue(CommandDefinition.Slot.function, element: position)
  }

  /// Returns the execution whose work is being subscribed for the first time; work starts in order
  /// of admission.
  func claimDue() -> ScriptExecution? {
    let script = due.value.removeFirst()
    script?.begin()
    return script
  }

  /// Retains the command until the host releases it.
  func register() {
    isRegistered.store(host.interpreter.root(node.anchor), ordering: .relaxed)
  }

  func release() {
    if isRegistered.exchange(false, ordering: .relaxed) { host.interpreter.unroot(node.anchor) }
  }
}

/// An execution of a script's command, from admission to its end.
///
/// It is also the object of the execution's userdata.
final class ScriptExecution: SignalObject, @unchecked Sendable {
  // Unchecked: it is confined to the loop's thread.

  /// The user value that holds the command's userdata.
  static var commandSlot: Int { 1 }

  let execution: Execution<LuaValue, LuaValue>
  let command: ScriptCommand
  /// True if its end is observed; otherwise its error is reported.
  var isObserved = false
  private let timeout: Duration?
  /// The time on the clock of `LuaInterpreter.now` after which its Lua code is stopped, in case the
  /// code blocks the loop that would otherwise stop it.
  private(set) var deadline: Duration?
  /// The id of the outermost execution that this one belongs to: its own unless another execution's
  /// work has started it.
  let origin: Int
  /// The execution whose work has started this one, while it lives.
  private(set) weak var outer: ScriptExecution?
  /// The failure of the latest execution inside it.
  var innerFailure: InnerFailure?
  /// The needed commands that its run has executed; made when something asks for it.
  private(set) lazy var needsRecord = NeedsRecord()
  /// True if an observer of a command has started it.
  let isObserverWork: Bool
  private var observerWork: ObserverWorkItem?
  /// True if it was admitted before the enabled condition was known; its work waits for the
  /// condition.
  var awaitsCondition = false
  /// True if it was left out because its command is up to date.
  var isUpToDate = false
  /// True if the commands it needs are not to be executed, or not again.
  var isSkippingNeeds: Bool
  /// True if its precondition is not to be asked, or not again.
  var isSkippingPrecondition = false
  /// The working context of its processes, set when its work begins.
  var place: ProcessContext?
  /// Its userdata, which keeps the command's userdata until the execution is over.
  fileprivate(set) var userdata: LuaKept?
  /// Its place among those that have not ended.
  fileprivate var slot = -1
  /// The host, which is notified of the end and so is kept until then.
  fileprivate var follower: ScriptHost?

  init(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand,
    timeout: Duration? = nil, skippingNeeds: Bool = false, in record: NeedsRecord? = nil
  ) {
    self.execution = execution
    self.command = command
    self.timeout = timeout
    isSkippingNeeds = skippingNeeds
    let context = command.host.context
    let outer = context.execution
    deadline = outer?.deadline
    origin = outer?.origin ?? execution.id
    isObserverWork = context.observerWork.isCurrent
    super.init()
    if let outer { self.outer = outer }
    if let shared = record ?? outer?.needsRecord { needsRecord = shared }
  }

  var id: Int { execution.id }

  /// Counts the execution until its end if an observer has started it.
  func countObserverWork() { observerWork = command.host.observerWork.begin() }

  func endObserverWork() { observerWork = nil }

  /// Returns true if it is `other`, or if its end is part of the other's work.
  func isWithin(_ other: ScriptExecution) -> Bool {
    var next: ScriptExecution? = self
    while let script = next {
      if script === other { return true }
      next = script.outer
    }
    return false
  }

  /// True if it was cancelled or timed out, rather than ended by its own work.
  var isEndedFromOutside: Bool {
    switch execution.error as? CommandError {
    case .cancelled, .timeout: true
    case .notEnabled, nil: false
    }
  }

  override func noteObserved() { isObserved = true }

  /// The execution as scripts see it.
  override func makeSignal() -> Signal<LuaValue> {
    Signal { [self] observer, subscription in
      execution.observe(
        Observer(next: observer.next, batch: observer.batch) { [self] in
          observer.end(ofScript($0))
        }, in: subscription)
    }
  }

  /// Its end as scripts see it: the error names the execution.
  func ofScript(_ termination: Termination) -> Termination {
    guard case .error(let error) = termination else { return termination }
    return .error(command.host.error(error, endedBy: self))
  }

  /// Starts the time limit of its work.
  func begin() {
    guard let timeout else { return }
    let own = LuaInterpreter.now + timeout
    deadline = min(deadline ?? own, own)
  }
}

extension Failure {
  /// Records the failed execution in the error, unless one is recorded already.
  ///
  /// - Returns: true if none was.
  @discardableResult
  mutating func name(_ script: ScriptExecution) -> Bool {
    guard execution == nil else { return false }
    name(script.command)
    execution = script.id
    input = script.execution.input
    return true
  }

  /// Records the failed command, unless one is recorded already.
  mutating func name(_ script: ScriptCommand) {
    guard command == nil else { return }
    command = script.name
    if script.description.name == nil { anonymousCommand = script.node.anchor }
  }
}

extension ScriptHost {
  /// Follows an execution to its end: retains its command meanwhile, and reports an error that is
  /// not observed.
  func track(_ script: ScriptExecution) {
    executions.insert(script)
    script.userdata = interpreter.withStack { stack in
      pushUserdata(of: script, on: stack)
      return stack.keep()
    }
    script.follower = self
    if script.isObserverWork { script.countObserverWork() }
    if onExecution(script.command, script.execution, script.origin) { script.isObserved = true }
    if let termination = script.execution.end { forget(script, termination) }
  }

  /// Handles the end of a command's execution.
  func executionEnds(_ execution: Execution<LuaValue, LuaValue>, _ termination: Termination) {
    if let script = execution.script { forget(script, termination) }
  }

  private func forget(_ script: ScriptExecution, _ termination: Termination) {
    executions.remove(script)
    if let userdata = script.userdata.take() { interpreter.release(userdata) }
    defer {
      script.follower = nil
      script.endObserverWork()
    }
    guard case .error(let error) = termination else { return }
    noteFailure(error, of: script)
    // One turn later, so that the caller can observe a rejection.
    scheduler.enqueue { self.reportUnobserved(script, error) }
  }

  private func reportUnobserved(_ script: ScriptExecution, _ error: any Error) {
    defer { innerFailures[script.id] = nil }
    guard !script.isObserved, script.command.errorObservers.load(ordering: .relaxed) == 0
    else { return }
    reportUnhandled(failure(of: error, endOf: script.command.name, script.id))
  }
}

/// The executions that have not ended, of named and anonymous commands.
struct RunningExecutions {
  private var table = SlotTable<ScriptExecution>()
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// In the order of their requests.
  var sorted: [ScriptExecution] { table.entries.sorted { $0.id < $1.id } }

  /// Adds an execution, which knows of it from then on: see `Execution.script`.
  mutating func insert(_ script: ScriptExecution) {
    script.slot = table.insert(script)
    count += 1
    script.execution.companion.store(
      Unmanaged.passUnretained(script).toOpaque(), ordering: .relaxed)
  }

  mutating func remove(_ script: ScriptExecution) {
    guard table.remove(at: script.slot) != nil else { return }
    count -= 1
    script.execution.companion.store(nil, ordering: .relaxed)
  }
}

extension Execution<LuaValue, LuaValue> {
  /// What the host knows of an execution that has not ended. On the loop's thread.
  var script: ScriptExecution? {
    // The host keeps it until it takes it back.
    companion.load(ordering: .relaxed).map {
      Unmanaged<ScriptExecution>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Its userdata, while it has not ended.
  var userdata: LuaKept? {
    companion.load(ordering: .relaxed).flatMap {
      Unmanaged<ScriptExecution>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.userdata }
    }
  }
}
