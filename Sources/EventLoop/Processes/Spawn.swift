#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EventLoop {
  /// Starts a program as the leader of a process group of its own. Loop's thread.
  ///
  /// On Linux the first call makes this process the reaper of its orphaned descendants, so that the
  /// end of one that outlives the program is an event.
  ///
  /// - Parameters:
  ///   - onOutput: gets standard output, if it is a `.pipe`, in chunks of at most 64 KiB that are
  ///     valid only during the call.
  ///   - onEnd: called once, after the last chunk: when the program has ended, its output is at
  ///     its end, and no process of the group is left. A descendant that outlives the program
  ///     keeps the child alive; see `ChildProcess.terminate` for one that left the group.
  /// - Throws: what keeps the program from starting. Then no handler is called.
  @discardableResult
  public func spawn(
    _ request: ProcessRequest, onOutput: @escaping (UnsafeRawBufferPointer) -> Void = { _ in },
    onEnd: @escaping (ProcessEnd) -> Void
  ) throws(SpawnError) -> ChildProcess {
    confine()
    do {
      try children.watch(self)
      return try start(request, onOutput, onEnd)
    } catch let error as SpawnError {
      throw error
    } catch {
      let errorNumber = (error as? SystemFailure)?.errorNumber ?? EMFILE
      throw .resourcesExhausted(program: request.argv.first?.text ?? "", errno: errorNumber)
    }
  }

  private func start(
    _ request: ProcessRequest, _ onOutput: @escaping (UnsafeRawBufferPointer) -> Void,
    _ onEnd: @escaping (ProcessEnd) -> Void
  ) throws -> ChildProcess {
    let streams = try ChildStreams(request, nullDevice: { try children.nullDescriptor() })
    let terminal = request.takesTerminal ? LentTerminal() : nil
    let launch = Launch(
      request: request, streams: streams.numbers, terminal: terminal?.descriptor)
    let pid = try launch.start()
    terminal?.lend(to: pid)
    let process = ChildProcess(
      self, pid: pid, request, streams: streams, terminal: terminal, onOutput: onOutput,
      onEnd: onEnd)
    children.add(process)
    return process
  }
}
