import Commands
import LuaRuntime
import Platform
import Reactive

/// One run of a plan: each step is requested from a scheduler when its predecessors have ended: the
/// steps that it needs, and those that an order puts before it.
///
/// If one of them fails, the step fails with it without being executed. Steps that only such steps
/// need are cancelled, unless the options keep the run going. Confined to the loop's thread.
public final class PlanRun {
  /// The outcome of a step.
  public enum End: Sendable {
    case completed
    case failed(Failure)
    /// The step was not executed because its precondition does not hold, it is a service that has not
    /// become ready, or it uses one that is lost.
    case refused(Failure)
    case cancelled
    /// The step was not executed because the run was cancelled, or nothing needs it any more.
    case unbegun
    /// The step was not executed because one before it failed.
    case skipped(Failure)
  }

  enum State {
    case waiting(predecessors: Int)
    /// It waits until the service that it is is ready.
    case using
    case requested(ExecutionRequest)
    case ended
  }

  /// The plan to execute.
  public let plan: Plan
  /// Called with each execution before its work starts.
  public var onStart: ((_ step: Int, Execution<LuaValue, LuaValue>) -> Void)?
  /// Called when a step ends.
  public var onEnd: ((_ step: Int, End) -> Void)?
  /// Called once when all steps have ended.
  public var onFinish: (() -> Void)?
  /// Called when a service has ended for good that the plan's owner uses: the call whose needs it has.
  package var onLost: ((Failure) -> Void)?

  let keepsGoing: Bool
  /// Nil if there is no step.
  let scheduler: ExecutionScheduler?
  var states: [State]
  /// The step of each request, by its order.
  var requested: [Int: Int] = [:]
  var graph: PlanGraph
  /// The running steps that were cancelled.
  var cancelled: Set<Int> = []
  private var left: Int
  let services: PlannedServices
  /// The preconditions that have not been answered.
  private var unanswered = 0
  private let questions = CompoundDisposable()

  /// Makes a run that has not started, with a scheduler of its own.
  public convenience init(_ plan: Plan, _ options: PlanOptions) {
    let host = plan.steps.first?.command.host
    self.init(
      plan, on: host.map { ExecutionScheduler($0, options.scheduling) },
      keepsGoing: options.keepsGoing)
  }

  /// Makes a run that has not started.
  package init(_ plan: Plan, on scheduler: ExecutionScheduler?, keepsGoing: Bool) {
    self.plan = plan
    self.scheduler = scheduler
    self.keepsGoing = keepsGoing
    states = plan.steps.map { .waiting(predecessors: $0.predecessors.count) }
    graph = PlanGraph(plan)
    left = plan.steps.count
    services = PlannedServices(plan, graph.users)
  }

  /// Lets the services that it uses be kept for the next round.
  package func keepServices(in kept: KeptServices?) { services.kept = kept }

  /// True once all steps have ended.
  public var isOver: Bool { left == 0 }

  /// True if steps are executed, or will be, that were not cancelled.
  public var goesOn: Bool {
    states.indices.contains { index in
      if case .ended = states[index] { false } else { !cancelled.contains(index) }
    }
  }

  /// Starts the run.
  public func start() {
    // Conditions that take time to become known are evaluated meanwhile.
    for step in plan.steps where !step.command.hasPredicate { step.command.ask() }
    askPreconditions()
  }

  /// Starts the run, and calls `decide` once: when all steps have completed, or with the failure
  /// of the first that has not.
  package func start(then decide: @escaping (Failure?) -> Void) {
    var decide: ((Failure?) -> Void)? = decide
    let decideOnce = { (failure: Failure?) in
      let found = decide
      decide = nil
      found?(failure)
    }
    let observer = onEnd
    onEnd = { [plan] step, end in
      observer?(step, end)
      switch end {
      case .completed, .skipped: break
      case .failed(let cause), .refused(let cause):
        decideOnce(cause.neededAs(plan.steps[step].command.name))
      case .cancelled, .unbegun:
        decideOnce(Failure(.cancelled, "a needed execution was cancelled"))
      }
    }
    onFinish = { decideOnce(nil) }
    start()
  }

