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
    /// True if it accepts any input of scripts, plans and other programs, though no arguments: it has a
    /// function and does not say what it takes.
    var takesInputOfPrograms = false
    var needs = CommandNeeds.listed(NeedList())
    /// Nil for a command of a signal block.
    var work: CommandWork?
    /// The question that is asked before anything is executed.
    var confirmation: CommandQuestion?
    /// True if it is executed when no command is named.
    var isDefault = false
    /// True if agents have it as a tool of its own.
    var isTool = false
    /// True if its processes wait for lines that are sent to them.
    var takesLines = false
    /// The operating systems that it is for; nil for all.
    var systems: [OperatingSystem]?
    var policy = CommandPolicy()
    var environment = CommandEnvironment()
    /// The patterns of the files that `--watch` watches.
    var watch: [String] = []
    /// The namespace of the file that defines it; empty if no other file includes that one.
    var namespace = ""
    /// The folder that it works in, which patterns in the definition are relative to; empty for the
    /// program's.
    var folder: String { environment.directory.map(SourceScope.withoutDetours) ?? "" }
    /// Nil if it is executed each time.
    var upToDate: UpToDateRules?
    /// Nil if its results are not kept.
    var caching: CachingRules?
    var panel = PanelPlace()
    /// Nil for an ordinary command.
    var service: ServiceRules?
    /// `file:line` of the definition.
    var position: String?
    /// The file of another tool whose recipe it is; nil for a command of the script's own.
    var adoptedFile: String?

    /// The texts of its work and its environment in which values of `rac.lazy` are to be computed.
    var markedTexts: [[UInt8]] {
      (work?.markedTexts ?? [])
        + environment.variables.compactMap(\.value).filter(LazyText.isMarked)
    }

    var hasMarkedTexts: Bool {
      work?.hasMarkedTexts == true
        || environment.variables.contains { $0.value.map(LazyText.isMarked) == true }
    }

    /// True if values of it are computed when it is executed.
    var hasComputedValues: Bool {
      parameters?.contains(where: \.isComputed) == true || upToDate?.isComputed == true
        || hasMarkedTexts
    }
  }

  let description: Description
  package let command: Command<LuaValue, LuaValue>
  let node: SignalNode
  package unowned(unsafe) let host: ScriptHost
  /// True if it has an enabled condition.
  public let hasCondition: Bool
  private let boundCondition: LoopBound<EnabledCondition>
  private let boundPrecondition: LoopBound<Precondition?>
  private let due = LoopBound(DueExecutions())
  private let boundMachineLimit: LoopBound<MachineLimit?>
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
    hasCondition = !condition.isAbsent
    boundCondition = LoopBound(condition)
    boundPrecondition = LoopBound(precondition)
    boundMachineLimit = LoopBound(
      description.policy.reach == .machine
        ? MachineLimit(description.name ?? description.position ?? "", on: host.loop) : nil)
  }

  var condition: EnabledCondition { boundCondition.value }
  var precondition: Precondition? { boundPrecondition.value }

  /// Its limit over all processes of the user; nil if it counts in this one alone.
  var machineLimit: MachineLimit? { boundMachineLimit.value }

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
  /// True if it accepts any arguments, as strings.
  package var takesAnyInput: Bool { description.parameters == nil }
  /// True if it takes no arguments.
  package var takesNoArguments: Bool { description.parameters?.isEmpty == true }
  /// The `file:line` of its definition.
  public var position: String? { description.position }
  /// Where it is defined, before a sentence about it: `commands.lua:3: `; empty if that is not known.
  var place: String { position.map { "\($0): " } ?? "" }

  /// True if it is executed when no command is named.
  public var isDefault: Bool { description.isDefault }
  /// True if its processes wait for lines that are sent to them.
  package var takesLines: Bool { description.takesLines }
  /// True if agents have it as a tool of its own.
  package var isTool: Bool { description.isTool }
  /// True if it has a precondition, which is asked before what it needs is executed.
  public var hasPrecondition: Bool { precondition != nil }
  /// The patterns of the files whose changes concern it, relative to the program's folder.
  public var watchPatterns: [String] { description.watch }

  /// The policy for its executions.
  public var policy: CommandPolicy { description.policy }
  /// The folder it works in, relative to that of its file; nil for the same folder.
  public var directory: String? { description.environment.directory }
  /// The shell of its lines as it could be typed in front of one; nil for the usual one.
  public var shell: String? { description.environment.shell?.text }
  /// True if its processes count against the budget of a job server. Those of a service do not end.
  var takesJob: Bool { description.environment.jobServer != .none && description.service == nil }
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

  /// The processes that hold all places of its limit over the machine, as a sentence without its period;
  /// nil if one is free, or there is no such limit.
  var machineObstacle: String? { machineLimit?.obstacle(to: self) }

  /// The same if the command refuses executions for it; nil if these wait.
  package var machineRefusal: String? {
    if case .reject = whenBusy { machineObstacle } else { nil }
  }

  /// True if an execution may be refused for those in other processes.
  package var mayBeRefusedByMachine: Bool {
    if case .reject = whenBusy { machineLimit?.counts(self) ?? false } else { false }
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
    return script
  }

  func start(
    _ input: LuaValue, options: ExecutionOptions? = nil, isNeeded: Bool = false,
    skippingNeeds: Bool = false, isAsked: Bool = false, in record: NeedsRecord? = nil,
    serving: ScriptServiceWork? = nil
  ) -> ScriptExecution {
    if hasSecrets { hideSecrets(of: input) }
    if !isAsked { ask() }
    let awaitsCondition = isConditionPending
    if awaitsCondition { condition.admitUnknown() }
    let script = ScriptExecution(
      input, options: options, of: self, isNeeded: isNeeded, skippingNeeds: skippingNeeds,
      in: record)
    script.awaitsCondition = awaitsCondition
    script.served = serving
    if let joined = command.attempt(script) { return joined.script }
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

extension Failure {
  /// Records the failed execution in the error, unless one is recorded already.
  ///
  /// - Returns: true if none was.
  @discardableResult
  mutating func name(_ script: ScriptExecution) -> Bool {
    guard execution == nil else { return false }
    name(script.scriptCommand)
    execution = script.id
    input = script.input
    return true
  }

  /// Records the failed command, unless one is recorded already.
  mutating func name(_ script: ScriptCommand) {
    guard command == nil else { return }
    command = script.name
    if script.description.name == nil { anonymousCommand = script.node.anchor }
  }
}
