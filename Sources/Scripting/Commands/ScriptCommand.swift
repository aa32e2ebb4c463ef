import Commands
import LuaRuntime
import Reactive

/// A command that a script defined.
public final class ScriptCommand: @unchecked Sendable {
  // Unchecked: it belongs to the loop's thread, as its host does.

  /// What a definition says beside its functions.
  struct Description {
    var name: String?
    var summary: String?
    var details: String?
    var group: String?
    var aliases: [String] = []
    var isPrivate = false
    /// Nil if it takes any.
    var parameters: [Parameter]?
    var needs: [String] = []
    var policy = CommandPolicy()
    var environment = CommandEnvironment()
    /// `file:line` of the definition.
    var position: String?
  }

  let description: Description
  let command: Command<LuaValue, LuaValue>
  let node: SignalNode
  unowned(unsafe) let host: ScriptHost
  let condition: EnabledCondition
  private var isRegistered = false
  /// How many subscribers of `errors` and `disabled_errors` there are.
  var errorObservers = 0

  init(
    _ description: Description, _ command: Command<LuaValue, LuaValue>, node: SignalNode,
    host: ScriptHost, condition: EnabledCondition
  ) {
    self.description = description
    self.command = command
    self.node = node
    self.host = host
    self.condition = condition
  }

  /// The name; of an anonymous command where it was defined.
  public var name: String { description.name ?? "command at \(description.position ?? "?")" }
  /// What it does, in a line.
  public var summary: String? { description.summary }
  /// What it does, at length.
  public var details: String? { description.details }
  /// The heading it is listed under.
  public var group: String? { description.group }
  /// Other names.
  public var aliases: [String] { description.aliases }
  /// Whether it is left out of lists.
  public var isPrivate: Bool { description.isPrivate }
  /// The parameters it declares.
  public var parameters: [Parameter] { description.parameters ?? [] }
  /// `file:line` of its definition.
  public var position: String? { description.position }

  /// How its executions are treated.
  public var policy: CommandPolicy { description.policy }
  /// The folder it works in, from that of its file; nil for the same.
  public var directory: String? { description.environment.directory }
  /// Whether its processes own the terminal.
  public var isInteractive: Bool { description.environment.isInteractive }
  /// Whether an attempt would be taken: now, and at each change.
  public var enabled: Signal<Bool> { command.enabled }

  /// Whether an execution runs or is still ending its work: now, and at each change.
  public var executing: Signal<Bool> { command.executing }

  /// Why an attempt now would be rejected, as the end of a sentence, as far as is known since `ask`;
  /// nil if it would be taken.
  public var disabledReason: String? {
    if isConditionPending { return condition.pendingText }
    guard case .notEnabled(_, let reason) = obstacle else { return nil }
    return explanation(of: reason)
  }

  func explanation(of reason: DisabledReason) -> String {
    (reason == .condition ? condition.explanation : nil) ?? reason.description
  }

  /// Executes the command after what it needs; see `Command.execute`. Whoever calls it handles its
  /// error.
  ///
  /// - Parameters:
  ///   - options: timeout and retries; nil for the command's own.
  ///   - skippingNeeds: whether what it needs has been taken care of.
  ///   - isAsked: whether the condition has been asked for this attempt.
  public func execute(
    _ input: LuaValue, options: ExecutionOptions? = nil, skippingNeeds: Bool = false,
    isAsked: Bool = false
  ) -> Execution<LuaValue, LuaValue> {
    // Whatever work the caller is called by: this is none of it.
    let script = host.within(nil) {
      start(input, options: options, skippingNeeds: skippingNeeds, isAsked: isAsked)
    }
    script.isObserved = true
    return script.execution
  }

  func start(
    _ input: LuaValue, options: ExecutionOptions? = nil, skippingNeeds: Bool = false,
    isAsked: Bool = false, in record: NeedsRecord? = nil
  ) -> ScriptExecution {
    Secrets.add(description.environment, input: input, host)
    if !isAsked { ask() }
    let awaitsCondition = isConditionPending
    if awaitsCondition { condition.admitUnknown() }
    let execution = command.execute(input, options: options)
    // A joined execution is known already.
    if let known = host.executions[execution.id] { return known }
    let script = ScriptExecution(
      execution, of: self, timeout: (options ?? command.options).timeout,
      skippingNeeds: skippingNeeds, in: record)
    script.awaitsCondition = awaitsCondition
    host.track(script)
    return script
  }

  /// The execution whose work is being subscribed for the first time: work starts in the order of
  /// admission.
  func claimDue() -> ScriptExecution? {
    let due = command.activeExecutionSignals.lazy.compactMap { self.host.executions[$0.id] }
      .first { !$0.hasBegun }
    due?.begin()
    return due
  }

  /// Keeps the command until the host lets go of it.
  func register() {
    isRegistered = host.interpreter.root(node.anchor)
  }

  func release() {
    guard isRegistered else { return }
    isRegistered = false
    host.interpreter.unroot(node.anchor)
  }
}

/// An execution of a script's command, from admission to its end.
final class ScriptExecution: @unchecked Sendable {
  // Unchecked: it belongs to the loop's thread.

