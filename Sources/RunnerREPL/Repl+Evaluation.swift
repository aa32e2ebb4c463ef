import Commands
import EventLoop
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// The way in which a signal in the foreground ended.
enum ForegroundEnd {
  case completed
  case failed(any Error)
  /// Ctrl-C was pressed, or the session ends.
  case interrupted
  /// Nothing is left that could send a value.
  case stuck
}

extension Repl {
  /// Runs the function of an entry and shows its results.
  ///
  /// - Parameter habit: the text to show instead if the result is nil.
  func evaluateAndShow(_ function: LuaReference, orSay habit: String? = nil) {
    let before = workspace.jobs.latest
    guard let results = evaluate(function) else { return }
    if let habit, results.count == 1, results[0].isNil { return printer.note(habit) }
    show(results, jobsSince: before)
  }

  /// Shows the results of an entry, or the values of a signal as they arrive.
  ///
  /// - Returns: true if the result was a signal.
  @discardableResult
  func show(_ results: [LuaValue], jobsSince before: Int) -> Bool {
    if results.count == 1, stream(results[0], jobsSince: before) { return true }
    announceJobs(since: before)
    guard let last = results.last else { return false }
    if KeyboardInterrupt.take() {
      printer.note("interrupted")
      return false
    }
    let values = values
    let shown = results.map { values.shown($0) }
    let texts = shown.map(\.text)
    printer.show(texts.joined(separator: texts.contains { $0.contains("\n") } ? "\n" : "\t"))
    // A Ctrl-C during the output has cut the texts short and does not apply to the next entry.
    KeyboardInterrupt.take()
    workspace.environment.setLast(last, ofEntry: number)
    if editor.isInteractive, !(shown.last?.isWhole ?? true) { printer.note(":more shows the rest") }
    return false
  }

  /// Runs a function as the foreground entry.
  ///
  /// - Returns: its results; nil after reporting its failure.
  func evaluate(_ function: LuaReference) -> [LuaValue]? {
    let environment = workspace.environment
    let evaluation = workspace.host.evaluation(
      of: .reference(environment.pack), .reference(function))
    guard let packed = run(evaluation) else { return nil }
    return environment.unpack(packed)
  }

  /// Runs a coroutine in the foreground.
  ///
  /// - Parameter isQuiet: true to report no failure of the evaluation.
  /// - Returns: its result; nil after reporting its failure.
  func run(_ evaluation: Signal<LuaValue>, isQuiet: Bool = false) -> LuaValue? {
    let result = Once<LuaValue>()
    switch follow(evaluation, next: { result.value = $0 }) {
    case .completed: return result.value ?? .nil
    case .failed(let error): if !isQuiet { fail(error) }
    case .interrupted: printer.note("interrupted")
    case .stuck: fail(Failure.stuck("the line"))
    }
    return nil
  }

