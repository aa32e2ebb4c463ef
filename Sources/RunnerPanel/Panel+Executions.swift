import Platform
import RunnerCore
import Scripting

/// The changes of executions, wherever they run: each has one place, which changes what is known and
/// sends the event of it.
extension Panel {
  /// Notes that an execution is queued, or runs.
  func note(_ entry: PanelExecution, _ state: PanelExecution.State) {
    entry.state = state
    send(
      state == .queued ? "execution_queued" : "execution_started",
      entry.origin + entry.claims + entry.start
        + [("takes_lines", state == .running && entry.lines != nil ? "true" : nil)],
      of: entry)
    if state == .running { onExecution(entry) }
    stateMayHaveChanged(entry.command)
  }

  /// Notes that the work of an execution is left out.
  ///
  /// - Parameter saved: how long the execution took whose result was restored; nil if none was.
  func noteUpToDate(_ entry: PanelExecution, saving saved: Duration?) {
    entry.isUpToDate = true
    entry.saved = saved
    send("up_to_date", entry.identity + [("saved", saved?.secondsText)], of: entry)
  }

  /// Notes that an attempt has failed, and that another one follows.
  ///
  /// - Parameter delay: the seconds until then, as JSON.
  func noteRetry(_ entry: PanelExecution, attempt: Int, delay: String, cause: Failure?) {
    entry.attempt = attempt
    entry.retries.append(WallClock.seconds)
    send(
      "retry",
      entry.identity + [
        ("attempt", "\(attempt)"), ("delay", delay),
        ("error", cause.map { EventJSON.text(of: $0) }),
      ], of: entry)
  }

  /// An execution has gone on in a line that it has not ended.
  func lineHasBegun(of entry: PanelExecution) {
    feed.lineHasBegun(of: entry)
    tools.lineHasBegun(of: entry)
  }

  /// Notes that an execution is cancelled and has not ended.
  func noteCancelling(_ entry: PanelExecution) {
    guard !entry.isOver, entry.state != .cancelling else { return }
    entry.state = .cancelling
    send(
      "cancelling",
      entry.identity + [("cancelled_by", entry.canceller)],
      of: entry)
    stateMayHaveChanged(entry.command)
  }

  func noteEnd(
    of entry: PanelExecution, as state: PanelExecution.State, _ failure: Failure? = nil,
    at time: Double = WallClock.seconds
  ) {
    entry.state = state
    entry.ended = time
    entry.failure = failure
    entry.error = failure.map { EventJSON.text(of: $0) }
    send(
      state == .failed ? "error" : state.rawValue,
      entry.identity + entry.claims + entry.extent + entry.times
        + [("error", entry.error), ("cancelled_by", state == .cancelled ? entry.canceller : nil)],
      of: entry)
    metrics.noteEnd(of: entry)
    keepResult(of: entry)
    noteEnd(of: entry)
    tools.executionHasEnded(entry)
    onExecution(entry)
    stateMayHaveChanged(entry.command)
  }
}

extension Panel {
  /// Keeps the result of an execution that has ended, if there still is its command.
  func keepResult(of entry: PanelExecution) {
    guard workspace.host.command(named: entry.command) != nil else { return }
    results.add(EndedExecution(entry), of: entry.command)
  }
}

extension PanelExecution {
  /// What has cancelled it, as JSON.
  fileprivate var canceller: String? { cancelledBy.map { JSONValue.string($0).text } }

  /// How many times workers have claimed it, if more than once.
  fileprivate var claims: [EventJSON.Field] {
    [("attempt", batch != nil && attempt > 1 ? "\(attempt)" : nil)]
  }

  /// When it has begun to run in a hub, which may be long ago.
  fileprivate var start: [EventJSON.Field] {
    hub == nil ? [] : [("started", started.map(Self.time))]
  }

  /// When it ran, if that was in another process: its events come later.
  fileprivate var times: [EventJSON.Field] {
    guard batch != nil || hub != nil else { return [] }
    return [("started", started.map(Self.time)), ("ended", ended.map(Self.time))]
  }

  private static func time(_ seconds: Double) -> String {
    JSONValue.number((seconds * 1e6).rounded() / 1e6).text
  }
}
