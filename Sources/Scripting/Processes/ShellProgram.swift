import EventLoop
import LuaRuntime

import Platform

/// A command line that Lua's own library executes, `os.execute` and `io.popen`. On the loop's thread.
///
/// It is over for the script when the shell has ended. What that has left behind in its process group
/// is a process of the script like any other: the host's work is not over before it has ended.
final class ShellProgram: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// How long it may take to end once it is asked to.
  private static let grace = Duration.seconds(5)

  private let host: ScriptHost
  private var child: ChildProcess?
  /// Whether an end was asked for before it began to be waited for: what cleans up may go on.
  private let isCleanUp: Bool
  private var killTime: Duration?
  private var onEnd: (() -> Void)?
  private var onGone: (() -> Void)?

  private init(_ host: ScriptHost) {
    self.host = host
    isCleanUp = host.interpreter.isInterrupted || host.isEndRequested()
  }

  /// Starts a command line with the process's own standard streams.
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
    // Like Lua's: what nobody closes is closed and waited for when the interpreter ends.
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
      passOnInterrupt()
      let handler = onEnd
      onEnd = nil
      handler?()
    }
  }

  private static func request(_ line: [UInt8], _ host: ScriptHost) -> ProcessRequest {
    var request = ProcessRequest(argv: [Array("/bin/sh".utf8), Array("-c".utf8), line])
    request.input = .inherit
    request.output = .inherit
    request.errors = .inherit
    request.terminal = .whenWanted
    request.onTerminalWanted = { [host] in
      host.onLog(.warn, "a program waits for the terminal, which is not free now")
    }
    // What the script has printed comes first.
    host.onOutputDelivered()
    return request
  }

  /// How the shell has ended; nil if it has not.
  var status: ProcessEnd.Status? { child?.programStatus }

  /// Calls `body` when the shell has ended.
  func onEnd(_ body: @escaping () -> Void) { onEnd = body }

  /// Ctrl-C at a terminal that the program owned was meant for the whole run; one that did not want to
  /// end by it has not.
  private func passOnInterrupt() {
    guard let child, child.hasUsedTerminal, child.programStatus == .signalled(SIGINT) else {
      return
    }
    // Here and now, before anything goes on as if it had not come.
    raise(SIGINT)
  }

  /// The wait for it is over: it is left to the host if the shell has ended, and ended otherwise.
  ///
  /// - Parameter done: called when nobody has to wait for it any more.
  func leave(_ done: @escaping () -> Void) {
    guard let child, child.isAlive else { return done() }
    if status != nil {
      host.leftPrograms[ObjectIdentifier(self)] = self
      return done()
    }
    onGone = done
    child.terminate(grace: Self.grace)
  }

  /// Asks what is left of it to end.
  func terminate() { child?.terminate(grace: Self.grace) }

  private func isGone() {
    host.liveProcesses -= 1
    host.leftPrograms[ObjectIdentifier(self)] = nil
    let done = onGone
    onGone = nil
    done?()
    // A host that has been closed lives until its processes have ended.
    host.loop.enqueue { [host] in withExtendedLifetime(host) {} }
  }

  // MARK: Waiting without the loop

  /// Waits until the shell has ended, with everything else standing still, or until it has been ended
  /// because the run, or the time of the script, is over.
  func wait() {
    while status == nil, child?.isAlive == true {
      attend()
      if status != nil { break }
      // Until a signal comes, such as that of a child's end.
      poll(nil, 0, 50)
    }
    leave {}
  }

  /// Looks after it while the loop stands still.
  ///
  /// - Returns: whether the script goes on waiting for it.
  @discardableResult
  func attend() -> Bool {
    guard let child, child.isAlive else { return true }
    child.attend()
    guard status == nil else { return true }
    if let killTime {
      // The loop, whose timer it would be, stands still.
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
    // Files that are closed because the interpreter ends are no clean-up of the script.
    guard !isCleanUp || !interpreter.isOpen else { return false }
    return interpreter.isInterrupted || host.isEndRequested()
  }
}

extension ShellProgram {
  /// How it ended, as `wait` of C tells it. Where nobody knows, not well: as if there were no such
  /// program.
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
