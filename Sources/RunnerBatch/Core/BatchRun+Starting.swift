import Commands
import EventLoop
import Journal
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// Starts work: the earliest whose command is ready, up to the number of jobs.
extension BatchRun {
  func pump() {
    guard !isPumping, !isStopping else { return }
    isPumping = true
    defer { isPumping = false }
    while running.count < options.jobs, !isStopping, !session.isEnding, let queue = nextQueue(),
      let work = queues.popFirst(of: queue)
    {
      execute(work, queue)
    }
  }

  /// The queue with the earliest work that may start.
  private func nextQueue() -> CommandQueue? {
    var best: CommandQueue?
    for queue in queues.busy where queue.obstacle == nil {
      guard let first = queue.first else { continue }
      if let other = best?.first, other.number < first.number { continue }
      if isOpen(queue) { best = queue }
    }
    return best
  }

  private func execute(_ work: Work, _ queue: CommandQueue) {
    if let flaw = work.flaw, case .entry(let planned, let execution) = work.origin {
      return fail(planned, flaw, execution: execution)
    }
    work.begin(in: queue)
    if let number = work.recordedAs { log.begin(number, at: work.started ?? 0) }
    running[work.number] = work
    if let command = queue.command {
      queue.running += 1
      execute(work, by: command, queue)
    } else {
      let run = ScriptRun(work, self)
      scripts.append(run)
      run.start()
    }
  }

  private func execute(_ work: Work, by command: ScriptCommand, _ queue: CommandQueue) {
    let input: LuaValue
    var need: CallKey?
    do throws(InputError) {
      switch work.origin {
      case .need(let call, _):
        // An execution inside an entry's may have needed it meanwhile.
        let isKnown = needsRecord.follow(call.key) { [self] failure in
          ended(work, failure, of: command, in: queue)
        }
        if isKnown { return }
        (input, need) = (call.input, call.key)
      case .entry(let planned, _): input = try commands.input(of: planned.entry, for: command)
      }
    } catch {
      queue.running -= 1
      // A signal that ends the batch also stops the code that reads the input.
      if session.isEnding { return putBack(work, queue) }
      return ended(work, Failure(.input, "\(error)"))
    }
    let execution = command.execute(
      input, options: executionOptions(command), skippingNeeds: true, isAsked: true,
      skippingPrecondition: work.entry != nil, in: needsRecord, asNeed: need)
    if case .notEnabled = execution.error as? CommandError {
      // The condition has changed between its evaluation and the attempt.
      queue.running -= 1
      putBack(work, queue)
      return block(queue, .condition)
    }
    work.cancel = { execution.cancel() }
    work.record = stream.follow(
      execution, of: command, for: work.entry?.entry, recordedAs: work.recordedAs)
    // After the stream's own subscription, so that events precede their consequences. Only the end,
    // so that values are still sent in one piece.
    execution.observe(
      Observer { [self] termination in
        switch termination {
        case .completed: ended(work, nil, of: command, in: queue)
        case .error(let error):
          let failure = session.host.failure(of: error, endOf: command.name, execution.id)
          ended(work, failure, of: command, in: queue)
        }
      }, in: CompoundDisposable())
  }

  private func putBack(_ work: Work, _ queue: CommandQueue) {
    running[work.number] = nil
    queues.prepend(work, to: queue)
  }

  private func executionOptions(_ command: ScriptCommand) -> ExecutionOptions? {
    guard options.timeout != nil || options.retries != nil else { return nil }
    var result = command.policy.options
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
}