  let execution: Execution<LuaValue, LuaValue>
  let command: ScriptCommand
  /// Whether somebody looks at its end; if nobody does, its error is reported.
  var isObserved = false
  /// Whether its work has been started once.
  private(set) var hasBegun = false
  private let timeout: Duration?
  /// The moment of `LuaInterpreter.now` after which Lua code of its is stopped, when the loop that it
  /// holds up cannot do so.
  private(set) var deadline: Duration?
  /// The id of the outermost execution that this one belongs to: its own unless the work of another
  /// one has started it.
  let origin: Int
  /// The one whose work has started it, while that lives.
  private(set) weak var outer: ScriptExecution?
  /// What the latest execution inside it has failed with.
  var innerFailure: InnerFailure?
  /// What the run that it belongs to has executed because something needs it.
  let needsRecord: NeedsRecord
  /// Whether an observer of a command has started it.
  let isObserverWork: Bool
  private var observerWork: ObserverWorkItem?
  /// Whether it was admitted before the enabled condition was known, which its work waits for.
  var awaitsCondition = false
  /// Whether what the command needs is not to be executed, or not again.
  var isSkippingNeeds: Bool
  /// Where its processes work; known when its work begins.
  var place: ProcessContext?
  /// Its userdata, which keeps the command's, until it is over.
  fileprivate(set) var userdata: LuaValue?
  /// Told of its end, so kept until then.
  fileprivate var follower: ScriptHost?

  init(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand,
    timeout: Duration? = nil, skippingNeeds: Bool = false, in record: NeedsRecord? = nil
  ) {
    self.execution = execution
    self.command = command
    self.timeout = timeout
    isSkippingNeeds = skippingNeeds
    outer = command.host.currentExecution
    needsRecord = record ?? outer?.needsRecord ?? NeedsRecord()
    deadline = outer?.deadline
    origin = outer?.origin ?? execution.id
    isObserverWork = command.host.observerWork.isCurrent
  }

  var id: Int { execution.id }

  /// Counts it until its end if an observer has started it.
  func countObserverWork() { observerWork = command.host.observerWork.begin() }

  func endObserverWork() { observerWork = nil }

  /// Whether its end is a part of another one's work, or it is that one itself.
  func isWithin(_ other: ScriptExecution) -> Bool {
    var next: ScriptExecution? = self
    while let script = next {
      if script === other { return true }
      next = script.outer
    }
    return false
  }

  /// Whether it was cancelled or took too long, rather than ended by its work.
  var isEndedFromOutside: Bool {
    switch execution.error as? CommandError {
    case .cancelled, .timeout: true
    case .notEnabled, nil: false
    }
  }

  /// The execution as scripts see it: its error says which it is.
  var signal: Signal<LuaValue> {
    Signal { [self] observer, subscription in
      execution.observe(
        Observer(next: observer.next, batch: observer.batch) { [self] termination in
          guard case .error(let error) = termination else { return observer.end(termination) }
          observer.end(.error(command.host.error(error, endedBy: self)))
        }, in: subscription)
    }
  }

  /// Its work is started for the first time.
  func begin() {
    hasBegun = true
    guard let timeout else { return }
    let own = LuaInterpreter.now + timeout
    deadline = min(deadline ?? own, own)
  }
}

extension Failure {
  /// Says which execution failed, unless it says so already.
  ///
  /// - Returns: whether it did not.
  @discardableResult
  mutating func name(_ script: ScriptExecution) -> Bool {
    guard execution == nil else { return false }
    name(script.command)
    execution = script.id
    input = script.execution.input
    return true
  }

  /// Says which command failed, unless it says so already.
  mutating func name(_ script: ScriptCommand) {
    guard command == nil else { return }
    command = script.name
    if script.description.name == nil { anonymousCommand = script.node.anchor }
  }
}

extension ScriptHost {
  /// Follows an execution to its end: it keeps its command meanwhile, and an error that nobody looks
  /// at is reported.
  func track(_ script: ScriptExecution) {
    executions[script.id] = script
    script.userdata = newUserdata(of: script)
    script.follower = self
    script.countObserverWork()
    if onExecution(script.command, script.execution, script.origin) { script.isObserved = true }
    if let termination = script.execution.end { forget(script, termination) }
  }

  /// An execution of a command ends.
  func executionEnds(_ execution: Execution<LuaValue, LuaValue>, _ termination: Termination) {
    if let script = executions[execution.id] { forget(script, termination) }
  }

  private func forget(_ script: ScriptExecution, _ termination: Termination) {
    executions[script.id] = nil
    script.userdata = nil
    defer {
      script.follower = nil
      script.endObserverWork()
    }
    guard case .error(let error) = termination else { return }
    noteFailure(error, of: script)
    // A turn later, so that a rejection can be looked at by whoever attempted.
    scheduler.enqueue { self.reportUnobserved(script, error) }
  }

  private func reportUnobserved(_ script: ScriptExecution, _ error: any Error) {
    defer { innerFailures[script.id] = nil }
    guard !script.isObserved, script.command.errorObservers == 0 else { return }
    reportUnhandled(failure(of: error, endOf: script.command.name, script.id))
  }
}
