import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// A script of a batch, in its own interpreter. On the loop's thread.
final class ScriptRun {
  private let entry: BatchEntry
  private let request: ExecutionRequest
  private unowned let batch: BatchRun
  private let path: String
  private let arguments: [String]
  private var attempt = 0
  private var host: ScriptHost?
  /// The failure of the top level or of work that it started.
  private var failure: Failure?
  private var hasReturned = false
  /// The status with which the script called `os.exit`.
  private var exitStatus: Int32?
  /// The printed part of an incomplete line.
  private var printed = LineSplitter(limit: 64 << 10, openEnd: Secrets.openEnd)
  private var timer: (any Disposable)?
  private var deadline: Duration?
  /// A closed interpreter whose script's processes are still ending, and the result of the attempt.
  private var closing: (host: ScriptHost, failure: Failure?)?
  /// True when the script has ended.
  private(set) var isEnded = false

  init(_ entry: BatchEntry, _ request: ExecutionRequest, _ batch: BatchRun) {
    self.entry = entry
    self.request = request
    self.batch = batch
    path = entry.planned.entry.command
    arguments = batch.commands.arguments(of: entry.planned.entry)
  }

  func start() {
    if let timeout = batch.options.timeout {
      deadline = LuaInterpreter.now + timeout
      timer = Scheduler.main.schedule(
        limit: timeout,
        onLoop { [weak self] in
          self?.end(.late(timeout))
        })
    }
    startAttempt()
  }

  private func startAttempt() {
    attempt += 1
    hasReturned = false
    exitStatus = nil
    failure = nil
    do {
      let host = try makeHost()
      self.host = host
      entry.executedKey = batch.commands.executedKey(of: entry.planned.entry)
      let execution = try host.start(.file(batch.commands.digests.absolute(path), name: path))
      begin(id: execution.id)
      execution.subscribe(
        next: onLoop { [weak self] result in self?.check(result, of: host) },
        error: onLoop { [weak self] error in
          self?.returned(host, host.failure(ofScript: error))
        },
        completed: onLoop { [weak self] in self?.returned(host, nil) })
    } catch {
      begin(id: nil)
      var failure = host?.failure(of: error) ?? Failure(.lua, "\(error)")
      failure.isLoadFailure = true
      end(failure)
    }
  }

  private func begin(id: Int?) {
    guard entry.record == nil else { return }
    let record = ExecutionRecord(
      command: path, id: id, input: .nil, colorIndex: batch.stream.colorIndex(of: path))
    record.startTime = EventLoop.now
    record.entry = entry.planned.entry
    record.recordedAs = entry.recordedAs
    entry.record = record
    batch.stream.send(.started(record))
  }

  private func makeHost() throws -> ScriptHost {
    let session = batch.session
    var policy = session.policy
    // The services of the script are its own, whatever those of a command file are called.
    policy.services = nil
    policy.processVariables = { [weak self] _ in
      self.map { $0.batch.variables($0.entry.execution) } ?? []
    }
    let host = try session.open(script: path, arguments: arguments, policy, self)
    host.deadline = deadline
    try host.interpreter.redirectOutput { [weak self] stream, bytes in
      guard let self else { return }
      switch stream {
      case .output: print(bytes)
      case .errors: batch.stream.send(.standardError(entry.record, bytes))
      }
    }
    host.onExit { [weak self, unowned host] status in
      self?.exitStatus = status
      // No code of the script runs after this; `look` does the rest.
      host.interpreter.interrupt()
    }
    return host
  }

  /// Reports printed output as values of the entry, line by line.
  private func print(_ bytes: UnsafeRawBufferPointer) {
    guard let record = entry.record else { return }
    printed.append(bytes) { piece in
      batch.stream.send(
        .next(
          record,
          piece.endsLine
            ? .one(.string(LuaString(piece.bytes))) : .batch(.chunk(piece.bytes))))
      return true
    }
  }

  private func finishLine() {
    guard let record = entry.record else { return }
    printed.finish { batch.stream.send(.next(record, .batch(.chunk($0)))) }
  }

  /// Fails a script that returns the entries of a plan, because nothing would execute them.
  private func check(_ result: LuaValue, of host: ScriptHost) {
    guard host === self.host, exitStatus == nil,
      let json = try? host.json(result), case .list(let values)? = JSONValue(text: json),
      !values.isEmpty, values.allSatisfy(PlanLine.hasFormOfEntry)
    else { return }
    end(
      Failure(
        .lua,
        "the script returns entries, which a batch does not execute; write them to a plan, one JSON "
          + "object in each line, or execute the commands in the script"))
  }

