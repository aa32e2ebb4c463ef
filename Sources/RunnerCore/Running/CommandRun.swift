import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive
import Scripting

/// The run of a plan in a session, and its outcome; on the loop's thread.
package final class CommandRun {
  private let session: Session
  private let stream: EventStream
  private let run: PlanRun
  private var failures: [Failure] = []
  /// True once an execution has begun.
  private var hasBegun = false
  /// True if it is about to be found out whether the run goes on after a failure.
  private var isLooking = false
  /// Stops the timer that tells failures of a run that takes long to end.
  private var stopPatience: (() -> Void)?
  /// Called with the exit status when the run has ended by itself.
  var onFinish: ((Int32) -> Void)?

  package init(_ session: Session, _ plan: Plan, _ options: PlanOptions, _ stream: EventStream) {
    self.session = session
    self.stream = stream
    run = PlanRun(plan, options)
    let names = Dictionary(grouping: plan.steps, by: \.command.name)
    stream.repeated = Set(names.filter { $0.value.count > 1 }.keys)
    run.onStart = { [unowned self] step, execution in
      hasBegun = true
      let command = self.run.plan.steps[step].command
      if let failure = rejection(of: execution, command) {
        stream.reject(execution, of: command, failure)
      } else {
        // Of several in order, each has it in its turn.
        if !self.run.plan.isSideBySide, self.run.plan.steps[step].isRequested {
          session.host.giveInput(to: execution)
        }
        let record = stream.follow(execution, of: command)
        record.isNeed = !self.run.plan.steps[step].isRequested
      }
    }
    run.onFinish = { [unowned self] in
      guard let onFinish else { return }
      stream.finish(exitCode: status)
      onFinish(status)
    }
    run.onEnd = { [unowned self] step, end in ended(self.run.plan.steps[step], end) }
  }

  /// The message for a call that was rejected because the run itself calls the command elsewhere.
  private func rejection(
    of execution: Execution<LuaValue, LuaValue>, _ command: ScriptCommand
  ) -> Failure? {
    guard let error = execution.error, case .notEnabled(_, .busy)? = error as? CommandError else {
      return nil
    }
    let calls = run.plan.steps.count { $0.command === command }
    guard calls > 1 else { return nil }
    var failure = session.host.failure(of: error)
    failure.message += """
      ; in its definition, when_busy = "queue" runs such calls one after the other, \
      concurrency = \(calls) side by side
      """
    return failure
  }

  /// Lets the services that it uses be kept for the next round.
  func keepServices(in kept: KeptServices?) { run.keepServices(in: kept) }

  package var isOver: Bool { run.isOver }

  /// The exit status of the child process if the only requested command, or one of the only
  /// sequence, failed by it, directly or through a dependency; otherwise the status of the first
  /// failure.
  package var status: Int32 {
    failures.first?.exitStatus(ofSingle: !run.plan.isSideBySide) ?? ExitStatus.success
  }

  /// Reports what waits in standard input and nothing could read.
  package func reportUnreadInput() {
    guard session.host.isInputUnused, UnreadInput.isThere else { return }
    let requested = run.plan.steps.filter(\.isRequested).map { "'\($0.command.name)'" }
    let reason =
      run.plan.isSideBySide
      ? "it is for one command, and several were requested"
      : "no process of \(requested.joined(separator: " or ")) reads it"
    session.report.say("standard input was not read: \(reason)")
  }

  package func start() {
    stream.send(.runStarted(run.plan.steps.filter(\.isRequested).map(\.command.name)))
    session.describeRunning = { [weak stream] in
      let records = stream?.running ?? []
      let names = records.map { "\($0.command) (\($0.age.shortText))" }
      let waits = (stream?.waits ?? []).map { "; '\($0.command)' \($0.text)" }
      return "running: " + (names.isEmpty ? "nothing" : names.joined(separator: ", "))
        + waits.joined()
    }
    guard isPrepared else { return }
    run.start()
  }

  /// True if the variables of all commands can be read, and all confirmations are given; failures
  /// are reported before anything begins.
  private var isPrepared: Bool {
    // One file of variables may serve many commands.
    var reported: Set<String> = []
    for step in run.plan.steps where !step.isLater {
      do { try step.command.checkSurroundings() } catch {
        if reported.insert(error.message).inserted { fail(step.call, error) }
      }
    }
    for call in run.plan.steps.map(\.call) + run.plan.inner where failures.isEmpty {
      do { try session.host.confirm(call) } catch { fail(call, error) }
    }
    if failures.isEmpty { return true }
    run.onEnd = nil
    run.cancel()
    return false
  }

  private func fail(_ call: Plan.Call, _ failure: Failure) {
    failures.append(failure)
    stream.skip(call.command, call.input, failure)
  }

  package func cancel() { run.cancel() }

  /// Cancels the running work, and calls `done` when it has ended.
  func stop(then done: @escaping @Sendable () -> Void) {
    onFinish = nil
    stream.close(exitCode: session.interruptionStatus)
    run.cancel()
    // Services go on for others, or linger.
    Signal.merge(
      run.plan.steps.filter { !$0.command.isService }
        .map { $0.command.executing.filter { !$0 }.take(1) }
    ).subscribe(completed: done)
  }

  private func ended(_ step: Plan.Step, _ end: PlanRun.End) {
    switch end {
    case .completed: break
    case .failed(let failure):
      failures.append(failure)
      tellFailures()
    case .refused(let failure):
      fail(step.call, failure)
      tellFailures()
    case .skipped(let failure): stream.skip(step.command, step.input, failure)
    case .cancelled: noteCancelled(step)
    case .unbegun:
      noteCancelled(step)
      // An interrupted run ends for a reason that was told, and a run that does not begin executes
      // nothing.
      if hasBegun, !session.isEnding {
        stream.skip(step.command, step.input, Failure(.cancelled, "nothing needs it any more"))
      }
    }
  }

  private func noteCancelled(_ step: Plan.Step) {
    if step.isRequested { failures.append(Failure(.cancelled, "the execution was cancelled")) }
  }

  /// Lets a failure be told now if the run goes on after it. A run that ends because of it tells it
  /// last, unless the end takes more than a second.
  private func tellFailures() {
    if stopPatience == nil {
      let timer = session.loop.timer(after: .seconds(1)) { [weak self] in
        self?.stopPatience = nil
        self?.stream.send(.goesOn)
      }
      timer.unref()
      stopPatience = { timer.cancel() }
    }
    guard !isLooking else { return }
    isLooking = true
    // What the failure cancels is known by then.
    session.host.scheduler.enqueue(
      onLoop { [weak self] in
        guard let self else { return }
        isLooking = false
        if run.goesOn { stream.send(.goesOn) }
      })
  }

  /// Reports the end of the run.
  package func finish(exitCode: Int32) {
    stopPatience?()
    stream.finish(exitCode: exitCode)
  }

  /// Fails executions that can never end.
  package func endStuck() {
    guard !isOver, !session.isEnding else { return }
    if stream.running.isEmpty { run.failStuck() }
    for record in stream.running {
      let failure = Failure.stuck()
      failures.append(failure)
      stream.end(record, failure)
    }
  }
}
