import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

/// An execution of a script's command, with what the host knows of it: one object, because each
/// execution needs both.
///
/// It is also the object of the execution's userdata.
final class ScriptExecution: Execution<LuaValue, LuaValue>, @unchecked Sendable {
  // Unchecked: what it adds is confined to the loop's thread.

  let scriptCommand: ScriptCommand
  /// True if its end is observed; otherwise its error is reported.
  @exclusivity(unchecked) var isObserved = false
  private let timeLimit: Duration?
  /// The time on the clock of `LuaInterpreter.now` after which its Lua code is stopped, in case the
  /// code blocks the loop that would otherwise stop it.
  private(set) var deadline: Duration?
  /// True if its own time limit ends before those of the executions around it.
  private var hasOwnDeadline = false
  /// The id of the outermost execution that this one belongs to; nil for its own. It is its own unless
  /// another execution's work has started it.
  private let outermost: Int?
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
  /// How long the execution took whose result was restored in place of its work; nil if none was.
  var savedTime: Duration?
  /// Receives what is shown of it beside its values, while that is recorded.
  var aside: ((RecordedValues.Aside) -> Void)?
  /// True if the commands it needs are not to be executed, or not again.
  var isSkippingNeeds: Bool
  /// True if its precondition is not to be asked, or not again.
  var isSkippingPrecondition = false
  /// True if the runner's standard input is for its processes.
  var ownsInput = false
  /// The input that is open for its processes.
  var offered: OfferedInput?
  /// True if another execution needs it, and is not its work.
  let isNeeded: Bool
  /// The number of receivers that take its values now.
  @exclusivity(unchecked) var takers = 0
  /// True if something has taken its values.
  @exclusivity(unchecked) var wasTaken = false
  /// The number of subscriptions and waits of scripts for it.
  @exclusivity(unchecked) var followers = 0
  /// True if there was any.
  @exclusivity(unchecked) var wasFollowed = false
  /// The values that were shown because nothing took them; nil if none are shown.
  @exclusivity(unchecked) var shown: ShownOutput?
  /// True once its own work begins: all that was asked and needed before is over.
  var isWorking = false {
    didSet { if isWorking { served?.workBegins() } }
  }
  /// The run of a service that it is the work of; nil for other executions.
  var served: ScriptServiceWork?
  /// What its functions have started; nil if they have started nothing.
  var started: StartedWork?
  /// The services that it uses and that have to be ready when an attempt begins.
  private(set) var services = UsedServices()
  /// A service that it uses, or an execution inside it; nil if none does.
  private(set) var usedService: String?
  /// The runs of what it needs, whose services it uses until nothing of it is left.
  private var heldRuns: [PlanRun] = []
  /// Its place in the limit of its command over this machine, while it has one.
  var machinePlace: SharedPlace?
  /// Its right to do work whose result is kept, while it has it.
  var keptWork: SharedPlace?
  /// What it may use, once that was free, until nothing of it is left.
  var grant: ResourceGrant?
  /// True once its processes have the variables of what it may use.
  var hasResourceVariables = false
  /// The number that it has among those that run at the same time, once something asked for it.
  private var ownSlot: Int?
  /// Called when its next attempt begins.
  var onAttempt: (() -> Void)?
  /// True if it waits for its place although its command would refuse it.
  var waitsForPlace = false
  /// The variables that its work begins with; nil for those of its interpreter.
  let caller: CallerEnvironment?
  /// The working context of its processes, set when its work begins.
  var place: ProcessContext?
  /// True if it is executed for a service, whose users it belongs to.
  @exclusivity(unchecked) var isOfService = false
  /// Its userdata until the execution is over, once a script has asked for it: to make it, with the type
  /// that has all operators, takes a tenth of the start of a command.
  @exclusivity(unchecked) var userdata: LuaKept?
  /// True while it keeps the userdata of its command.
  @exclusivity(unchecked) var keepsCommand = false
  /// Its place among those that have not ended; nil outside.
  @exclusivity(unchecked) var slot: Int?
  /// The host, which is notified of the end and so is kept until then.
  @exclusivity(unchecked) var follower: ScriptHost?

  init(
    _ input: LuaValue, options: ExecutionOptions?, of command: ScriptCommand, isNeeded: Bool,
    skippingNeeds: Bool, in record: NeedsRecord?
  ) {
    scriptCommand = command
    self.isNeeded = isNeeded
    timeLimit = (options ?? command.command.options).timeout
    isSkippingNeeds = skippingNeeds
    let context = command.host.context
    let outer = context.execution
    deadline = outer?.deadline
    outermost = outer?.origin
    caller = context.purpose.caller
    isObserverWork = context.observerWork.isCurrent
    super.init(input, options: options, of: command.command)
    if let outer { self.outer = outer }
    if let shared = record ?? outer?.needsRecord { needsRecord = shared }
  }

  /// True if code of the script observes the errors of its command.
  var hasErrorObservers: Bool { scriptCommand.errorObservers.load(ordering: .relaxed) > 0 }

  /// The id of the outermost execution that this one belongs to.
  var origin: Int { outermost ?? id }

  /// Counts the execution until its end if an observer has started it.
  func countObserverWork() { observerWork = scriptCommand.host.observerWork.begin() }

  func endObserverWork() { observerWork = nil }

  /// The run of a service whose work it is part of; nil if it is part of none. What a service needs is
  /// not its work.
  var service: ScriptServiceWork? { service(while: { !$0.isNeeded }) }

  /// The run of a service that it is part of, or is executed for; nil if there is none.
  var serviceAround: ScriptServiceWork? { service(while: { _ in true }) }

