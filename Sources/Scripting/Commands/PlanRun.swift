import Commands
import LuaRuntime
import Reactive

import Platform

/// Options for executing the steps of a plan.
public struct PlanOptions: Sendable {
  /// The most executions that may run at a time. If nil, requested commands run side by side, and
  /// the commands that they need run as many at a time as there are processors.
  public var jobs: Int?
  /// True if the remaining needed commands are still executed after one has failed.
  public var keepsGoing = false
  /// The timeout of each execution, in place of its command's own.
  public var timeout: Duration?

  /// Options of one run.
  public init(jobs: Int? = nil, keepsGoing: Bool = false, timeout: Duration? = nil) {
    self.jobs = jobs
    self.keepsGoing = keepsGoing
    self.timeout = timeout
  }
}

/// One run of a plan: each step is executed when the steps that it needs have completed and a slot
/// is free.
///
/// If a step's need fails, the step fails with it without being executed. Steps that only such
/// steps need are cancelled, unless the options keep the run going. Confined to the loop's thread.
public final class PlanRun: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// The outcome of a step.
  public enum End: Sendable {
    case completed
    case failed(Failure)
    /// The step was not executed because its precondition does not hold.
    case refused(Failure)
    case cancelled
    /// The step was not executed because a need failed.
    case skipped(Failure)
  }

  private enum State {
    case waiting(needs: Int)
    /// Its needs have completed, and it waits for the value of its command's condition, or for the
    /// command to be free.
    case asking(CompoundDisposable)
    /// It may start as far as its condition is concerned.
    case asked
    case running(ScriptExecution)
    /// Another part of the run executes the same command.
    case joined(CompoundDisposable)
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

  private let options: PlanOptions
  private var states: [State]
  /// The steps that need each step.
  private var users: [[Int]]
  /// For each step, the number of executable steps that need it.
  private var interest: [Int]
  private var ready = ReadySteps()
  private var turns: CommandTurns
  private var runningNeeds = 0
  private var running = 0
  private var left: Int
  private var isPumping = false
  /// The running executions of the plan.
  private var own: Set<Int> = []
  private let subscription = CompoundDisposable()
  /// The preconditions that have not been answered.
  private var unanswered = 0
  private let questions = CompoundDisposable()
  /// The execution whose work made the run, if any.
  private let outer: ScriptExecution?
  private let record: NeedsRecord

  /// Makes a run that has not started.
  public init(_ plan: Plan, _ options: PlanOptions) {
    self.plan = plan
    self.options = options
    states = plan.steps.map { .waiting(needs: $0.needs.count) }
    users = Array(repeating: [], count: plan.steps.count)
    for (index, step) in plan.steps.enumerated() {
      for need in step.needs { users[need].append(index) }
    }
    interest = users.map(\.count)
    turns = CommandTurns(plan, users)
    left = plan.steps.count
    outer = plan.steps.first?.command.host.currentExecution
    record = outer?.needsRecord ?? NeedsRecord()
  }

  /// True once all steps have ended.
  public var isOver: Bool { left == 0 }

  /// Starts the run.
  public func start() {
    // Conditions that take time to become known are evaluated meanwhile.
    for step in plan.steps where !step.command.hasPredicate { step.command.ask() }
    askPreconditions()
  }

  /// Asks all preconditions, and begins when they are known: nothing of the run is executed before.
  private func askPreconditions() {
    let asked = plan.steps.indices.filter { plan.steps[$0].command.hasPrecondition }
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

  /// Ends a step whose precondition does not hold, and what only it needs or what needs it.
  private func refuse(_ index: Int, _ failure: Failure) {
    guard case .waiting = states[index] else { return }
    states[index] = .ended
    left -= 1
    onEnd?(index, .refused(failure))
    cancel(loseInterest(of: index))
    skip(usersOf: index, .skipped(failure.neededAs(plan.steps[index].command.name)))
  }

  private func begin() {
    for (index, step) in plan.steps.enumerated() where step.needs.isEmpty {
      guard case .waiting = states[index] else { continue }
      ready.insert(index, isRequested: step.isRequested)
    }
    pump()
  }

  /// Cancels running executions, and starts no more.
  public func cancel() {
    questions.dispose()
    cancel(states.indices.reversed())
    pump()
  }

  // MARK: Steps

  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    while let step = ready.next(isFree) { execute(step) }
    isPumping = false
    if left == 0, let finish = onFinish {
      onFinish = nil
      finish()
    }
  }

  private func isFree(_ isRequested: Bool) -> Bool {
    if let jobs = options.jobs { return running < jobs }
    return isRequested || runningNeeds < defaultJobs
  }

  private func execute(_ index: Int) {
    let step = plan.steps[index]
    switch states[index] {
    case .waiting:
      if step.isShared, !step.isRequested, let known = record[step.call.key] {
        return join(known, index)
      }
      guard step.isRequested || !awaitsSlot(index) else { return }
      guard ask(index) else { return }
    case .asked: break
    case .asking, .running, .joined, .ended: return
    }
    guard turns.take(index, of: step.command) else {
      // The condition is evaluated again when the step's turn comes.
      states[index] = .waiting(needs: 0)
      return
    }
    var executionOptions: ExecutionOptions?
    if let timeout = options.timeout {
      executionOptions = step.command.command.options
      executionOptions?.timeout = timeout
    }
    running += 1
    if !step.isRequested { runningNeeds += 1 }
    let script = step.command.host.within(outer) {
      step.command.start(
        step.input, options: executionOptions, skippingNeeds: true, isAsked: true, in: record)
    }
    script.isSkippingPrecondition = true
    if step.isShared { record.begin(step.call.key, script) }
    script.isObserved = true
    states[index] = .running(script)
    own.insert(script.id)
    onStart?(index, script.execution)
    let following = subscription.makeChild()
    script.execution.observe(
      Observer { termination in
        following.dispose()
        let end = script.end(termination)
        if step.isShared { self.record.end(step.call.key, isCompleted: end.isCompleted) }
        self.ended(index, end)
      }, in: following)
  }

  /// Makes a needed step wait while another part of the run executes its command with another
  /// input, which nobody asked to happen at the same time.
  ///
  /// - Returns: true if it waits; it is ready again when the command is free.
  private func awaitsSlot(_ index: Int) -> Bool {
    let command = plan.steps[index].command
    // Those of this plan take turns.
    let active = command.activeExecutions.filter { !own.contains($0.id) }
    guard active.count >= command.concurrencyLimit.count, !command.whenBusy.isQueue,
      // Nothing would end the wait for the own work's end.
      !active.contains(where: { outer?.isWithin($0) == true })
    else { return false }
    let waiting = subscription.makeChild()
    states[index] = .asking(waiting)
    // What has just been admitted is not told of yet.
    command.executing.skipWhile { !$0 }.filter { !$0 }.take(1).observe(
      Observer(
        next: { _ in },
        end: { [weak self] _ in
          guard let self, case .asking = states[index] else { return }
          waiting.dispose()
          states[index] = .waiting(needs: 0)
          ready.insert(index, isRequested: false)
          pump()
        }), in: waiting)
    return true
  }

  /// Evaluates the condition of a step's command for this attempt.
  ///
  /// - Returns: true if the value is known now; otherwise the step continues when it is.
  private func ask(_ index: Int) -> Bool {
    let step = plan.steps[index]
    step.command.ask()
    guard step.command.isConditionPending else {
      states[index] = .asked
      return true
    }
    let asking = subscription.makeChild()
    states[index] = .asking(asking)
    step.command.whenConditionKnown(in: asking) {
      guard case .asking = self.states[index] else { return }
      asking.dispose()
      self.states[index] = .asked
      self.ready.insert(index, isRequested: step.isRequested)
      self.pump()
    }
    return false
  }

  /// Uses for the step an execution that another part of the run has started or finished.
  private func join(_ known: NeedsRecord.Entry, _ index: Int) {
    let following = subscription.makeChild()
    states[index] = .joined(following)
    switch known {
    case .completed: ended(index, .completed)
    case .running(let script) where outer?.isWithin(script) == true:
      let user = outer?.command ?? script.command
      ended(index, .failed(user.failure(neededByOwnWorkOf: script.command)))
    case .running(let script):
      script.execution.observe(
        Observer { termination in self.ended(index, script.end(termination)) }, in: following)
    }
  }

  private func ended(_ index: Int, _ end: End) {
    switch states[index] {
    case .running(let script):
      own.remove(script.id)
      running -= 1
      if !plan.steps[index].isRequested { runningNeeds -= 1 }
      for step in turns.leave(plan.steps[index].command) {
        ready.insert(step, isRequested: plan.steps[step].isRequested)
      }
    case .joined(let following): following.dispose()
    case .waiting, .asking, .asked, .ended: return
    }
    states[index] = .ended
    left -= 1
    onEnd?(index, end)
    switch end {
    case .completed: satisfy(usersOf: index)
    case .failed(let failure):
      skip(usersOf: index, .skipped(failure.neededAs(plan.steps[index].command.name)))
    case .cancelled, .skipped, .refused: skip(usersOf: index, .cancelled)
    }
    pump()
  }

  private func satisfy(usersOf index: Int) {
    for user in users[index] {
      guard case .waiting(let needs) = states[user] else { continue }
      states[user] = .waiting(needs: needs - 1)
      if needs == 1 { ready.insert(user, isRequested: plan.steps[user].isRequested) }
    }
  }

  /// Ends all steps that need a step, directly or indirectly.
  private func skip(usersOf index: Int, _ end: End) {
    var due = users[index][...]
    while let step = due.popFirst() {
      guard case .waiting = states[step] else { continue }
      drop(step, end)
      due += users[step]
    }
  }

  private func drop(_ index: Int, _ end: End) {
    states[index] = .ended
    left -= 1
    onEnd?(index, end)
    if !options.keepsGoing { cancel(loseInterest(of: index)) }
  }

  /// Returns the steps that only this step, which is not executed, still needed.
  private func loseInterest(of index: Int) -> [Int] {
    plan.steps[index].needs.filter { need in
      interest[need] -= 1
      return interest[need] == 0 && !plan.steps[need].isRequested
    }
  }

  /// Cancels steps, and the steps that only they need.
  private func cancel(_ steps: some Sequence<Int>) {
    var due = Array(steps)[...]
    while let index = due.popFirst() {
      switch states[index] {
      case .waiting, .asking, .asked:
        if case .asking(let subscription) = states[index] { subscription.dispose() }
        states[index] = .ended
        left -= 1
        onEnd?(index, .cancelled)
        due += loseInterest(of: index)
      case .running(let script): script.execution.cancel()
      case .joined: ended(index, .cancelled)
      case .ended: break
      }
    }
  }
}

extension ScriptExecution {
  /// Converts the end of the execution to the outcome of the step.
  fileprivate func end(_ termination: Termination) -> PlanRun.End {
    guard let failure = failure(at: termination) else { return .completed }
    return failure.kind == .cancelled ? .cancelled : .failed(failure)
  }
}

extension PlanRun.End {
  fileprivate var isCompleted: Bool { if case .completed = self { true } else { false } }
}

/// One job per processor, with a minimum so that a small machine can overlap network waits.
private let defaultJobs = max(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

extension Failure {
  /// Returns the failure as dependents of the command see it.
  public func neededAs(_ command: String) -> Failure {
    var failure = self
    failure.kind = .dependency
    failure.value = nil
    let name = outer == nil ? call ?? command : command
    failure.message = "'\(name)' failed: \(text)"
    // The new message includes both.
    (failure.call, failure.outer) = (nil, nil)
    failure.command = self.command ?? command
    return failure
  }
}
