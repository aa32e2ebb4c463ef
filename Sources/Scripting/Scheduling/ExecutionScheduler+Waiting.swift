import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Makes requests wait for their command, its enabled condition and a slot, and for the services that
/// they use.
extension ExecutionScheduler {
  /// Returns true if the first request of a queue may start now; otherwise the queue has an
  /// obstacle, and is woken when that may have gone.
  func isOpen(_ queue: RequestQueue) -> Bool {
    guard let command = queue.command, let request = queue.first else { return true }
    if request.isNeed, request.call.flatMap(known) != nil { return true }
    guard request.requester.isReady(request), hasServices(request, queue, command) else {
      return false
    }
    if request.takesTurns, options.streaming == nil, awaitsTurn(request, queue, command) {
      return false
    }
    if options.streaming == nil, awaitsOther(request, queue, command) { return false }
    // Once for each attempt, but not again because of the answer.
    if queue.answers == 0 { command.ask() }
    if command.isConditionPending {
      wait(for: command, queue, .condition)
      return false
    }
    if options.streaming != nil, !isOpenForStream(queue, request, command) { return false }
    return hasResources(request, queue, command) && hasPlace(request, queue, command)
  }

  /// Returns true if the services are ready that a request uses. Otherwise it waits for them, without a
  /// job, while others of its queue pass it, or it fails with one that is lost.
  private func hasServices(
    _ request: ExecutionRequest, _ queue: RequestQueue, _ command: ScriptCommand
  ) -> Bool {
    let services = request.requester.services(of: request)
    if services.areReady { return true }
    if let failure = services.failure {
      fail(request, failure)
    } else {
      let isFirst = queue.aside.isEmpty
      queues.setAside(request)
      services.whenSettled(for: command, in: request.alarm, isReported: isFirst) { [self] in
        queues.restore(request)
        advance()
        queue.place = nil
      }
    }
    return false
  }

  /// Returns true if the queue of a request has a place in the limit of its command over the machine, or
  /// the execution asks for it. Otherwise the queue waits, without a job.
  private func hasPlace(
    _ request: ExecutionRequest, _ queue: RequestQueue, _ command: ScriptCommand
  ) -> Bool {
    guard let limit = command.machineLimit, queue.place == nil, limit.counts(command) else {
      return true
    }
    if case .reject = command.whenBusy, !waitsForPlace(request) { return true }
    return awaitShared(queue) { taken in
      let waits = limit.take(
        for: command, onWait: queue.hasReportedWait ? nil : { queue.hasReportedWait = true },
        mayClaim: { [self] in queue.first.map(isFree) ?? false }, in: queue.alarm
      ) { result in
        // A failure is that of the execution, which asks again.
        taken((try? result.get()).map { place in { queue.place = place } })
      }
      // Others may use meanwhile what is free here.
      if waits { giveBack(queue) }
      return waits
    }
  }

  /// True if a request waits for a place although its command would refuse it.
  func waitsForPlace(_ request: ExecutionRequest) -> Bool {
    options.streaming != nil || request.takesTurns
  }

  /// Blocks a queue until what others share is free.
  ///
  /// - Parameter take: asks for it, and calls its argument with what gives it to the queue; its result is
  ///   true if that comes later.
  /// - Returns: true if that has come.
  private func awaitShared(
    _ queue: RequestQueue,
    _ take: (_ taken: @escaping ((() -> Void)?) -> Void) -> Bool
  ) -> Bool {
    var isBlocked = false
    queues.block(queue, .shared)
    let waits = take { [self] give in
      // All requests of the queue want the same; without one, it is given back.
      if let give, queue.first != nil { give() }
      guard isBlocked else { return }
      // A place is kept only within a turn.
      if queue.place == nil { return wakeSoon(queue) }
      host.scheduler.enqueue(onLoop { [self] in reconsider(queue) })
    }
    isBlocked = waits
    if !waits { wake(queue) }
    return !waits
  }

