import Commands
import EventLoop
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// Makes work wait for its command: for its enabled condition and for a slot.
extension BatchRun {
  /// Returns true if work in a queue may start now; otherwise arranges for the queue to be woken.
  func isOpen(_ queue: CommandQueue) -> Bool {
    guard let command = queue.command else { return true }
    if let work = queue.first, work.entry != nil, !areNeedsMet(work, queue, command) {
      return false
    }
    // Once for each attempt, but not again because of the answer.
    if !queue.isAsked { command.ask() }
    if command.isConditionPending {
      block(queue, .condition)
      return false
    }
    queue.isAsked = false
    switch command.obstacle {
    case .notEnabled(_, .condition):
      block(queue, .condition)
      return false
    case .some:
      block(queue, .busy)
      return false
    case nil: break
    }
    queue.disabledSince = nil
    if queue.running >= command.concurrencyLimit.count, waits(queue, for: command.whenBusy) {
      block(queue, .busy)
      return false
    }
    return true
  }

  /// True if the first work of a queue must wait for a slot although the command would accept it.
  private func waits(_ queue: CommandQueue, for policy: BusyPolicy) -> Bool {
    switch policy {
    // The command's own queue would occupy a job meanwhile.
    case .queue: true
    // Joining an execution with different input would not execute this entry.
    case .join:
      !running.values.contains {
        $0.queue === queue && $0.entry?.entry.input == queue.first?.entry?.entry.input
      }
    case .reject, .restart: false
    }
  }

  /// Blocks a queue until its command may be ready.
  func block(_ queue: CommandQueue, _ obstacle: CommandQueue.Obstacle) {
    guard let command = queue.command else { return }
    queue.obstacle = obstacle
    if case .condition = obstacle { startPatience(queue, command) }
    // The end of the queue's own execution wakes a busy queue.
    if case .busy = obstacle, queue.running > 0 { return }
    let isFirst = Once<Bool>()
    let alarm = queue.alarm
    if command.isConditionPending {
      return command.whenConditionKnown(in: alarm.makeChild()) { [self] in
        guard !alarm.isDisposed else { return }
        queue.isAsked = true
        reconsider(queue)
      }
    }
    command.immediateEnabled.observe(
      Observer(
        next: { [self] isEnabled in
          guard isEnabled, isFirst.value == nil else { return }
          isFirst.value = true
          session.host.scheduler.enqueue { [self] in
            guard !alarm.isDisposed else { return }
            wake(queue)
            advance()
          }
        }, end: { _ in }), in: alarm.makeChild())
  }

  /// Makes the scheduler examine a queue again.
  func wake(_ queue: CommandQueue) {
    queue.obstacle = nil
    queue.clearAlarm()
  }

  /// Calls conditions that are functions again: after an execution ends, their results may differ.
  func askPredicates() {
    for queue in disabledQueues where queue.command?.hasPredicate == true { wake(queue) }
  }

  // MARK: Timeouts of conditions

  /// Limits the wait for a command, not for each of its entries: once the limit has passed, later
  /// entries fail at once while the command stays disabled.
  private func startPatience(_ queue: CommandQueue, _ command: ScriptCommand) {
    let since = queue.disabledSince ?? EventLoop.now
    if queue.disabledSince == nil {
      queue.disabledSince = since
      session.report.note("\(command.name) is not enabled; its entries wait")
    }
    let rest = since + options.enabledTimeout - EventLoop.now
    let timer = session.loop.timer(after: max(.zero, rest)) { [self] in
      guard command.obstacle != nil || command.isConditionPending else {
        return reconsider(queue)
      }
      giveUp(queue, after: options.enabledTimeout)
    }
    queue.alarm.add { timer.cancel() }
    if command.hasPredicate, !command.isConditionPending {
      // A function sends no changes and must be called again. This counts as a reason to wait,
      // because its result may depend on anything.
      let question = session.loop.timer(after: .seconds(1)) { [self] in reconsider(queue) }
      queue.alarm.add { question.cancel() }
    } else {
      // If nothing else is left that could change the condition, there is no reason to wait.
      timer.unref()
    }
  }

  func reconsider(_ queue: CommandQueue) {
    wake(queue)
    advance()
  }

  private func giveUp(_ queue: CommandQueue, after limit: Duration?) {
    guard let command = queue.command else { return }
    let why = command.disabledReason ?? "its condition is false"
    let what = limit.map { "waited for \($0.shortText)" } ?? "nothing is left that could change it"
    var failure = Failure(
      .notEnabled, "the command '\(command.name)' is not enabled: \(why); \(what)")
    failure.command = command.name
    wake(queue)
    failWaiting(in: queue, failure)
    advance()
  }

  /// Ends work that waits for commands that nothing can enable.
  func giveUpDisabled() {
    for queue in disabledQueues { giveUp(queue, after: nil) }
  }
}