  /// Asks all preconditions, and begins when they are known: nothing of the run is executed before,
  /// but for those of later calls of a sequence, which what is executed before may change.
  private func askPreconditions() {
    let asked = plan.steps.indices.filter {
      plan.steps[$0].command.hasPrecondition && !plan.steps[$0].isLater && !isKnown(plan.steps[$0])
    }
    unanswered = asked.count
    guard !asked.isEmpty else { return begin() }
    for index in asked {
      let command = plan.steps[index].command
      command.askPrecondition(in: questions) { [self] failure in
        if let failure { refuse(index, failure) }
        unanswered -= 1
        if unanswered == 0 { begin() }
      }
    }
  }

  /// True if a needed step is not executed, because its call has been.
  private func isKnown(_ step: Plan.Step) -> Bool {
    !step.isRequested && step.isShared && scheduler?.known(step.call.key) != nil
  }

  /// Ends a step whose precondition does not hold, and what only it needs or what needs it.
  private func refuse(_ index: Int, _ failure: Failure) {
    guard case .waiting = states[index] else { return }
    close(index)
    if !plan.steps[index].isRequested {
      scheduler?.remember(plan.steps[index].call.key, failure)
    }
    onEnd?(index, .refused(failure))
    cancel(loseInterest(of: index))
    skip(behind: index, .skipped(failure.neededAs(plan.steps[index].command.name)))
  }

  private func begin() {
    for (index, step) in plan.steps.enumerated() where step.predecessors.isEmpty {
      if case .waiting = states[index] { request(index) }
    }
    scheduler?.advance()
    finishIfOver()
  }

  /// Cancels running executions, and starts no more. The plan's owner uses its services no longer.
  public func cancel() {
    questions.dispose()
    cancel(states.indices.reversed())
    services.releaseAsOwner()
    finishIfOver()
  }

  /// Fails what waits although nothing is left that could let it begin.
  package func failStuck() { scheduler?.failStuck() }

  /// The services that the plan's owner uses.
  package var servicesOfOwner: UsedServices { services.usedByOwner }

  /// Cancels a run that has not ended. One that has keeps the services that its owner uses.
  func cancelUnlessOver() { if !isOver { cancel() } }

  private func finishIfOver() {
    guard left == 0, let finish = onFinish else { return }
    onFinish = nil
    finish()
  }

  // MARK: Services

  /// Uses the service that a step is; what needs it begins when it is ready.
  private func beginUse(_ index: Int) {
    let isRequested = plan.steps[index].isRequested
    if !isRequested { states[index] = .using }
    services.begin(index, for: scheduler?.caller) { [self] outcome in
      switch outcome {
      case .ready:
        if case .using = states[index] {
          close(index)
          onEnd?(index, .completed)
        }
        satisfy(graph.users[index] + graph.dependents[index])
        scheduler?.advance()
      case .lost(let failure): lose(index, failure)
      }
      finishIfOver()
    }
  }

  /// Ends what uses a service that is not there any more.
  private func lose(_ index: Int, _ failure: Failure) {
    let cause = failure.neededAs(plan.steps[index].command.name)
    if case .using = states[index] {
      close(index)
      onEnd?(index, .refused(failure))
    }
    for step in graph.users[index] {
      guard case .requested(let request) = states[step] else { continue }
      switch request.state {
      case .waiting: scheduler?.fail(request, cause)
      case .running: request.execution?.fail(cause)
      case .joined:
        scheduler?.cancel(request)
        ended(step, .failed(cause))
      case .ended: break
      }
    }
    skip(behind: index, .skipped(cause))
    if services.isUsedByOwner(index) { onLost?(cause) }
    scheduler?.advance()
  }

