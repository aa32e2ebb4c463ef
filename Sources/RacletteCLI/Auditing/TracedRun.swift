import EventLoop
import Platform
import RunnerCore
import Scripting

/// A runner below strace, to its end. On the loop's thread.
///
/// strace is a grandchild in a session of its own, so that the runner is a child as without it: Ctrl-C,
/// signals and the exit status are its own. strace writes into a pipe, whose end is that of all
/// processes that it traces. It writes a line at a time, so the pipe is large and read now and then: a
/// reader that each line woke would take the time of the processors from what is traced.
final class TracedRun {
  private let session: Session
  private(set) var trace: AuditTrace
  private var output: Pipe
  /// Reads the output until its end.
  private var reading: Timer?
  private var space = [UInt8](repeating: 0, count: TracedRun.room)
  private var end: ProcessEnd?

  private static let period = Duration.milliseconds(20)
  /// The most bytes that a pipe of a user may hold.
  private static let room = 1 << 20

  private struct Pipe {
    var reader: Int32
    var writer: Int32?
  }

  /// - Parameter folder: where the runner begins.
  init(_ session: Session, from folder: String) throws(AuditError) {
    self.session = session
    trace = AuditTrace(from: folder)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .cannotStart(systemErrorText(errno)) }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    growPipe(ends[0], to: Self.room)
    output = Pipe(reader: ends[0], writer: ends[1])
  }

  deinit {
    reading?.cancel()
    close(output.reader)
    closeWriter()
  }

  private func closeWriter() {
    if let writer = output.writer { close(writer) }
    output.writer = nil
  }

  /// Runs this program with arguments.
  ///
  /// - Parameters:
  ///   - folder: the working directory.
  ///   - leavesProcesses: true if what it starts for others, such as the hub of services, may outlive
  ///     it: the tracer then leaves them alone, and is slower, as it looks at each system call.
  /// - Returns: the exit status.
  func run(
    _ arguments: [String], of command: String, in folder: String, leavesProcesses: Bool
  ) throws -> Int32 {
    guard
      let strace = ProgramLookup.path(of: Array("strace".utf8), environment: nil, directory: nil)
    else { throw AuditError.noTracer }
    let program =
      resolvedPath("/proc/self/exe") ?? ProcessEnvironment.arguments().first ?? "raclette"
    var options = ["-DDD", "-f", "-qq", "-y", "-s", "0", "-e", "signal=none"]
    if !leavesProcesses { options.append("--seccomp-bpf") }
    options += [
      "-e", "trace=\(TracedEvent.calls)", "-o", "/proc/\(getpid())/fd/\(output.writer ?? -1)", "--",
      program,
    ]
    var request = ProcessRequest(
      argv: [strace] + (options + arguments).map(\.exactBytes), directory: folder.exactBytes)
    request.input = .inherit
    // Standard output is for the report.
    request.output = .descriptor(STDERR_FILENO)
    request.terminal = .always
    reading = session.loop.timer(after: Self.period, every: Self.period) { [unowned self] in read()
    }
    let child: ChildProcess
    do { child = try session.loop.spawn(request) { [weak self] in self?.ended($0) } } catch {
      throw AuditError.cannotStart(error.description)
    }
    var tracer: pid_t?
    session.wait { [unowned self] in
      if leavesProcesses, tracer == nil, trace.hasBegun {
        tracer = Self.tracer(of: child.processID)
      }
      return end != nil || session.isEnding
    }
    if session.isEnding {
      child.terminate(grace: .seconds(5))
      session.wait { [unowned self] in end != nil }
    }
    if let tracer { kill(tracer, SIGKILL) }
    if reading != nil { tellWait() }
    session.wait { [unowned self] in reading == nil || session.isEnding }
    let status: Int32 =
      switch end?.status {
      case .exited(let code)?: code
      case .signalled(let signal)?: ExitStatus.ended(by: signal)
      case .unknown?, nil: ExitStatus.failure
      }
    guard trace.hasBegun else { throw AuditError.untraced(command: command, status: status) }
    return status
  }

  private func ended(_ end: ProcessEnd) {
    self.end = end
    closeWriter()
    // The tracer may not have opened it.
    read()
  }

  /// The process that traces another one.
  private static func tracer(of process: pid_t) -> pid_t? {
    let fields = statusFields(of: "\(process)")
    return fields?["TracerPid"].flatMap { pid_t($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Says after a second that the run has left processes behind.
  private func tellWait() {
    session.loop.timer(after: .seconds(1)) { [weak self] in
      guard let self, reading != nil else { return }
      session.report.say("waiting for the processes that the command has left behind")
    }.unref()
  }

  private func read() {
    while reading != nil {
      let count = space.withUnsafeMutableBytes { readBytes(from: output.reader, into: $0) }
      if count > 0 {
        trace.add(space[..<count])
        if trace.hasBegun { closeWriter() }
        continue
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      reading?.cancel()
      reading = nil
    }
  }
}
