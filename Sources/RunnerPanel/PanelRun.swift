import Commands
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// The run of one press: the requested execution, and those that it needs. On the loop's thread.
final class PanelRun: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The requested execution.
  let request: PanelExecution
  /// Completes when the run has ended.
  let end = Subject<Void>()
  private unowned let workspace: PanelWorkspace
  private let run: PlanRun
  /// The calls whose questions were answered with yes.
  private let confirmed: Set<CallKey>

  init(_ workspace: PanelWorkspace, _ plan: Plan, _ request: PanelExecution, isConfirmed: Bool) {
    self.workspace = workspace
    self.request = request
    confirmed = isConfirmed ? Set((plan.steps.map(\.call) + plan.inner).map(\.key)) : []
    run = PlanRun(plan, PlanOptions())
    run.onStart = { [unowned self] index, execution in began(run.plan.steps[index], execution) }
    run.onEnd = { [unowned self] index, end in ended(run.plan.steps[index], end) }
    run.onFinish = { [unowned self] in
      workspace.remove(self)
      end.sendCompleted()
    }
  }

  func confirms(_ call: Plan.Call) -> Bool { confirmed.contains(call.key) }

  func start() { run.start() }

  func cancel() { run.cancel() }

  private func began(_ step: Plan.Step, _ execution: Execution<LuaValue, LuaValue>) {
    if let known = workspace.execution(of: execution) {
      // It joins one that runs.
      guard step.isRequested else { return }
      request.joined = known
      return workspace.joined(request, known)
    }
    let entry = step.isRequested ? request : workspace.newExecution(of: step, for: request)
    workspace.follow(execution, as: entry, of: step.command)
  }

  private func ended(_ step: Plan.Step, _ end: PlanRun.End) {
    switch end {
    // The events of the execution tell of it.
    case .completed, .failed: break
    case .refused(let failure):
      workspace.failed(
        step.isRequested ? request : workspace.newExecution(of: step, for: request), failure)
    case .skipped(let failure): if step.isRequested { workspace.failed(request, failure) }
    case .cancelled, .unbegun:
      if step.isRequested, request.state == .waiting { workspace.cancelled(request) }
    }
  }
}
