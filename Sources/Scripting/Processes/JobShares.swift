import EventLoop
import Platform
import Reactive

/// The shares that executions have in the budget of a job server. Confined to the loop's thread.
///
/// An execution has one share while processes of its own run, however many. What an execution with a
/// share starts borrows that share, one execution at a time, while it has processes itself: the outer
/// one may wait for it, and it must not wait for the outer one's share.
final class JobShares {
  /// The budget; nil if processes start without one.
  private let server: JobServer?
  private var shares: [Int: JobShare] = [:]

  init(_ server: JobServer?) { self.server = server }

  /// Calls `start` when the share of an execution is there, at once or later, with a function that
  /// the caller calls when the process has ended, with how; nil if it could not start. Does not call
  /// it if the subscription is disposed before.
  func take(
    for execution: ScriptExecution?, in subscription: CompoundDisposable,
    _ start: @escaping (_ end: @escaping (ProcessEnd?) -> Void) -> Void
  ) {
    // Processes of conditions and other questions belong to no execution: what waits for their answers
    // may have the share that they would wait for.
    guard let server, let execution, execution.scriptCommand.takesJob else {
      return start { _ in }
    }
    let share = shares[execution.id] ?? JobShare(execution)
    shares[execution.id] = share
    let begin = { [self] in
      share.users += 1
      start { end in
        if end?.mayBeUnfinished == true { server.mayHaveLostTokens() }
        self.leave(share)
      }
    }
    if share.isThere { return begin() }
    share.waiting.append((subscription, begin))
    subscription.add(onLoop { [weak self] in self?.giveUp(share) })
    guard share.job == nil else { return }
    if let lender = share.outer.lazy.compactMap({ self.shares[$0] }).first(where: \.mayLend) {
      return lend(lender, to: share)
    }
    share.pause = execution.pauseTimeLimit()
    var isMade = false
    share.job = server.begin { [unowned self] in if isMade { arrive(share) } }
    isMade = true
    if share.isThere { arrive(share) }
  }

  private func lend(_ lender: JobShare, to share: JobShare) {
    lender.users += 1
    lender.isLent = true
    share.lender = lender
    if let job = share.job {
      share.job = nil
      server?.end(job)
    }
    arrive(share)
  }

  /// Starts what waits for a share.
  private func arrive(_ share: JobShare) {
    let waiting = share.waiting
    share.waiting = []
    share.pause = nil
    // It must not end between two of them.
    share.users += 1
    for (subscription, start) in waiting where !subscription.isDisposed { start() }
    offer(share)
    leave(share)
  }

  /// Lends a share to the first execution inside that waits for one.
  private func offer(_ share: JobShare) {
    guard share.mayLend else { return }
    let needy = shares.values.filter { !$0.isThere && $0.outer.contains(share.id) }
    if let first = needy.min(by: { $0.id < $1.id }) { lend(share, to: first) }
  }

  /// Waits no longer for what has been disposed.
  private func giveUp(_ share: JobShare) {
    share.waiting.removeAll { $0.subscription.isDisposed }
    if share.users == 0, share.waiting.isEmpty { end(share) }
  }

  private func leave(_ share: JobShare) {
    share.users -= 1
    if share.users == 0, share.waiting.isEmpty { end(share) }
  }

  private func end(_ share: JobShare) {
    guard shares[share.id] === share else { return }
    shares[share.id] = nil
    share.pause = nil
    if let lender = share.lender {
      share.lender = nil
      lender.isLent = false
      offer(lender)
      leave(lender)
    }
    if let job = share.job {
      share.job = nil
      server?.end(job)
    }
  }
}

/// The share of one execution.
private final class JobShare {
  let id: Int
  /// The executions around it, the nearest first.
  let outer: [Int]
  var job: JobServer.Job?
  /// The share that this one is borrowed from.
  var lender: JobShare?
  var isLent = false
  /// The processes that use it, and the loan.
  var users = 0
  /// Stops the time limit of the execution while it waits.
  var pause: TimeLimitPause?
  /// What starts once it is there.
  var waiting: [(subscription: CompoundDisposable, start: () -> Void)] = []

  init(_ execution: ScriptExecution) {
    id = execution.id
    outer = sequence(first: execution, next: \.outer).dropFirst().map(\.id)
  }

  var isThere: Bool { lender != nil || job?.isWaiting == false }
  var mayLend: Bool { isThere && !isLent }
}
