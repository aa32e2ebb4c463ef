import CLibUV
import Platform

extension EventLoop {
  /// Starts a program as the leader of a process group of its own. Loop's thread.
  ///
  /// On Linux this process is the reaper of its orphaned descendants while loops have children, so
  /// that it is notified of the end of one that outlives the program.
  ///
  /// - Parameters:
  ///   - onOutput: receives standard output, if it is a `.pipe`, in chunks of at most 64 KiB that
  ///     are valid only during the call.
  ///   - onEnd: called once, after the last chunk, when the program has ended, its output is at its
  ///     end, and no process of the group is left. A descendant that outlives the program keeps the
  ///     child alive; see `ChildProcess.terminate` for one that left the group.
  /// - Throws: the reason the program did not start. In that case no handler is called.
  @discardableResult
  public func spawn(
    _ request: ProcessRequest, onOutput: @escaping (UnsafeRawBufferPointer) -> Void = { _ in },
    onEnd: @escaping (ProcessEnd) -> Void
  ) throws(SpawnError) -> ChildProcess {
    try starting(request) { try start(request, onOutput, onEnd) }
  }

  /// Starts a detached program that is to outlive this process: in a session of its own, without
  /// standard input, and with its output discarded, regardless of the streams in the request.
  /// Loop's thread.
  ///
  /// - Returns: its process id.
  /// - Throws: the reason the program did not start.
  public func spawnDetached(_ request: ProcessRequest) throws(SpawnError) -> pid_t {
    try starting(request) {
      let null = try children.nullDescriptor()
      let launch = Launch(
        request: request.unmarked, streams: (null, null, null), leads: clibuv_leads_session,
        terminal: nil)
      return try launch.start()
    }
  }

  /// Starts a detached program as `spawnDetached` does, but returns our end of a pipe from its standard
  /// output; the descriptor does not block. Loop's thread.
  ///
  /// - Throws: the reason the program did not start.
  public func spawnDetachedWithOutput(
    _ request: ProcessRequest
  ) throws(SpawnError) -> (process: pid_t, output: Int32) {
    let pipe: Pipe
    do { pipe = try Pipe.open() } catch {
      throw .resourcesExhausted(
        program: request.argv.first?.text ?? "", errno: error.errorNumber)
    }
    let written = pipe.writeEnd.number
    let process = try starting(request) {
      let null = try children.nullDescriptor()
      return try Launch(
        request: request.unmarked, streams: (null, written, null), leads: clibuv_leads_session,
        terminal: nil
      ).start()
    }
    let output = pipe.releaseReadEnd()
    _ = fcntl(output, F_SETFL, fcntl(output, F_GETFL) | O_NONBLOCK)
    return (process, output)
  }

  private func starting<Result>(
    _ request: ProcessRequest, _ start: () throws -> Result
  ) throws(SpawnError) -> Result {
    confine()
    do {
      // The watch also reaps a detached program if it ends before this process.
      try children.watch(self)
      // From before the start until after it; the child that is added adopts for itself.
      Orphans.adopt()
      defer { Orphans.leave() }
      return try start()
    } catch let error as SpawnError {
      throw error
    } catch {
      let errorNumber = (error as? SystemFailure)?.errorNumber ?? EMFILE
      throw .resourcesExhausted(program: request.argv.first?.text ?? "", errno: errorNumber)
    }
  }

  /// Starts a program and returns our end of a pipe to its standard input or from its standard
  /// output; the descriptor does not block. Loop's thread.
  ///
  /// - Parameter writes: true if the pipe leads to the program's standard input.
  /// - Throws: the reason the program did not start. In that case `onEnd` is not called.
  public func spawn(
    _ request: ProcessRequest, pipeToInput writes: Bool, onEnd: @escaping (ProcessEnd) -> Void
  ) throws(SpawnError) -> (child: ChildProcess, descriptor: Int32) {
    let pipe: Pipe
    do { pipe = try Pipe.open() } catch {
      throw .resourcesExhausted(
        program: request.argv.first?.text ?? "", errno: error.errorNumber)
    }
    var request = request
    if writes {
      request.input = .descriptor(pipe.readEnd.number)
    } else {
      request.output = .descriptor(pipe.writeEnd.number)
    }
    let child = try spawn(request, onEnd: onEnd)
    let ours: Int32
    if writes { ours = pipe.releaseWriteEnd() } else { ours = pipe.releaseReadEnd() }
    _ = fcntl(ours, F_SETFL, fcntl(ours, F_GETFL) | O_NONBLOCK)
    return (child, ours)
  }

  private func start(
    _ request: ProcessRequest, _ onOutput: @escaping (UnsafeRawBufferPointer) -> Void,
    _ onEnd: @escaping (ProcessEnd) -> Void
  ) throws -> ChildProcess {
    let streams = try ChildStreams(request, nullDevice: { try children.nullDescriptor() })
    var request = request
    if let mark { request.environment = request.environment.map(mark.added) }
    let terminal = request.terminal == .always && !keepsTerminal ? LentTerminal() : nil
    var launch = Launch(
      request: request, streams: streams.numbers, record: startsRecord,
      terminal: terminal?.descriptor)
    var inputModes: InputModes?
    if case .terminal = request.output {
      if case .inherit = request.input { inputModes = InputModes() }
      try children.watchTerminalSize(self)
      launch.leads = clibuv_leads_session
      launch.terminal = streams.numbers.output
    }
    let pid =
      if let terminal { try terminal.lend(toGroupOf: launch.start) } else { try launch.start() }
    let process = ChildProcess(
      self, pid: pid, request, streams: streams, terminal: terminal, inputModes: inputModes,
      onOutput: onOutput, onEnd: onEnd)
    children.add(process)
    return process
  }
}

extension ProcessRequest {
  /// The request for a program that is to outlive the process that has marked this one.
  fileprivate var unmarked: ProcessRequest {
    var request = self
    request.environment = environment.map(ProcessMark.removed)
    return request
  }
}
