import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

/// How work waits for its command: for its enabled condition, for a slot, and for what it needs.
extension BatchRun {
  /// Whether something in a lane may start now; if not, sees to it that the lane is woken.
  func isOpen(_ lane: Lane) -> Bool {
    guard let command = lane.command else { return true }
    if case .entry = lane.first?.origin, !areNeedsMet(lane, command) { return false }
    // For each attempt, but not again because of its answer.
    if !lane.isAsked { command.ask() }
    if command.isConditionPending {
      block(lane, .condition)
      return false
    }
    lane.isAsked = false
    switch command.obstacle {
    case .notEnabled(_, .condition):
      block(lane, .condition)
      return false
    case .some:
      block(lane, .busy)
      return false
    case nil: break
    }
    lane.disabledSince = nil
    if lane.running >= command.concurrencyLimit.count, waits(lane, for: command.whenBusy) {
      block(lane, .busy)
      return false
    }
    return true
  }

  /// Whether the first work of a lane is to wait for a slot, though the command would take it.
  private func waits(_ lane: Lane, for policy: BusyPolicy) -> Bool {
    switch policy {
    // A queue of the command's own would hold a job meanwhile.
    case .queue: true
    // An entry is not done because another one is that has another input.
    case .join:
      !running.values.contains {
        $0.lane === lane && $0.entry?.entry.input == lane.first?.entry?.entry.input
      }
    case .reject, .restart: false
    }
  }

  /// Stops a lane until its command may be ready.
  func block(_ lane: Lane, _ obstacle: Lane.Obstacle) {
    guard let command = lane.command else { return }
    lane.obstacle = obstacle
    if case .condition = obstacle { startPatience(lane, command) }
    // The end of an own execution wakes a busy lane.
    if case .busy = obstacle, lane.running > 0 { return }
    let isFirst = Once<Bool>()
    let alarm = lane.alarm
    if command.isConditionPending {
      return command.whenConditionKnown(in: alarm.makeChild()) { [self] in
        guard !alarm.isDisposed else { return }
        lane.isAsked = true
        reconsider(lane)
      }
    }
    command.immediateEnabled.observe(
      Observer(
        next: { [self] isEnabled in
          guard isEnabled, isFirst.value == nil else { return }
          isFirst.value = true
          session.host.scheduler.enqueue { [self] in
            guard !alarm.isDisposed else { return }
            wake(lane)
            advance()
          }
        }, end: { _ in }), in: alarm.makeChild())
  }

  /// Lets a lane be looked at again.
  func wake(_ lane: Lane) {
    lane.obstacle = nil
    lane.clearAlarm()
  }

  /// Something has ended, after which a function that is a condition may say something else.
  func askPredicates() {
    for lane in disabledLanes where lane.command?.hasPredicate == true { wake(lane) }
  }

  // MARK: Patience

  /// A command is waited for, not each of its entries: once that took too long, those that follow
  /// fail at once while it stays disabled.
  private func startPatience(_ lane: Lane, _ command: ScriptCommand) {
    let since = lane.disabledSince ?? EventLoop.now
    if lane.disabledSince == nil {
      lane.disabledSince = since
      session.report.note("\(command.name) is not enabled; its entries wait")
    }
    let rest = since + options.enabledTimeout - EventLoop.now
    let timer = session.loop.timer(after: max(.zero, rest)) { [self] in
      guard command.obstacle != nil || command.isConditionPending else {
        return reconsider(lane)
      }
      giveUp(lane, after: options.enabledTimeout)
    }
    lane.alarm.add { timer.cancel() }
    if command.hasPredicate, !command.isConditionPending {
      // A function can only be asked. This counts as a reason to wait, as the answer may depend on
      // anything in the world.
      let question = session.loop.timer(after: .seconds(1)) { [self] in reconsider(lane) }
      lane.alarm.add { question.cancel() }
    } else {
      // If nothing else is left that could change the condition, waiting is in vain.
      timer.unkeep()
    }
  }

  private func reconsider(_ lane: Lane) {
    wake(lane)
    advance()
  }

  private func giveUp(_ lane: Lane, after limit: Duration?) {
    guard let command = lane.command else { return }
    let why = command.disabledReason ?? "its condition is false"
    let what = limit.map { "waited for \($0.shortText)" } ?? "nothing is left that could change it"
    var failure = Failure(
      .notEnabled, "the command '\(command.name)' is not enabled: \(why); \(what)")
    failure.command = command.name
    wake(lane)
    failWaiting(in: lane, failure)
    advance()
  }

  /// Ends what waits for commands that nothing can enable.
  func giveUpDisabled() {
    for lane in disabledLanes { giveUp(lane, after: nil) }
  }

  // MARK: Needs

  /// Whether all has completed that a command needs, each command once in the batch.
  private func areNeedsMet(_ lane: Lane, _ command: ScriptCommand) -> Bool {
    switch lane.needs {
    case .met: return true
    case .underWay: return false
    case .failed(let failure):
      // Outside the look at all lanes, which this changes.
      lane.obstacle = .busy
      session.host.scheduler.enqueue { [self] in
        wake(lane)
        failWaiting(in: lane, failure)
        advance()
      }
      return false
    case .unknown:
      if command.needs.isEmpty {
        lane.needs = .met
        return true
      }
      lane.needs = .underWay
      lane.obstacle = .busy
      session.host.scheduler.enqueue { [self] in
        do throws(Failure) {
          _ = try Plan([Plan.Call(command, .nil, isPlain: true)])
          require(command.needs) { [self] failure in
            lane.needs = failure.map { .failed($0) } ?? .met
            reconsider(lane)
          }
        } catch {
          lane.needs = .failed(error)
          reconsider(lane)
        }
        advance()
      }
      return false
    }
  }

  private func require(_ names: [String], _ onEnd: @escaping (Failure?) -> Void) {
    let left = Once<Int>()
    left.value = names.count
    for name in names {
      require(name) { failure in
        guard let count = left.value, count > 0 else { return }
        left.value = failure == nil ? count - 1 : 0
        if failure != nil || count == 1 { onEnd(failure) }
      }
    }
    if names.isEmpty { onEnd(nil) }
  }

  private func require(_ name: String, _ onEnd: @escaping (Failure?) -> Void) {
    guard let command = session.host.command(named: name) else { return onEnd(nil) }
    let need = needs[command.name] ?? BatchNeed()
    if needs[command.name] != nil { return need.wait(onEnd) }
    needs[command.name] = need
    need.wait(onEnd)
    require(command.needs) { [self] failure in
      if let failure { return need.end(failure) }
      addNeed(command) { failure in
        need.end(failure.map { $0.neededAs(command.name) })
      }
    }
  }
}

/// A command that others need, executed once in a batch.
final class BatchNeed: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  private var end: Failure??
  private var waiting: [(Failure?) -> Void] = []

  func wait(_ onEnd: @escaping (Failure?) -> Void) {
    if let end { onEnd(end) } else { waiting.append(onEnd) }
  }

  func end(_ failure: Failure?) {
    end = .some(failure)
    let waiting = waiting
    self.waiting = []
    for onEnd in waiting { onEnd(failure) }
  }
}