  /// Returns true if what a request's execution uses is promised to its queue, or can never be. Otherwise
  /// the queue waits, without a job.
  private func hasResources(
    _ request: ExecutionRequest, _ queue: RequestQueue, _ command: ScriptCommand
  ) -> Bool {
    guard !command.resources.isEmpty, queue.grant == nil, !decidesAtOnce(command),
      command.resourceFailure(within: outer) == nil
    else { return true }
    return awaitShared(queue) { taken in
      command.takeResources(
        within: outer, rank: outer == nil ? .request : .innerRequest, in: queue.alarm
      ) { grant in
        taken { [self] in
          queue.grant = grant
          idle.add(queue) { [weak queue] in queue?.grant = nil }
        }
      }
    }
  }

  /// True if the policy of a busy command decides about another execution, and not what that would use: an
  /// execution that waited for what the running one has would be neither refused nor joined to it, and
  /// would not replace it.
  private func decidesAtOnce(_ command: ScriptCommand) -> Bool {
    switch command.whenBusy {
    case .queue: false
    case .reject, .restart, .join: command.runningCount >= command.concurrencyLimit.count
    }
  }

  private func isOpenForStream(
    _ queue: RequestQueue, _ request: ExecutionRequest, _ command: ScriptCommand
  ) -> Bool {
    switch command.obstacle {
    case .notEnabled(_, .condition):
      wait(for: command, queue, .condition)
      return false
    case .some:
      wait(for: command, queue, .busy)
      return false
    case nil: break
    }
    queue.disabledSince = nil
    if queue.running >= command.concurrencyLimit.count, awaitsSlot(request, queue, command) {
      wait(for: command, queue, .busy)
      return false
    }
    return true
  }

  /// True if a request must wait for a slot although its command would accept it.
  private func awaitsSlot(
    _ request: ExecutionRequest, _ queue: RequestQueue, _ command: ScriptCommand
  ) -> Bool {
    switch command.whenBusy {
    // The command's own queue would occupy a job meanwhile.
    case .queue: true
    // Joining an execution with another input would not execute this request.
    case .join: !request.requester.joins(request)
    case .reject, .restart: false
    }
  }

  /// Makes a request wait while the same command is executed for others: for those of this
  /// scheduler, and if nobody has asked for it, for all others.
  private func awaitsTurn(
    _ request: ExecutionRequest, _ queue: RequestQueue, _ command: ScriptCommand
  ) -> Bool {
    let limit = command.concurrencyLimit.count
    if queue.running >= limit {
      queues.block(queue, .busy)
      return true
    }
    guard request.isNeed else { return false }
    let active = command.activeExecutions
    let earlier = command.earlierCount
    // Nothing would end the wait for the own work's end.
    guard active.count + earlier - queue.running >= limit,
      !active.contains(where: { outer?.isWithin($0) == true })
    else { return false }
    if earlier > 0 {
      // Commands of other policies let executions wait themselves.
      guard case .reject = command.whenBusy else { return false }
      wait(for: command, queue, .busy)
      return true
    }
    awaitIdle(command, queue)
    return true
  }

  /// Makes a request wait that its command would join to an execution with another input, which would
  /// not execute it.
  private func awaitsOther(
    _ request: ExecutionRequest, _ queue: RequestQueue, _ command: ScriptCommand
  ) -> Bool {
    let active = command.activeExecutions
    guard case .join = command.whenBusy, active.count >= command.concurrencyLimit.count,
      // What the command joins.
      let last = command.queuedExecutions.last ?? active.last,
      !active.contains(where: { outer?.isWithin($0) == true }),
      let input = try? request.requester.input(of: request),
      CallKey(command, last.input) != CallKey(command, input)
    else { return false }
    awaitIdle(command, queue)
    return true
  }

  /// Blocks a queue until its own execution has ended, or all of the command have.
  private func awaitIdle(_ command: ScriptCommand, _ queue: RequestQueue) {
    queues.block(queue, .busy)
    // The end of the queue's own execution wakes it.
    if queue.running > 0 { return }
    // What has just been admitted is not told of yet.
    command.executing.skipWhile { !$0 }.filter { !$0 }.take(1).observe(
      Observer(next: { _ in }, end: onLoop { [weak self] _ in self?.reconsider(queue) }),
      in: queue.alarm.makeChild())
  }

