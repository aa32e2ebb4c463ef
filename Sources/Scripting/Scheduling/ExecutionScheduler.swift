import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Decides when requests are executed: each waits for its source, for the services that it uses, for
/// its command's enabled condition and slot, and for a job, and what several need is executed once.
///
/// ```
/// ExecutionRequester ──▶ queue of the command ──▶ job ──▶ ScriptCommand ──▶ ExecutionRequester
/// (plan, batch)           condition, slot, turns           execution          end
/// ```
///
/// A plan is a finite source: a request for a command that is not enabled fails, and a busy command
/// follows its own policy. A batch is a streaming source: its requests wait for both. Confined to
/// the loop's thread.
package final class ExecutionScheduler {
  let host: ScriptHost
  let options: Options
  /// The execution whose work makes the requests, if any.
  let outer: ScriptExecution?
  /// The variables that what it executes begins with; nil for those of the interpreter.
  let caller: CallerEnvironment?
  /// The needed calls that have been executed.
  let record: NeedsRecord
  var queues = RequestQueues()
  /// Called when all that could start has started.
  package var onAdvance: () -> Void = {}

  /// The running requests, by their order.
  private var running: [Int: ExecutionRequest] = [:]
  /// The requests that other executions of the same call stand for, by their order.
  var joined: [Int: ExecutionRequest] = [:]
  /// The request that waits or runs for a needed call, if it does so in this scheduler.
  var leaders: [CallKey: ExecutionRequest] = [:]
  /// The needed calls that have failed, of a streaming source: they are not executed again.
  var failures: [CallKey: Failure] = [:]
  var jobs = RunningJobs()
  private var lastOrder = 0
  private var isPumping = false
  /// The queues that have been promised what they waited for, and are woken by the next `advance`.
  private var promised: [RequestQueue] = []
  /// True while an `advance` for them is enqueued.
  private var isAdvanceDue = false
  private(set) var isStopped = false

  package init(_ host: ScriptHost, _ options: Options) {
    self.host = host
    self.options = options
    // What a runner begins when an execution has ended is not that execution's work.
    outer = host.currentExecution.flatMap { $0.hasEnded ? nil : $0 }
    caller = host.context.purpose.caller
    record = outer?.needsRecord ?? NeedsRecord()
  }

  // MARK: Requests

  /// Adds a request for a command, or for a job alone. It starts in a later call of `advance`.
  ///
  /// - Parameters:
  ///   - isNeed: true if another request needs it, and nobody has asked for it.
  ///   - call: the call, if it is executed once for all that need it.
  ///   - takesTurns: true if it waits for a slot whatever the policy of its command is.
  @discardableResult
  package func add(
    _ command: ScriptCommand?, from requester: any ExecutionRequester, isNeed: Bool = false,
    call: CallKey? = nil, takesTurns: Bool = false
  ) -> ExecutionRequest {
    lastOrder += 1
    let order: Int
    if !isNeed {
      order = lastOrder
    } else if options.streaming != nil {
      // Before all requests, which wait for needs.
      order = -lastOrder
    } else {
      // After all that was asked for, for which no need waits.
      order = lastOrder | 1 << 48
    }
    let key = isNeed ? call : nil
    // One that is known waits neither for its command nor behind requests with other inputs.
    let isKnown = key.map { known($0) != nil } ?? false
    let request = ExecutionRequest(
      order, in: queue(of: isKnown ? nil : command), from: requester, isNeed: isNeed, call: call,
      takesTurns: takesTurns)
    if isStopped {
      request.state = .ended
    } else if let key, !isKnown, let leader = leaders[key] {
      request.state = .joined(CompoundDisposable())
      joined[order] = request
      leader.followers.append(request)
    } else {
      if let key, !isKnown { leaders[key] = request }
      queues.insert(request)
    }
    return request
  }

  private func queue(of command: ScriptCommand?) -> RequestQueue {
    queues.queue(of: command, needsJobs: command.map(needsJobs) ?? true)
  }

  /// The number of waiting requests.
  package var waitingCount: Int { queues.waiting }
  /// The number of those that wait only for a job, as far as is known.
  package var readyCount: Int { queues.readyCount }
  /// The number of requests that run, or that another execution stands for.
  package var runningCount: Int { running.count + joined.count }
  /// These requests, the earliest first.
  package var runningRequests: [ExecutionRequest] {
    (Array(running.values) + joined.values).sorted { $0.order < $1.order }
  }

  /// Removes a request that waits. Its source is not told.
  package func withdraw(_ request: ExecutionRequest) {
    guard request.isWaiting else { return }
    request.state = .ended
    queues.withdraw(request)
    passOn(request)
  }

  /// Fails a request that waits.
  package func fail(_ request: ExecutionRequest, _ failure: Failure) {
    guard request.isWaiting else { return }
    (request.state, request.isRefused) = (.ended, true)
    queues.withdraw(request)
    conclude(request, failure)
  }

  /// Cancels a request. One that waits ends without its source being told.
  package func cancel(_ request: ExecutionRequest) {
    switch request.state {
    case .waiting: withdraw(request)
    case .joined(let following):
      following.dispose()
      joined[request.order] = nil
      request.state = .ended
      passOn(request)
    case .running: request.requester.cancel(request)
    case .ended: break
    }
  }

  /// Starts nothing more.
  ///
  /// - Returns: the requests that waited.
  package func stop() -> [ExecutionRequest] {
    isStopped = true
    let waiting = queues.removeAll()
    for request in waiting { request.state = .ended }
    return waiting
  }

  // MARK: Starting

  /// Starts all requests that may start.
  package func advance() {
    guard !isPumping else { return }
    isPumping = true
    while !isStopped, options.streaming?.mayStart() != false, let queue = nextQueue() {
      // Its condition may be asked.
      if !host.serving(caller, { isOpen(queue) }) {
        // What waits for its command keeps nothing else from others.
        if queue.obstacle != .shared { giveBack(queue) }
      } else if let request = queues.popFirst(of: queue) {
        execute(request, queue)
      }
      queue.place = nil
    }
    isPumping = false
    onAdvance()
  }

  private func nextQueue() -> RequestQueue? {
    while let queue = promised.popLast() {
      // Another obstacle may have come since.
      if case .shared? = queue.obstacle { wake(queue) }
    }
    return queues.next(isFree)
  }

  /// Wakes a queue that was promised what it waited for. That may happen while a queue changes, and in
  /// the midst of an `advance`: the next one does it, often before the turn is over.
  func wakeSoon(_ queue: RequestQueue) {
    promised.append(queue)
    guard !isAdvanceDue else { return }
    isAdvanceDue = true
    host.scheduler.enqueue(
      onLoop { [self] in
        isAdvanceDue = false
        if !promised.isEmpty { advance() }
      })
  }

  /// What requests and executions hold that have not begun their work.
  var idle: IdleHoldings { host.policy.resources.idle }

  private func execute(_ request: ExecutionRequest, _ queue: RequestQueue) {
    // What this one does not take is for the next, if there is one.
    defer { if queue.count == 0 { giveBack(queue) } }
    if request.isNeed, let known = request.call.flatMap(known) { return join(known, request) }
    if request.shared == nil, let call = neededCall(of: request) { return ask(call, request) }
    guard request.requester.begins(request) else {
      request.state = .ended
      return
    }
    request.state = .running
    queue.hasReportedWait = false
    running[request.order] = request
    queue.running += 1
    takeJob(request)
    guard let command = queue.command else { return request.requester.perform(request) }
    let input: LuaValue
    do throws(Failure) { input = try request.requester.input(of: request) } catch {
      // A signal that ends the run also stops the code that reads the input.
      if options.streaming?.mayStart() == false { return putBack(request) }
      return end(request, error)
    }
    let script = host.within(Purpose(outer, for: caller)) {
      command.start(
        input, options: executionOptions(command), isNeeded: request.isNeed && !request.isWork,
        skippingNeeds: true,
        isAsked: true, in: record)
    }
    if options.streaming != nil, case .notEnabled = script.error as? CommandError {
      // The condition has changed between its evaluation and the attempt.
      script.isObserved = true
      putBack(request)
      return wait(for: command, queue, .condition)
    }
    script.isSkippingPrecondition = !request.asksPrecondition
    handOn(queue, to: script)
    script.waitsForPlace = waitsForPlace(request)
    script.isObserved = true
    script.use(request.requester.services(of: request))
    if let call = request.call { record.begin(call, script) }
    request.execution = script
    request.requester.started(request, script)
    followAttempts(of: script, for: request)
    // Only the end, so that values are still sent in one piece.
    let following = CompoundDisposable()
    script.observe(
      Observer(
        end: onLoop { [self] termination in
          following.dispose()
          end(request, script.failure(at: termination))
        }), in: following)
  }

  /// Gives an execution what its queue has for it. One that waits for its turn asks for it then: the one
  /// whose turn it is may wait for the same. One that works, which the request has joined, has it.
  private func handOn(_ queue: RequestQueue, to script: ScriptExecution) {
    guard script.state == .running, !script.isWorking else { return }
    if script.machinePlace == nil, let place = queue.place {
      queue.place = nil
      script.scriptCommand.machineLimit?.hold(place, for: script)
    }
    if script.grant == nil, let grant = queue.grant {
      queue.grant = nil
      idle.remove(queue)
      // With a place it waits for nobody.
      if script.machinePlace == nil { script.holdIdly(grant) } else { script.grant = grant }
    }
  }

  /// Gives back what a queue has for its next execution.
  func giveBack(_ queue: RequestQueue) {
    queue.giveBack()
    idle.remove(queue)
  }

  private func executionOptions(_ command: ScriptCommand) -> ExecutionOptions? {
    guard options.timeout != nil || options.retries != nil else { return nil }
    var result = command.command.options
    if let timeout = options.timeout { result.timeout = timeout }
    if let retries = options.retries {
      result.retry =
        retries == 0
        ? nil
        : ExecutionOptions.Retry(
          times: retries, delay: result.retry?.delay ?? .zero, backoff: result.retry?.backoff ?? 1)
    }
    return result
  }

  private func leave(_ request: ExecutionRequest) {
    running[request.order] = nil
    request.queue.running -= 1
    giveBackJob(request)
  }

  private func putBack(_ request: ExecutionRequest) {
    leave(request)
    giveBack(request.queue)
    request.state = .waiting
    request.requester.returned(request)
    queues.insert(request)
  }

  // MARK: Ending

  /// Handles the end of a request that runs, or that another execution stands for; `failure` is nil
  /// if it has completed.
  package func end(_ request: ExecutionRequest, _ failure: Failure?) {
    guard case .running = request.state else { return endJoined(request, failure) }
    request.state = .ended
    leave(request)
    if request.execution != nil, let call = request.call { record.end(call, failure) }
    if case .busy = request.queue.obstacle { wake(request.queue) }
    if options.streaming != nil {
      // The results of conditions that are functions may differ after an execution.
      queues.unblockDisabled {
        $0.command.map { $0.hasPredicate && !$0.isConditionPending } ?? false
      }
    }
    conclude(request, failure)
    advance()
  }

  /// Tells the sources of a request and of its followers that it has ended.
  func conclude(_ request: ExecutionRequest, _ failure: Failure?) {
    endShared(request, failure)
    if let call = request.call, leaders[call] === request {
      leaders[call] = nil
      if let failure { remember(call, failure) }
    }
    let followers = request.followers
    request.followers = []
    request.requester.ended(request, failure)
    for follower in followers { endJoined(follower, failure) }
  }
}
