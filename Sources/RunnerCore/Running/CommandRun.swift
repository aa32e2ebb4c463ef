import Platform
import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

/// The run of a plan in a session, and its outcome; on the loop's thread.
package final class CommandRun {
  private let session: Session
  private let stream: EventStream
  private let run: PlanRun
  private var failures: [Failure] = []
  /// Called with the exit status when the run has ended by itself.
  var onFinish: ((Int32) -> Void)?

  package init(_ session: Session, _ plan: Plan, _ options: PlanOptions, _ stream: EventStream) {
    self.session = session
    self.stream = stream
    run = PlanRun(plan, options)
    let names = Dictionary(grouping: plan.steps, by: \.command.name)
    stream.repeated = Set(names.filter { $0.value.count > 1 }.keys)
    run.onStart = { [unowned self] step, execution in
      let command = self.run.plan.steps[step].command
      if let failure = rejection(of: execution, command) {
        stream.reject(execution, of: command, failure)
      } else {
        stream.follow(execution, of: command)
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

  package var isOver: Bool { run.isOver }

  /// The exit status of the child process if the only requested command failed by it, directly or
  /// through a dependency; otherwise the status of the first failure.
  package var status: Int32 {
    let isSingle = run.plan.steps.count(where: \.isRequested) == 1
    return failures.first?.exitStatus(ofSingle: isSingle) ?? ExitStatus.success
  }

  package func start() {
    stream.send(.runStarted(run.plan.steps.filter(\.isRequested).map(\.command.name)))
    session.describeRunning = { [weak stream] in
      let records = stream?.running ?? []
      let names = records.map { "\($0.command) (\($0.age.shortText))" }
      return "running: " + (names.isEmpty ? "nothing" : names.joined(separator: ", "))
    }
    guard isPrepared else { return }
    run.start()
  }

  /// True if the variables of all commands can be read, and all confirmations are given; failures
  /// are reported before anything begins.
  private var isPrepared: Bool {
    for step in run.plan.steps {
      do { try step.command.checkSurroundings() } catch { fail(step, error) }
    }
    for step in run.plan.steps where failures.isEmpty {
      do { try session.host.confirm(step.call) } catch { fail(step, error) }
    }
    if failures.isEmpty { return true }
    run.onEnd = nil
    run.cancel()
    return false
  }

  private func fail(_ step: Plan.Step, _ failure: Failure) {
    failures.append(failure)
    stream.skip(step.command, step.input, failure)
  }

  package func cancel() { run.cancel() }

  /// Cancels the running work, and calls `done` when it has ended.
  func stop(then done: @escaping @Sendable () -> Void) {
    onFinish = nil
    stream.close(exitCode: session.interruptionStatus)
    run.cancel()
    Signal.merge(
      run.plan.steps.map { $0.command.executing.filter { !$0 }.take(1) }
    ).subscribe(completed: done)
  }

  private func ended(_ step: Plan.Step, _ end: PlanRun.End) {
    switch end {
    case .completed: break
    case .failed(let failure): failures.append(failure)
    case .refused(let failure): fail(step, failure)
    case .skipped(let failure): stream.skip(step.command, step.input, failure)
    case .cancelled:
      if step.isRequested { failures.append(Failure(.cancelled, "the execution was cancelled")) }
    }
  }

  /// Reports the end of the run.
  package func finish(exitCode: Int32) { stream.finish(exitCode: exitCode) }

  /// Fails executions that can never end.
  package func endStuck() {
    guard !isOver, !session.isEnding else { return }
    for record in stream.running {
      let failure = Failure.stuck()
      failures.append(failure)
      stream.end(record, failure)
    }
  }
}