  /// Handles the end of the top level.
  private func returned(_ host: ScriptHost, _ failure: Failure?) {
    // The result of an interpreter that is being closed is already decided.
    guard host === self.host, exitStatus == nil else { return }
    hasReturned = true
    if let failure { end(failure) }
  }

  /// Ends the attempt when no work of the script is left, or when it has called `os.exit`.
  func look() {
    if closing != nil { return settle() }
    guard !isEnded else { return }
    if let exitStatus { return end(Self.failure(of: exitStatus)) }
    guard hasReturned, let host, !host.hasWork else { return }
    finish(host)
  }

  /// Ends the attempt as its script has ended.
  private func finish(_ host: ScriptHost) {
    host.reportUnreceivedErrors()
    end(lateness ?? failure)
  }

  /// The failure of a script that ends after its deadline, whatever it has caught.
  private var lateness: Failure? {
    guard let timeout = batch.options.timeout, let deadline, deadline <= LuaInterpreter.now else {
      return nil
    }
    return .late(timeout)
  }

  /// Handles the state in which nothing is left that could send a value.
  ///
  /// - Returns: true if the script can continue, or has ended all the same because it only
  ///   observes.
  func endStuck() -> Bool {
    guard let host else { return false }
    if host.giveUpConditions() { return true }
    guard hasReturned, !host.isExecuting else { return false }
    finish(host)
    return true
  }

  private static func failure(of status: Int32) -> Failure? {
    if status == ExitStatus.success { return nil }
    var failure = Failure(.exit, "the script ended with status \(status)")
    failure.code = status
    return failure
  }

  func cancel() {
    end(Failure(.cancelled, "the execution was cancelled"))
  }

  /// Ends the attempt, beginning with its processes.
  private func end(_ failure: Failure?) {
    guard !isEnded else { return }
    if let closing {
      // A timeout or a cancellation that arrives meanwhile allows no other attempt.
      if let failure, !failure.isRetried { self.closing = (closing.host, failure) }
      return
    }
    guard let host else { return conclude(failure) }
    self.host = nil
    closing = (host, failure)
    host.deadline = nil
    if batch.session.isEnding { host.endAll() } else { host.cancelAll() }
    host.interpreter.flushOutput()
    host.close()
    finishLine()
    settle()
  }

  /// Continues once no process of the attempt is left.
  private func settle() {
    guard let closing, closing.host.liveProcesses == 0 else { return }
    self.closing = nil
    // Items in the loop's queue still refer to it.
    batch.session.loop.enqueue(onLoop { withExtendedLifetime(closing.host) {} })
    conclude(closing.failure)
  }

  private func conclude(_ failure: Failure?) {
    if let failure, failure.isRetried, attempt <= batch.options.retries ?? 0,
      !batch.session.isEnding, let record = entry.record
    {
      batch.stream.send(.retry(record, attempt: attempt + 1, delay: .zero, cause: failure))
      return startAttempt()
    }
    isEnded = true
    timer?.dispose()
    if let record = entry.record { batch.stream.end(record, failure) }
    batch.scheduler.end(request, failure)
  }
}

extension ScriptRun: HostObserver {
  func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool {
    batch.stream.send(.standardError(entry.record, bytes))
    return true
  }

  func hostCapturedErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) {
    if let record = entry.record { batch.tails.capture(bytes, of: record) }
  }

  func hostBeganGroup(_ leader: Int32, of execution: Int?) {
    batch.stream.groups?.began(leader, of: entry.recordedAs)
  }

  func hostEndedGroup(_ leader: Int32) { batch.stream.groups?.ended(leader) }

  /// The run itself receives what the script prints.
  func hostHasSecrets(_ host: ScriptHost) -> Bool { true }

  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    self.failure = self.failure ?? failure
    return true
  }
}

extension Failure {
  fileprivate static func late(_ timeout: Duration) -> Failure {
    Failure(.timeout, "the execution took longer than \(timeout.shortText)")
  }

  /// True if another attempt may have a different result.
  fileprivate var isRetried: Bool {
    kind != .cancelled && kind != .timeout && !isLoadFailure
  }
}
