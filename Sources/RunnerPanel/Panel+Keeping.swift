import Journal
import Platform
import RunnerCore
import Scripting

/// Executions are kept beyond the panel, in the journal beside the command file.
extension Panel {
  /// How many executions of earlier panels count for the results of commands.
  private static let mostResults = 2_000

  /// Shows what earlier panels of the command file have executed, and records what is executed from
  /// now on. A journal that cannot be used is reported, and the panel goes on without it.
  ///
  /// - Parameter path: the journal; nil for that of the project.
  func keepPresses(in path: String?) {
    // Nothing is to be kept.
    guard executions.keep > 0 else { return }
    do throws(JournalError) {
      let path = try journal(at: path)
      if isReadOnly, access(path, F_OK) != 0 { return }
      let journal = try Journal(path, isCreated: !isReadOnly)
      try restore(from: journal)
      queries = JournalQueries(path)
      if isReadOnly { return journal.close() }
      recorder = try PressRecorder(journal, keep: executions.keep, session.loop) {
        [unowned self] in notKept($0)
      }
    } catch { notKept(error) }
  }

  private func notKept(_ error: JournalError) {
    session.report.error("\(error); what the panel executes is not kept")
  }

  /// The path of the journal, whose folder is made if it is that of the project.
  private func journal(at path: String?) throws(JournalError) -> String {
    if let path { return path }
    let folder = "\(currentFolder() ?? ".")/\(KeptFolder.name)"
    if !isReadOnly {
      let code = KeptFolder.make(folder)
      guard code == 0 else {
        throw .unavailable("\(folder)/journal.db", reason: systemErrorText(code))
      }
    }
    return folder + "/journal.db"
  }

  private func restore(from journal: Journal) throws(JournalError) {
    let recorded = try journal.presses(limit: max(Self.mostResults, executions.keep))
    let firstKept = max(0, recorded.count - executions.keep)
    for (index, execution) in recorded.reversed().enumerated() {
      let entry = PanelExecution(execution, for: executions[execution.line])
      if index >= firstKept {
        let output = RecordedOutput(try journal.output(of: execution.id))
        let start = entry.started ?? entry.created
        output.restore(in: entry.output, since: start, numbers: feed.takeNumbers)
        if entry.failure?.kind == .lost, let last = output.lines.last {
          // As long as it is known to have run.
          entry.ended = start + last.time
        }
        if entry.failure?.kind == .exit { entry.failure?.stderr = output.lastErrors }
        entry.output.finish()
        entry.error = entry.failure.map { EventJSON.text(of: $0) }
        executions.add(entry)
        _ = executions.noteEnd(of: entry)
      }
      keepResult(of: entry)
      executions.go(onAfter: entry.id)
    }
  }
}

extension PanelExecution {
  /// An execution of an earlier panel, without its output.
  ///
  /// - Parameter request: the execution that has needed it, if that is kept.
  convenience init(_ recorded: RecordedExecution, for request: PanelExecution?) {
    self.init(
      Int(recorded.id), of: recorded.command,
      input: recorded.input.isEmpty ? nil : recorded.input,
      for: recorded.line == Int(recorded.id) ? nil : request, created: recorded.claimed)
    isPast = true
    isRecorded = true
    by = recorded.requester.flatMap(Requester.init(rawValue:))
    started = recorded.started
    attempt = max(1, recorded.attempts)
    isUpToDate = recorded.isUpToDate
    ended =
      recorded.duration.map { (recorded.started ?? recorded.claimed) + $0 }
      ?? recorded.started ?? recorded.claimed
    state = State(recorded.state)
    failure = Failure(recorded)
    failure?.command = command
  }
}

extension PanelExecution.State {
  init(_ state: RecordedState) {
    switch state {
    case .completed: self = .completed
    case .cancelled: self = .cancelled
    case .failed, .interrupted, .running: self = .failed
    }
  }
}

extension Failure {
  /// The error of an execution; nil if it had none.
  init?(_ recorded: RecordedExecution) {
    switch recorded.state {
    case .completed, .cancelled: return nil
    case .interrupted, .running: self.init(.lost, "it was lost with its runner, which was killed")
    case .failed:
      self.init(
        recorded.errorKind.flatMap(Failure.Kind.init(rawValue:)) ?? .user, recorded.error ?? "")
      code = recorded.code.flatMap { Int32(exactly: $0) }
    }
  }
}
