import Commands
import Platform
import Reactive

/// How steps end that are not executed to their end: behind one that has failed, or cancelled.
extension PlanRun {
  /// Ends all steps behind a step that has failed, directly or indirectly. A run that keeps going
  /// executes the next call of a sequence nevertheless.
  func skip(behind index: Int, _ end: End) {
    var due = [index][...]
    var next: [Int] = []
    var lost: [Int] = []
    while let failed = due.popFirst() {
      if keepsGoing { next += graph.followers[failed] }
      for step in graph.users[failed] + graph.dependents[failed]
        + (keepsGoing ? [] : graph.followers[failed])
      {
        guard case .waiting = states[step] else { continue }
        close(step)
        onEnd?(step, end)
        if !keepsGoing { lost += loseInterest(of: step) }
        due.append(step)
      }
    }
    cancelInTurn(lost)
    satisfy(next)
  }

  func loseInterest(of index: Int) -> [Int] { graph.loseInterest(of: index, in: plan) }

  /// Cancels steps, and the steps that only they need: those that run at last, as a place that they
  /// leave would be taken by one that is about to be cancelled.
  func cancel(_ steps: some Sequence<Int>) {
    for request in withdraw(steps) { scheduler?.cancel(request) }
  }

  /// Cancels steps after a failure: those that run a turn later, as some of them may have failed
  /// with it, which is then not reported as cancelled. One whose processes have ended by themselves
  /// gets another turn to fail.
  private func cancelInTurn(_ steps: [Int]) {
    let running = withdraw(steps)
    guard !running.isEmpty, let scheduler else { return }
    let queue = scheduler.host.scheduler
    queue.enqueue(
      onLoop {
        for request in running {
          guard let script = request.execution?.script, script.settleProcesses() else {
            scheduler.cancel(request)
            continue
          }
          queue.enqueue(onLoop { scheduler.cancel(request) })
        }
      })
  }

  /// Ends steps that do not run, and the steps that only they need.
  ///
  /// - Returns: those that run.
  private func withdraw(_ steps: some Sequence<Int>) -> [ExecutionRequest] {
    var due = Array(steps)[...]
    var running: [ExecutionRequest] = []
    while let index = due.popFirst() {
      switch states[index] {
      case .requested(let request) where request.isRunning:
        cancelled.insert(index)
        running.append(request)
      case .requested(let request) where request.isJoined:
        scheduler?.cancel(request)
        ended(index, .cancelled)
      case .requested(let request):
        scheduler?.cancel(request)
        requested[request.order] = nil
        end(beforeStart: index, &due)
      case .waiting: end(beforeStart: index, &due)
      case .using:
        services.endUse(of: index)
        end(beforeStart: index, &due)
      case .ended: break
      }
    }
    return running
  }

  private func end(beforeStart index: Int, _ due: inout ArraySlice<Int>) {
    close(index)
    onEnd?(index, .unbegun)
    due += loseInterest(of: index)
  }
}