  /// Blocks a queue until its command may be ready.
  func wait(
    for command: ScriptCommand, _ queue: RequestQueue, _ obstacle: RequestQueue.Obstacle
  ) {
    queues.block(queue, obstacle)
    if case .condition = obstacle { limitWait(queue, command) }
    // The end of the queue's own execution wakes a busy queue.
    if case .busy = obstacle, queue.running > 0 { return }
    let alarm = queue.alarm
    if command.isConditionPending {
      return command.whenConditionKnown(in: alarm.makeChild()) { [self] in
        guard !alarm.isDisposed else { return }
        // The requests of a plan have all waited for it.
        queue.answers = options.streaming == nil ? queue.count : 1
        reconsider(queue)
      }
    }
    command.immediateEnabled.filter { $0 }.take(1).observe(
      Observer(
        next: onLoop { [self] _ in
          host.scheduler.enqueue(
            onLoop { [self] in
              if !alarm.isDisposed { reconsider(queue) }
            })
        }, end: { _ in }), in: alarm.makeChild())
  }

  /// Keeps the requests of a queue from starting until `wake`.
  package func hold(_ queue: RequestQueue) { queues.block(queue, .held) }

  /// Lets the requests of a queue be looked at again by `advance`.
  package func wake(_ queue: RequestQueue) { queues.unblock(queue) }

  private func reconsider(_ queue: RequestQueue) {
    wake(queue)
    advance()
    queue.place = nil
  }

  // MARK: Time limits

  /// The commands that requests wait for because they are not enabled.
  package var disabledCommands: [ScriptCommand] { queues.disabled.compactMap(\.command) }

  /// Limits the wait for a command, not for each of its requests: once the limit has passed, later
  /// requests fail at once while the command stays disabled.
  private func limitWait(_ queue: RequestQueue, _ command: ScriptCommand) {
    guard let streaming = options.streaming else { return }
    let since = queue.disabledSince ?? EventLoop.now
    if queue.disabledSince == nil {
      queue.disabledSince = since
      streaming.onWait(command)
    }
    let rest = since + streaming.enabledTimeout - EventLoop.now
    let timer = host.loop.timer(after: max(.zero, rest)) { [self] in
      guard command.obstacle != nil || command.isConditionPending else {
        return reconsider(queue)
      }
      giveUp(queue, after: streaming.enabledTimeout)
    }
    queue.alarm.add(onLoop { timer.cancel() })
    if command.hasPredicate, !command.isConditionPending {
      // A function sends no changes and must be called again. This counts as a reason to wait,
      // because its result may depend on anything.
      let question = host.loop.timer(after: .seconds(1)) { [self] in reconsider(queue) }
      queue.alarm.add(onLoop { question.cancel() })
    } else {
      // If nothing else is left that could change the condition, there is no reason to wait.
      timer.unref()
    }
  }

  private func giveUp(_ queue: RequestQueue, after limit: Duration?) {
    guard let command = queue.command else { return }
    let why = command.disabledReason ?? "its condition is false"
    let what = limit.map { "waited for \($0.shortText)" } ?? "nothing remains that could change it"
    var failure = Failure(
      .notEnabled, "the command '\(command.name)' is not enabled: \(why); \(what)")
    failure.command = command.name
    wake(queue)
    failWaiting(in: queue, failure)
    advance()
  }

  /// Fails all requests that wait in a queue.
  package func failWaiting(in queue: RequestQueue, _ failure: Failure) {
    let waiting = queues.removeAll(of: queue)
    for request in waiting { (request.state, request.isRefused) = (.ended, true) }
    for request in waiting { conclude(request, failure) }
  }

  /// Fails requests that wait for commands that nothing can enable or free any more.
  package func failStuck() {
    for queue in queues.disabled { giveUp(queue, after: nil) }
    // All other waiting requests wait for a command whose holder cannot end.
    for queue in queues.occupied {
      failWaiting(in: queue, Failure(.user, "waits for a command that is busy and cannot end"))
    }
    advance()
  }
}
