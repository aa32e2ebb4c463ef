import Commands
import LuaRuntime
import Platform
import Reactive

/// A command that the work of an execution executes as one of its steps. Confined to the loop's
/// thread.
struct CommandStep {
  unowned(unsafe) let host: ScriptHost
  let need: Need
  /// The execution whose work it is a step of; nil if that is unknown.
  let execution: ScriptExecution?

  /// Sends the values of the command's execution, which begins when what it needs has completed and
  /// other executions of it have ended, and those of what is executed for it.
  var signal: Signal<LuaValue> {
    Signal(
      source: onLoop { observer, subscription in
        guard let execution else {
          return observer.end(.error(Failure(.cancelled, "the command is gone")))
        }
        do { try start(for: execution, observer, subscription) } catch {
          observer.end(.error(error))
        }
      })
  }

  private func start(
    for outer: ScriptExecution, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable
  ) throws(Failure) {
    let call = try outer.scriptCommand.call(for: need, as: .executed)
    host.echo(step: call, for: outer)
    let plan = try Plan(workOf: call)
    let run = host.within(outer) { PlanRun(plan, PlanOptions(jobs: .max)) }
    let own = plan.steps.count - 1
    var isStarted = false
    run.onStart = { step, execution in
      let script = execution.script
      guard step == own else {
        return script.sendTaken(
          to: Observer(next: observer.next, batch: observer.batch) { _ in }, in: subscription)
      }
      isStarted = true
      script.sendTaken(
        to: Observer(next: observer.next, batch: observer.batch) {
          observer.end(script.ofScript($0))
        }, in: subscription)
    }
    run.onEnd = { step, end in
      // The execution itself sends its end.
      guard step == own, !isStarted else { return }
      switch end {
      case .completed: observer.end(.completed)
      case .failed(let failure), .refused(let failure), .skipped(let failure):
        observer.end(.error(failure.of(call)))
      case .cancelled, .unbegun:
        observer.end(.error(Failure(.cancelled, "the execution was cancelled")))
      }
    }
    subscription.add(onLoop { run.cancel() })
    run.start()
  }
}

extension Failure {
  /// Returns the failure of a call that was not executed, which its message names.
  fileprivate func of(_ call: Plan.Call) -> Failure {
    guard kind != .notEnabled else { return self }
    var failure = self
    failure.message = "\(call.command.host.call(of: call.command.name, call.input)): \(text)"
    (failure.call, failure.outer) = (nil, nil)
    (failure.command, failure.execution) = (nil, nil)
    return failure
  }
}
