import LuaRuntime
import Platform
import Reactive
import Scripting

/// Waits for what commands and their observers do.
extension Session {
  /// Determines which commands are enabled, for display only: reads their conditions, and waits a
  /// short time for those without an immediate value.
  package func awaitConditions(of commands: [ScriptCommand]) {
    host.policy.conditions = .awaited(
      atMost: conditionTimeout ?? CommandFileSession.lookingTime)
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    var pending = 0
    for command in commands {
      command.ask()
      guard command.isConditionPending else { continue }
      pending += 1
      command.whenConditionKnown(in: subscription) { pending -= 1 }
    }
    wait { pending == 0 || isEnding }
  }

  /// Asks the preconditions of a plan, for display only.
  ///
  /// - Returns: the reason of each that does not hold; none for one that needs a process.
  package func refusals(in plan: Plan) -> [CallKey: String] {
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    let steps = plan.steps.filter(\.command.hasPrecondition)
    var pending = steps.count
    var reasons: [CallKey: String] = [:]
    for step in steps {
      step.command.askPrecondition(in: subscription) { failure in
        pending -= 1
        guard failure != nil, !step.command.isPreconditionUnasked else { return }
        reasons[step.call.key] = step.command.preconditionReason
      }
    }
    wait { pending == 0 || isEnding }
    return reasons
  }

  /// Waits until the subscriptions and executions of the script itself end.
  package func drain() {
    wait { !host.hasWork || isEnding }
  }

  /// Delivers all pending events to the observers of commands, and waits for the work that they
  /// start, and for its consequences, until no work is left. An interrupt ends the wait.
  package func settle() {
    var isDue = false
    // Queued behind all work that is due now.
    host.scheduler.enqueue(onLoop { isDue = true })
    let patience = loop.timer(after: .seconds(1)) { [unowned self] in
      let count = host.observerWork.pending
      guard count > 0, !isEnding else { return }
      report.say(
        "waiting for what observers of commands have started (\(count) still at work)")
    }
    patience.unref()
    wait {
      isEnding
        || isDue && host.observerWork.pending == 0 && !host.isDelivering
    }
    patience.cancel()
  }
}
