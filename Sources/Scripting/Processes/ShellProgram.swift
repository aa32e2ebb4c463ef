import EventLoop
import LuaRuntime
import Platform

/// A command line that Lua's own library executes through `os.execute` or `io.popen`. Confined to
/// the loop's thread.
///
/// For the script it is over when the shell has ended. Processes that the shell has left in its
/// process group count as ordinary processes of the script: the host's work is not over until they
/// have ended.
final class ShellProgram {
  /// The time it has to end after it is asked to.
  private static let grace = Duration.seconds(5)

  private let host: ScriptHost
  private var child: ChildProcess?
  /// True if an end was requested before the wait for it began: clean-up code may continue.
  private let isCleanUp: Bool
  private var killTime: Duration?
  private var onEnd: (() -> Void)?
  private var onGone: (() -> Void)?

  private init(_ host: ScriptHost) {
    self.host = host
    isCleanUp = host.interpreter.isInterrupted || host.policy.isEndRequested()
  }

  /// Starts a command line with the current process's standard streams.
  static func start(_ line: [UInt8], _ host: ScriptHost) throws(SpawnError) -> ShellProgram {
    let program = ShellProgram(host)
    program.follow(try host.loop.spawn(request(line, host)) { _ in program.isGone() })
    return program
  }

  /// Starts a command line with a pipe to its standard input or from its standard output.
  static func startPiped(
    _ line: [UInt8], writes: Bool, _ host: ScriptHost
  ) throws(SpawnError) -> (program: ShellProgram, descriptor: Int32) {
    let program = ShellProgram(host)
    var request = request(line, host)
    // As in Lua: a file that is never closed is closed and waited for when the interpreter ends.
    request.keepsLoopAlive = false
    let (child, descriptor) = try host.loop.spawn(request, pipeToInput: writes) { _ in
      program.isGone()
    }
    program.follow(child)
    return (program, descriptor)
  }

  private func follow(_ child: ChildProcess) {
    self.child = child
    host.liveProcesses += 1
    child.onProgramEnd = { [self] in
      self.child?.passOnInterrupt()
      let handler = onEnd
      onEnd = nil
      handler?()
    }
  }

  private static func request(_ line: [UInt8], _ host: ScriptHost) -> ProcessRequest {
    var request = ProcessRequest(argv: [Array("/bin/sh".utf8), Array("-c".utf8), line])
    request.input = .inherit
    host.hasGivenInput = true
    request.output = .inherit
    request.errors = .inherit
    request.terminal = .whenWanted
    let purpose = host.context.purpose
    let place = ProcessContext(
      purpose.place, over: host.variables(for: purpose.execution))
    request.environment = place.environment(of: host.environment)
    request.directory = place.directory
    request.onTerminalWanted = { [host] in
      host.log(.warn, "a program waits for the terminal, which is not free now")
    }
    // The script's own output comes first.
    host.observers.deliveredOutput()
    host.echo(line: line)
    return request
  }

  /// The exit status of the shell; nil while it runs.
  var status: ProcessEnd.Status? { child?.programStatus }

  /// Calls `body` when the shell has ended.
  func onEnd(_ body: @escaping () -> Void) { onEnd = body }

  /// Ends the wait for it: if the shell has ended, the host keeps the remaining processes;
  /// otherwise they are ended.
  ///
  /// - Parameter done: called when no wait is needed any more.
  func leave(_ done: @escaping () -> Void) {
    guard let child, child.isAlive else { return done() }
    if status != nil {
      host.leftPrograms[ObjectIdentifier(self)] = self
      return done()
    }
    onGone = done
    child.terminate(grace: Self.grace)
  }

  /// Asks the remaining processes to end.
  func terminate() { child?.terminate(grace: Self.grace) }

  private func isGone() {
    host.liveProcesses -= 1
    host.leftPrograms[ObjectIdentifier(self)] = nil
    let done = onGone
    onGone = nil
    done?()
    host.liveUntilIdle()
  }

  // MARK: Waiting without the loop

  /// Waits until the shell has ended, with everything else blocked, or until it has been ended
  /// because the run or the script's time is over.
  func wait() {
    while status == nil, child?.isAlive == true {
      attend()
      if status != nil { break }
      // Until a signal comes, such as that of a child's end.
      poll(nil, 0, 50)
    }
    leave {}
  }

  /// Supervises it while the loop is blocked.
  ///
  /// - Returns: true if the script continues to wait for it.
  @discardableResult
  func attend() -> Bool {
    guard let child, child.isAlive else { return true }
    child.attend()
    guard status == nil else { return true }
    if let killTime {
      // The loop is blocked and cannot run the timer.
      if EventLoop.now >= killTime { child.kill() }
      return false
    }
    guard isToEnd else { return true }
    killTime = EventLoop.now + Self.grace
    child.terminate(grace: Self.grace)
    return false
  }

  private var isToEnd: Bool {
    let interpreter = host.interpreter
    if let deadline = interpreter.deadline, LuaInterpreter.now >= deadline { return true }
    // Closing files because the interpreter ends is not clean-up of the script.
    guard !isCleanUp || !interpreter.isOpen else { return false }
    return interpreter.isInterrupted || host.policy.isEndRequested()
  }
}

extension ShellProgram {
  /// The wait status, in the format of C's `wait`. If it is unknown, a failure status, as if there
  /// were no such program.
  var waitStatus: Int32 {
    switch status {
    case .exited(let code): (code & 0xFF) << 8
    case .signalled(let signal): signal
    case .unknown, nil: 127 << 8
    }
  }
}

extension ShellProgram: LuaProgram {
  func finish() -> Int32 {
    wait()
    return waitStatus
  }
}
