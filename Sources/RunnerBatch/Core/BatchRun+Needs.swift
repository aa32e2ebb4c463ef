import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// Makes entries wait for their precondition and then for what their command needs, each call of
/// which is executed once in the batch.
extension BatchRun {
  /// Returns true when all that an entry needs has completed; otherwise arranges for its queue to
  /// be woken.
  func areNeedsMet(_ work: Work, _ queue: CommandQueue, _ command: ScriptCommand) -> Bool {
    guard let needs = queue.needs else { return true }
    switch needs.state {
    case .met: return true
    case .underWay:
      queue.obstacle = .busy
      return false
    case .failed(let failure):
      // Runs outside the loop over all queues, which this would change.
      queue.obstacle = .busy
      let isOwn = needs === work.ownNeeds
      session.host.scheduler.enqueue { [self] in
        wake(queue)
        if isOwn { failFirst(of: queue, failure) } else { failWaiting(in: queue, failure) }
        advance()
      }
      return false
    case .unknown:
      if !command.hasNeeds, !command.hasPrecondition {
        needs.state = .met
        return true
      }
      needs.state = .underWay
      queue.obstacle = .busy
      session.host.scheduler.enqueue { [self] in
        prepare(work, command) { [self] failure in
          needs.state = failure.map { .failed($0) } ?? .met
          reconsider(queue)
        }
      }
      return false
    }
  }

  /// Asks the precondition of an entry, executes what it needs, and calls `onEnd`, with the failure
  /// if there is one.
  private func prepare(
    _ work: Work, _ command: ScriptCommand, _ onEnd: @escaping @Sendable (Failure?) -> Void
  ) {
    // An input that is wrong is told when the entry is executed.
    guard let input = try? commands.input(of: work.entry?.entry, for: command) else {
      return onEnd(nil)
    }
    command.askPrecondition(in: CompoundDisposable()) { [self] failure in
      if let failure { return onEnd(failure) }
      do throws(Failure) {
        require(try Plan(needsOf: Plan.Call(command, input)), onEnd)
        advance()
      } catch {
        onEnd(error)
      }
    }
  }

  /// Executes the steps of a plan that the batch has not executed, each after what it needs itself.
  private func require(_ plan: Plan, _ onEnd: @escaping (Failure?) -> Void) {
    var fresh: [Int] = []
    let all = plan.steps.enumerated().map { index, step in
      if let known = needs[step.call.key] { return known }
      let need = BatchNeed()
      needs[step.call.key] = need
      fresh.append(index)
      return need
    }
    for index in fresh {
      let step = plan.steps[index]
      BatchNeed.wait(for: step.needs.map { all[$0] }) { [self] failure in
        if let failure { return all[index].end(failure) }
        addNeed(step.call) { failure in
          all[index].end(failure.map { $0.neededAs(step.command.name) })
        }
      }
    }
    BatchNeed.wait(for: all, onEnd)
  }

  /// Fails the first work that waits in a queue.
  private func failFirst(of queue: CommandQueue, _ failure: Failure) {
    guard let work = queue.first, case .entry(let planned, let execution) = work.origin else {
      return
    }
    _ = queues.popFirst(of: queue)
    fail(planned, failure, execution: execution)
  }
}

/// A call that entries depend on, executed once in a batch.
final class BatchNeed: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

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

  /// Calls `onEnd` once: when all have completed, or when the first has failed.
  static func wait(for needs: [BatchNeed], _ onEnd: @escaping (Failure?) -> Void) {
    if needs.isEmpty { return onEnd(nil) }
    let left = Once<Int>()
    left.value = needs.count
    for need in needs {
      need.wait { failure in
        guard let count = left.value, count > 0 else { return }
        left.value = failure == nil ? count - 1 : 0
        if failure != nil || count == 1 { onEnd(failure) }
      }
    }
  }
}
