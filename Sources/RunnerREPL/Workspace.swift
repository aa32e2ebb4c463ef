import Commands
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// A file or a text of a session, which `:reload` executes again, and its name in messages.
struct LoadedFile {
  /// The absolute path; nil for a text from elsewhere.
  let path: String?
  let name: String
  let source: ScriptSource

  /// A file of commands.
  ///
  /// - Throws: `CommandFileError` if it does not exist.
  init(_ name: String) throws {
    guard let absolute = resolvedPath(name) else {
      throw CommandFileError(message: "cannot read \(name): \(systemErrorText(errno))")
    }
    (path, self.name, source) = (absolute, name, .commandFile(absolute, name: name))
  }

  /// The script of `exec -i`; nil for one that was read from standard input, which is gone.
  init?(script: ScriptSource) {
    switch script {
    case .file(let path, let name), .commandFile(let path, let name):
      let absolute = resolvedPath(path) ?? path
      (self.path, self.name) = (absolute, name ?? path)
      source = .file(absolute, name: name ?? path)
    case .code(_, let name): (path, self.name, source) = (nil, name, script)
    case .standardInput: return nil
    }
  }
}

/// One interpreter of a session and its state: files, variables, jobs, errors. `:reload` starts
/// another one.
final class Workspace: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The maximum number of stored errors.
  private static let errorMemory = 100

  let host: ScriptHost
  private let printer: ReplPrinter
  let environment: SessionEnvironment
  let jobs = JobTable()
  let watches: WatchList
  var confirmed = ConfirmedExecutions()
  /// Called with each stored failure.
  var onFailure: (Failure) -> Void = { _ in }
  /// The files loaded, in order.
  var files: [LoadedFile] = []
  /// The errors and their sources, the latest last.
  private(set) var errors: [(source: String, failure: Failure)] = []
  /// The frames of the latest error, and which of them `:debug` shows.
  private(set) var frames: [LuaKeptFailure.Frame] = []
  var selectedFrame = 0
  private var lastErrors: [String: String] = [:]
  /// The runs of commands that have not ended.
  private var runs: [PlanRun] = []

  init(_ host: ScriptHost, _ printer: ReplPrinter, watches: WatchList) throws {
    self.host = host
    self.printer = printer
    self.watches = watches
    environment = try SessionEnvironment(host)
    host.notesSubscriptions = true
    host.interpreter.keepFrames()
    host.add(self)
    host.add(ofExecutions: self)
    let values = ValueText(host: host, environment: environment, style: printer.values)
    jobs.onValue = { job, value in
      printer.showOutput(
        values.output(of: value).split(separator: "\n", omittingEmptySubsequences: false)
          .map { "[\(job.id)] \($0)" }.joined(separator: "\n"))
    }
    jobs.onBegun = { [watches] job in
      watches.show(job.tellsEvents ? job.begunText : nil, ofJob: job.id, job.label)
    }
    jobs.onAttachedOutput = { printer.showOutput(values.output(of: $0)) }
    jobs.onEnd = { [weak self] job, error in self?.ended(job, error, printer) }
  }

  private func ended(_ job: Job, _ error: (any Error)?, _ printer: ReplPrinter) {
    var failure = error.map { host.failure(of: $0, endOf: job.title, job.id) }
    if let ended = failure, ended.kind != .cancelled {
      lastErrors[job.title] = ended.text
      if job.tellsEvents { failure = note(ended, from: job.label) }
    }
    guard job.tellsEvents else { return }
    guard let failure else { return printer.note("\(job.label): completed (\(job.extent))") }
    if failure.kind == .cancelled {
      printer.note("\(job.label): cancelled (\(job.extent))")
    } else {
      printer.failure(failure, prefix: "\(job.label): ")
    }
  }

  /// Stores a failure for `:errors` and `_error`.
  ///
  /// - Returns: the failure with the names that the session's variables have for its user.
  @discardableResult
  func note(_ failure: Failure, from source: String) -> Failure {
    let kept = failure.traceback.flatMap { host.interpreter.keptFailure(traceback: $0) }
    var failure = failure
    failure.traceback = failure.traceback.map(environment.withLocals)
    errors.append((source, failure))
    if errors.count > Self.errorMemory { errors.removeFirst() }
    frames = kept?.frames ?? []
    selectedFrame = 0
    environment.set("_error", host.luaValue(of: failure))
    onFailure(failure)
    return failure
  }

  /// The message of the latest error of a command.
  func lastError(of command: ScriptCommand) -> String? { lastErrors[command.name] }

  /// True while a run of commands has not ended, even if it waits with no job at work.
  var hasRuns: Bool { !runs.isEmpty }

  /// Starts a run of commands, which ends with the workspace at the latest.
  func start(_ run: PlanRun) {
    runs.append(run)
    run.onFinish = { [weak self, weak run] in
      self?.runs.removeAll { $0 === run }
    }
    run.start()
  }

  /// Ends the running work.
  func end() {
    watches.removeAll()
    for run in runs { run.cancel() }
    jobs.cancelAll()
  }
}

extension Workspace: HostObserver, ExecutionObserver {
  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    // A job tells of its own failure.
    if let execution = failure.execution, jobs[execution]?.tellsEvents == true { return true }
    let failure = note(failure, from: failure.command ?? "unhandled")
    printer.failure(failure, prefix: failure.command.map { "\($0): " } ?? "")
    return true
  }

  func hostExecutes(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
  ) -> Bool {
    // Executions that other executions start report through them.
    let isOwn = execution.id == origin
    jobs.add(execution, title: command.name, isAnnounced: isOwn)
    return isOwn
  }

  func hostShowsOutput(of execution: Int) -> Observer<LuaValue>? {
    guard let job = jobs[execution] else { return nil }
    return Observer(next: onLoop { [jobs] value in jobs.show(value, of: job) }, end: { _ in })
  }

  func hostSkipped(_ execution: Int, within origin: Int, saving saved: Duration?) {
    guard let job = jobs[execution], job.isAnnounced else { return }
    let restored = saved.map { "restored from the cache in place of \($0.shortText)" }
    printer.note("\(job.label) is \(restored ?? "up to date")")
  }
}