  /// Makes a step one that has ended, which uses no services any more once nothing of it is left.
  func close(_ index: Int) {
    let execution: Execution<LuaValue, LuaValue>? =
      if case .requested(let request) = states[index] { request.execution } else { nil }
    states[index] = .ended
    left -= 1
    guard services.areKeptUp(by: index) else { return }
    guard let execution else { return services.release(by: index) }
    execution.whenTornDown(onLoop { [services] in services.release(by: index) })
  }

  // MARK: Steps

  private func request(_ index: Int) {
    guard let scheduler else { return }
    let step = plan.steps[index]
    if services.isUsed(index) {
      if let failure = scheduler.host.failureOfService(step.call, within: scheduler.outer) {
        return refuse(index, failure)
      }
      beginUse(index)
    }
    guard step.isRequested || !step.command.isService else { return }
    let request = scheduler.add(
      step.command, from: self, isNeed: !step.isRequested,
      call: step.isShared ? step.call.key : nil,
      takesTurns: takesTurns(index))
    request.asksPrecondition = step.isLater
    request.isWork = !step.isRequested && !step.isShared
    requested[request.order] = index
    states[index] = .requested(request)
  }

  /// True if a step waits for a slot here, whatever its command does with one that is busy.
  private func takesTurns(_ index: Int) -> Bool {
    let step = plan.steps[index]
    // In the queue of the command, it would keep its turn from others while its services are not ready.
    if step.command.whenBusy.isQueue { return step.isRequested && services.areUsed(by: index) }
    return !step.isRequested || graph.turns.contains(ObjectIdentifier(step.command))
  }

  func ended(_ index: Int, _ end: End) {
    guard case .requested(let request) = states[index] else { return }
    requested[request.order] = nil
    close(index)
    onEnd?(index, end)
    switch end {
    // What needs a service that was asked for waits for its readiness instead.
    case .completed where services.isUsed(index): satisfy(graph.followers[index])
    case .completed: satisfy(graph.users[index] + graph.dependents[index] + graph.followers[index])
    case .failed(let failure), .refused(let failure):
      skip(behind: index, .skipped(failure.neededAs(plan.steps[index].command.name)))
    case .cancelled, .unbegun, .skipped: skip(behind: index, .unbegun)
    }
    finishIfOver()
  }

  /// Requests steps of which a predecessor has ended, unless they have others.
  func satisfy(_ steps: [Int]) {
    for step in steps {
      guard case .waiting(let predecessors) = states[step] else { continue }
      states[step] = .waiting(predecessors: predecessors - 1)
      if predecessors == 1 { request(step) }
    }
  }
}

extension PlanRun: ExecutionRequester {
  package func input(of request: ExecutionRequest) -> LuaValue {
    requested[request.order].map { plan.steps[$0].input } ?? .nil
  }

  package func services(of request: ExecutionRequest) -> UsedServices {
    requested[request.order].map { services.used(by: $0) } ?? UsedServices()
  }

  package func started(_ request: ExecutionRequest, _ execution: Execution<LuaValue, LuaValue>) {
    let script = execution.script
    if let step = requested[request.order] {
      onStart?(step, execution)
      if let user = graph.users[step].first ?? graph.dependents[step].first {
        script.warnIfEndless(neededBy: plan.steps[user].command.name)
      }
    }
    if script.isNeeded { script.scriptCommand.host.showUntakenOutput(of: script) }
  }

  package func ended(_ request: ExecutionRequest, _ failure: Failure?) {
    guard let step = requested[request.order] else { return }
    guard let failure else { return ended(step, .completed) }
    if request.isRefused { return ended(step, .refused(failure)) }
    // A batch was not asked to cancel what its entries need.
    let isCancelled = failure.kind == .cancelled && scheduler?.options.streaming == nil
    ended(step, isCancelled ? .cancelled : .failed(failure))
  }
}