  /// Passes on what is shown of it beside its values to those that record it: itself, and the executions
  /// whose work it is.
  func note(_ aside: RecordedValues.Aside) {
    var next: ScriptExecution? = self
    while let script = next {
      script.aside?(aside)
      next = script.isNeeded ? nil : script.outer
    }
  }

  private func service(while condition: (ScriptExecution) -> Bool) -> ScriptServiceWork? {
    var next: ScriptExecution? = self
    while let script = next {
      if let served = script.served { return served }
      guard condition(script) else { return nil }
      next = script.outer
    }
    return nil
  }

  /// The leaders of its process groups.
  private(set) var leaders: Set<Int32> = []

  /// Ends its processes, and those of executions inside it, that have ended by themselves although
  /// the loop has not come to their ends yet.
  ///
  /// - Returns: true if there were any.
  func settleProcesses() -> Bool {
    let host = scriptCommand.host
    let inside = host.executions.sorted.filter { $0.isWithin(self) }
    let leaders = inside.reduce(into: Set<Int32>()) { $0.formUnion($1.leaders) }
    return !leaders.isEmpty && host.loop.settleChildren(leaders)
  }

  func groupBegan(_ leader: Int32) {
    leaders.insert(leader)
    for execution in sequence(first: self, next: \.outer) {
      execution.machinePlace?.began(leader)
      execution.grant?.began(leader)
    }
    service?.groupBegan(leader)
  }

  /// A group of its processes has not ended within the grace period.
  func groupIsKilled(after grace: Duration) { service?.groupIsKilled(after: grace) }

  func groupEnded(_ leader: Int32) {
    leaders.remove(leader)
    service?.groupEnded(leader)
    startedGroupEnded()
  }

  /// Adds services that it uses.
  func use(_ used: UsedServices) {
    services.add(used)
    if let name = used.name { noteUse(ofService: name) }
  }

  /// Notes that its work, and so that of the executions around it, uses a service.
  func noteUse(ofService name: String) {
    for execution in sequence(first: self, next: \.outer) where execution.usedService == nil {
      execution.usedService = name
    }
  }

  /// Uses the services of a run of what it needs until nothing of it is left.
  func hold(_ run: PlanRun) { heldRuns.append(run) }

  func releaseHeldRuns() {
    guard !heldRuns.isEmpty else { return }
    let runs = heldRuns
    heldRuns = []
    whenTornDown(onLoop { for run in runs.reversed() { run.cancel() } })
  }

  /// The number of the place that the outermost execution at work around it, or itself, has among those
  /// that run at the same time; nil before its work begins, and for services.
  var slotNumber: Int? {
    guard service == nil,
      let owner = sequence(first: self, next: \.outer).reversed().first(where: \.isWorking)
    else { return nil }
    if owner.ownSlot == nil { owner.ownSlot = scriptCommand.host.slotNumbers.take() }
    return owner.ownSlot
  }

  /// Gives back what it shares with others, once nothing of it is left.
  func releaseShared() {
    guard machinePlace != nil || keptWork != nil || grant != nil || ownSlot != nil else { return }
    let (place, kept, grant, slot) = (machinePlace, keptWork, grant, ownSlot)
    (machinePlace, keptWork, self.grant, ownSlot) = (nil, nil, nil, nil)
    let host = scriptCommand.host
    host.policy.resources.idle.remove(self)
    whenTornDown(
      onLoop { [unowned(unsafe) host] in
        place?.release()
        kept?.release()
        grant?.release()
        if let slot { host.slotNumbers.give(back: slot) }
      })
  }

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
    switch error as? CommandError {
    case .cancelled, .timeout: true
    case .notEnabled, nil: false
    }
  }

  /// Its end as scripts see it: the error names the execution.
  func ofScript(_ termination: Termination) -> Termination {
    guard case .error(let error) = termination else { return termination }
    return .error(scriptCommand.host.error(error, endedBy: self))
  }

  /// The error of work that ends after its deadline.
  var lateness: (any Error)? {
    guard let deadline, deadline <= LuaInterpreter.now else { return nil }
    return hasOwnDeadline ? timeLimit.map { CommandError.timeout(after: $0) } : Failure.late
  }

  /// Starts the time limit of its work.
  func begin() {
    guard let timeLimit else { return }
    let own = LuaInterpreter.now + timeLimit
    hasOwnDeadline = deadline.map { own < $0 } ?? true
    if hasOwnDeadline { deadline = own }
  }

  /// Stops its time limit while it waits for something that others have.
  func pauseTimeLimit() -> TimeLimitPause { TimeLimitPause(self) }

  func extendDeadline(by time: Duration) {
    if hasOwnDeadline, let own = deadline { deadline = own + time }
  }
}

extension Failure {
  /// The error of code that has run past the timeout of an execution around it.
  static var late: Failure { Failure(.timeout, "the execution took longer than its timeout") }
}

extension Signal<LuaValue> {
  /// The work of an execution, which fails if it completes after the deadline: a script may have
  /// caught the error that has stopped its code, or the stopped code may have been a callback of
  /// something that nothing waits for.
  func failingLate(of execution: ScriptExecution?) -> Signal<LuaValue> {
    guard let execution, execution.deadline != nil else { return self }
    let lateness: @Sendable () -> (any Error)? = { [weak execution] in execution?.lateness }
    return Signal { [self] observer, subscription in
      observe(
        Observer(next: observer.next, batch: observer.batch) { termination in
          if case .completed = termination, let error = lateness() {
            return observer.end(.error(error))
          }
          observer.end(termination)
        }, in: subscription)
    }
  }
}

extension Execution<LuaValue, LuaValue> {
  /// What the host knows of it. Only for executions of commands that scripts define: nothing else
  /// executes these.
  var script: ScriptExecution {
    guard let script = self as? ScriptExecution else {
      preconditionFailure("not an execution of a script's command")
    }
    return script
  }
}
