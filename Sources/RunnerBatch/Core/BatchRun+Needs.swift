import Commands
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// Makes entries wait for their precondition and then for what their command needs, each call of
/// which is executed once in the batch.
extension BatchRun {
  func isNeeded(_ command: ScriptCommand) -> Bool {
    neededCommands.contains(ObjectIdentifier(command))
  }

  /// The state of what an entry needs; nil if it needs nothing.
  func needs(of command: ScriptCommand) -> NeedsState? {
    guard command.hasNeeds || command.hasPrecondition else { return nil }
    if command.asksForNeeds || command.hasPrecondition { return NeedsState(isOwn: true) }
    if let known = sharedNeeds[ObjectIdentifier(command)] { return known }
    let state = NeedsState(isOwn: false)
    sharedNeeds[ObjectIdentifier(command)] = state
    return state
  }

  /// Returns true when all that an entry needs has completed; otherwise holds its queue until then.
  func areNeedsMet(_ entry: BatchEntry, _ request: ExecutionRequest) -> Bool {
    guard let needs = entry.needs, let command = request.queue.command else { return true }
    let queue = request.queue
    switch needs.state {
    case .met: return true
    case .underWay: scheduler.hold(queue)
    case .failed(let failure):
      scheduler.hold(queue)
      later { [self] in
        scheduler.wake(queue)
        if needs.isOwn {
          scheduler.fail(request, failure)
        } else {
          scheduler.failWaiting(in: queue, failure)
        }
        advance()
      }
    case .unknown:
      needs.state = .underWay
      scheduler.hold(queue)
      later { [self] in
        guard isWanted(needs, request) else { return wake(queue) }
        let lost = { [self] (failure: Failure) in
          needs.state = .failed(failure)
          for running in scheduler.runningRequests
          where needs.isOwn ? running === request : running.queue === queue {
            running.execution?.fail(failure)
          }
        }
        prepare(request, entry, needs, command, onLost: lost) { [self] failure in
          needs.state = failure.map { .failed($0) } ?? .met
          if !isWanted(needs, request) { drop(needs) }
          wake(queue)
        }
      }
    }
    return false
  }

  /// False if what is needed has nobody left who waits for it.
  private func isWanted(_ needs: NeedsState, _ request: ExecutionRequest) -> Bool {
    !isStopping && (request.isWaiting || !needs.isOwn)
  }

  private func wake(_ queue: RequestQueue) {
    scheduler.wake(queue)
    advance()
  }

  /// Takes back an entry that waits.
  func withdraw(_ request: ExecutionRequest) {
    scheduler.withdraw(request)
    if let needs = (request.requester as? BatchEntry)?.needs, needs.isOwn { drop(needs) }
    advance()
  }

  /// Ends the use of what an entry alone has needed, once nothing of the entry is left. Services that
  /// all entries of a command need are in use until the batch ends, and so until the same time.
  func releaseNeeds(of entry: BatchEntry, after execution: Execution<LuaValue, LuaValue>?) {
    guard let needs = entry.needs, needs.run != nil else { return }
    guard let execution else { return needs.isOwn ? drop(needs) : () }
    endingEntries += 1
    execution.whenTornDown(
      onLoop { [self] in
        endingEntries -= 1
        if needs.isOwn { drop(needs) }
        if endingEntries == 0 { later { [self] in advance() } }
      })
  }

  /// Ends the use of services that nobody needs any more, unless what needs them runs: its end does.
  private func drop(_ needs: NeedsState) {
    guard needs.run?.isOver == true else { return }
    heldNeeds[ObjectIdentifier(needs)] = nil
    needs.release()
  }

  /// Calls `body` outside the scheduler's search for what may start, which it would change.
  private func later(_ body: @escaping () -> Void) {
    session.host.scheduler.enqueue(onLoop(body))
  }

  /// Asks the precondition of an entry, executes what it needs, and calls `onEnd`, with the failure
  /// if there is one.
  ///
  /// - Parameter onLost: called with the failure when a service that it needs has ended for good.
  private func prepare(
    _ request: ExecutionRequest, _ entry: BatchEntry, _ needs: NeedsState,
    _ command: ScriptCommand, onLost: @escaping (Failure) -> Void,
    _ onEnd: @escaping (Failure?) -> Void
  ) {
    // An input that is wrong is told when the entry is executed.
    guard let input = try? commands.input(of: entry.planned.entry, for: command) else {
      return onEnd(nil)
    }
    command.askPrecondition(in: CompoundDisposable()) { [self] failure in
      if let failure { return onEnd(failure) }
      // The answer may come when nothing may be started for it any more.
      guard isWanted(needs, request) else { return wake(request.queue) }
      do throws(Failure) {
        let plan = try Plan(needsOf: Plan.Call(command, input))
        let run = PlanRun(plan, on: scheduler, keepsGoing: true)
        run.onStart = { [stream] step, execution in
          _ = stream.follow(execution, of: plan.steps[step].command)
        }
        run.onEnd = { [stream] step, end in
          guard case .refused(let failure) = end else { return }
          stream.skip(plan.steps[step].command, plan.steps[step].input, failure)
        }
        run.onLost = onLost
        // What has ended is needed no longer, but for services.
        if plan.steps.contains(where: \.command.isService) {
          needs.run = run
          heldNeeds[ObjectIdentifier(needs)] = needs
        }
        run.start(then: onEnd)
      } catch {
        onEnd(error)
      }
    }
  }
}
