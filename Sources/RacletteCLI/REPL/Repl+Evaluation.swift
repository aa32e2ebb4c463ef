import Commands
import LuaRuntime
import Reactive
import Scripting

/// How a signal in the foreground came to its end.
enum ForegroundEnd {
  case completed
  case failed(any Error)
  /// Ctrl-C was pressed, or the session ends.
  case interrupted
  /// Nothing is left that could send anything.
  case stuck
}

extension Repl {
  /// Runs a line's function and shows what it returns.
  ///
  /// - Parameter habit: what to say instead if that is nil.
  func evaluateAndShow(_ function: LuaReference, orSay habit: String? = nil) {
    let before = workspace.jobs.latest
    guard let results = evaluate(function) else { return }
    if results.count == 1, stream(results[0], jobsSince: before) { return }
    announceJobs(since: before)
    guard let last = results.last else { return }
    if last.isNil, results.count == 1, let habit { return printer.note(habit) }
    if KeyboardInterrupt.take() { return printer.note("interrupted") }
    let texts = results.map { values.text(of: $0) }
    printer.show(texts.joined(separator: texts.contains { $0.contains("\n") } ? "\n" : "\t"))
    // Pressed meanwhile, it has cut the texts short, and is not meant for the next line.
    KeyboardInterrupt.take()
    workspace.environment.setLast(last, ofEntry: number)
  }

  /// Runs a function as the line in the foreground.
  ///
  /// - Returns: its results; nil once its failure has been told.
  func evaluate(_ function: LuaReference) -> [LuaValue]? {
    let environment = workspace.environment
    let evaluation = workspace.host.evaluation(
      of: .reference(environment.pack), .reference(function))
    guard let packed = run(evaluation) else { return nil }
    return environment.unpack(packed)
  }

  /// Runs a coroutine in the foreground.
  ///
  /// - Returns: its result; nil once its failure has been told.
  func run(_ evaluation: Signal<LuaValue>) -> LuaValue? {
    let result = Once<LuaValue>()
    switch follow(evaluation, next: { result.value = $0 }) {
    case .completed: return result.value ?? .nil
    case .failed(let error): fail(error)
    case .interrupted: printer.note("interrupted")
    case .stuck: fail(Failure(.user, "the line waits for something that nothing can send"))
    }
    return nil
  }

  /// Receives a signal in the foreground until it ends or Ctrl-C is pressed, which disposes it.
  func follow(
    _ signal: Signal<LuaValue>, next: @escaping @Sendable (LuaValue) -> Void
  ) -> ForegroundEnd {
    let end = Once<Termination>()
    let subscription = CompoundDisposable()
    signal.observe(
      Observer(
        next: { value in
          // A signal that sends everything at once gives the loop no turn to hear of Ctrl-C.
          if KeyboardInterrupt.hasCome { return subscription.dispose() }
          next(value)
        },
        end: { termination in
          subscription.dispose()
          end.value = termination
        }), in: subscription)
    let isInterrupted = wait { end.value != nil }
    if isInterrupted {
      workspace.host.interpreter.clearInterrupt()
      subscription.dispose()
      return .interrupted
    }
    switch end.value {
    case .completed: return .completed
    case .error(let error): return .failed(error)
    case nil:
      subscription.dispose()
      return session.isEnding ? .interrupted : .stuck
    }
  }

  /// Runs the loop until `isOver`.
  ///
  /// - Returns: whether Ctrl-C was pressed before that.
  func wait(until isOver: () -> Bool) -> Bool {
    // A person may wait for what only they can end.
    let token = editor.isInteractive ? session.loop.keepAlive() : nil
    defer { token?.release() }
    session.wait { isOver() || KeyboardInterrupt.hasCome || session.isEnding }
    return KeyboardInterrupt.take()
  }

  // MARK: Signals

  /// Shows the values of a signal as they come, until it ends or Ctrl-C is pressed.
  ///
  /// - Returns: whether the value is a signal.
  private func stream(_ value: LuaValue, jobsSince before: Int) -> Bool {
    guard let signal = workspace.host.signal(from: value) else { return false }
    var job: Job?
    if case .execution(let execution, _) = workspace.host.object(value) {
      job = workspace.jobs[execution.id]
    }
    announceJobs(since: before, but: job)
    if let job {
      follow(job, isOwn: job.id > before)
    } else {
      if show(workspace.host.lent(signal)) { printer.note("disposed") }
    }
    return true
  }

  /// Shows a job's values from its first on. Ctrl-C ends a job that the line itself has started, and
  /// only looks away from another.
  func follow(_ job: Job, isOwn: Bool) {
    // What was rejected has been told already.
    if isOwn, !job.isActive, job.execution.error != nil { return }
    job.isAttached = true
    let isInterrupted = show(job.execution, from: job.label)
    job.isAttached = false
    guard isInterrupted else { return }
    job.isAnnounced = true
    if isOwn {
      job.execution.cancel()
    } else if job.isActive {
      printer.note("\(job.label) goes on; :kill \(job.id) ends it")
    }
  }

  /// Shows a signal's values and its failure.
  ///
  /// - Returns: whether Ctrl-C was pressed.
  func show(_ signal: Signal<LuaValue>, from source: String? = nil) -> Bool {
    let values = values
    let environment = workspace.environment
    let number = number
    let count = Counter()
    let end = follow(signal) { [printer] value in
      count.value += 1
      printer.show(values.line(of: value))
      environment.setLast(value, ofEntry: number)
    }
    switch end {
    case .completed:
      if count.value == 0, editor.isInteractive { printer.note("completed without a value") }
    case .failed(let error): fail(error, from: source)
    case .interrupted: return true
    case .stuck: fail(Failure(.user, "the signal waits for something that nothing can send"))
    }
    return false
  }

  /// Says which jobs a line has left running.
  func announceJobs(since before: Int, but attached: Job? = nil) {
    for job in workspace.jobs.active
    where job.id > before && job.isAnnounced && job !== attached { printer.note(job.label) }
  }
}

/// A number that a closure counts up; on the loop's thread.
private final class Counter: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.
  var value = 0
}