  /// Receives a signal in the foreground until it ends or Ctrl-C disposes it.
  ///
  /// - Parameters:
  ///   - job: the id of the job that the signal is, whose inner output it has shown.
  ///   - chunk: receives the chunks of a job, which shows them itself, in place of `next`.
  func follow(
    _ signal: Signal<LuaValue>, ofJob job: Int? = nil,
    chunk: (@Sendable (LuaValue) -> Void)? = nil,
    next: @escaping @Sendable (LuaValue) -> Void
  ) -> ForegroundEnd {
    let end = Once<Termination>()
    let subscription = CompoundDisposable()
    let receive = { @Sendable (value: LuaValue) in
      // A signal that sends everything at once leaves the loop no turn to detect Ctrl-C.
      if KeyboardInterrupt.hasCome { return subscription.dispose() }
      next(value)
    }
    signal.observe(
      Observer(
        next: receive,
        batch: { batch in
          if let chunk, batch is ByteChunk { return batch.forEach(chunk) }
          guard let shown = batch as? ShownValues else { return batch.forEach(receive) }
          shown.send(to: Observer(next: receive, end: { _ in }), showing: job)
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

  /// Runs the loop until `isOver` returns true.
  ///
  /// - Returns: true if Ctrl-C was pressed before that.
  func wait(until isOver: () -> Bool) -> Bool {
    // An interactive user may wait for work that only Ctrl-C can end.
    let token = editor.isInteractive ? session.loop.keepAlive() : nil
    defer { token?.release() }
    session.wait { isOver() || KeyboardInterrupt.hasCome || session.isEnding }
    return KeyboardInterrupt.take()
  }

  // MARK: Signals

  /// Shows the values of a signal as they arrive, until it ends or Ctrl-C is pressed.
  ///
  /// - Returns: true if the value is a signal.
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
      let values = values
      let isInterrupted = show(workspace.host.lent(signal)) { [printer] in
        printer.show(values.line(of: $0))
      }
      if isInterrupted { printer.note("disposed") }
    }
    return true
  }

  /// Shows all values of a job. Ctrl-C cancels a job that the entry itself has started, and only
  /// detaches from another one.
  func follow(_ job: Job, isOwn: Bool) {
    // A rejection is already reported.
    if isOwn, !job.isActive, job.execution.error != nil { return }
    job.isAttached = true
    workspace.jobs.onBegun(job)
    let values = values
    let isInterrupted = show(job.execution, of: job) { [printer] in
      printer.showOutput(values.output(of: $0))
    }
    job.isAttached = false
    guard isInterrupted else { return }
    job.isAnnounced = true
    if isOwn {
      // It has ended already by a question that Ctrl-C has left.
      job.isActive ? job.execution.cancel() : printer.note("interrupted")
    } else if job.isActive {
      printer.note("\(job.label) continues; to end it: :kill \(job.id)")
    }
  }

  /// Shows the values and the failure of a signal.
  ///
  /// - Parameter job: the job that the signal is.
  /// - Returns: true if Ctrl-C was pressed.
  private func show(
    _ signal: Signal<LuaValue>, of job: Job? = nil,
    by display: @escaping @Sendable (LuaValue) -> Void
  ) -> Bool {
    let environment = workspace.environment
    let number = number
    let meter = LiveMeter()
    let style = printer.values
    let screen = LiveRows(workspace.host, isLive: editor.hasCursor) { width in
      let line = job?.begunText.map { StyledRow($0).text(style, fitting: width - 1) }
      return (line.map { [$0] } ?? []) + meter.rows(width, style)
    }
    let note = { @Sendable (value: LuaValue) in
      meter.meter.add(value)
      environment.setLast(value, ofEntry: number)
    }
    let end = follow(signal, ofJob: job?.id, chunk: job == nil ? nil : note) { value in
      display(value)
      note(value)
    }
    screen.finish(false)
    switch end {
    case .completed:
      let count = meter.meter.count
      // The prompt is the mark of a job's end.
      if editor.isInteractive, job == nil || count == 0 {
        printer.note(
          count == 0
            ? "completed without a value" : "completed (\(count) value\(count == 1 ? "" : "s"))")
      }
    case .failed(let error): fail(error, from: job?.label)
    case .interrupted: return true
    case .stuck: fail(Failure.stuck("the signal"))
    }
    return false
  }

  /// Lists the jobs that an entry has left running.
  func announceJobs(since before: Int, but attached: Job? = nil) {
    for job in workspace.jobs.active
    where job.id > before && job.isAnnounced && job !== attached { printer.note(job.label) }
  }
}

/// The line below the values of a signal in the foreground.
private final class LiveMeter: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  var meter = SignalMeter()
  /// A signal that ends sooner shows no line.
  private static let delay = Duration.seconds(1)
  private let start = EventLoop.now

  func rows(_ width: Int, _ style: Style) -> [String] {
    guard meter.count > 0, EventLoop.now - start >= Self.delay else { return [] }
    return [StyledRow(meter.text(), .faint).text(style, fitting: width - 1)]
  }
}
