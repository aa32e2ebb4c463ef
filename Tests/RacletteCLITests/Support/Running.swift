import Platform
import Testing
import TextFiles

/// What a program wrote, and how it ended.
struct Outcome: Sendable, CustomStringConvertible {
  var output = ""
  /// What was written to standard error.
  var allErrors = ""
  /// The exit status; that of a shell, 128 and the number, for a program that a signal ended.
  var status: Int32 = -1

  /// What was written to standard error, without what depends on the speed of the machine.
  var errors: String { allErrors.withoutSlowRemarks }
  var lines: [String] { output.split(separator: "\n").map(String.init) }
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
  /// The lines on standard error, without the name of the program in front of them.
  var notes: [String] {
    errorLines.map { $0.hasPrefix("raclette: ") ? String($0.dropFirst(10)) : $0 }
  }

  var description: String {
    "status \(status), output \(output.debugDescription), errors \(allErrors)"
  }
}

/// A program at work, and what it has written so far.
///
/// The methods block until what they wait for has happened; tests call them inside `onThread`.
final class Running: @unchecked Sendable {
  // Unchecked: each belongs to the one thread of its test.

  let pid: pid_t
  /// After how many milliseconds without a sign of life a program is given up.
  private static let patience: Int32 = 120_000

  private let leadsGroup: Bool
  private let words: [String]
  private let transcript = Transcript.current
  private var input: Int32?
  private var streams: [(descriptor: Int32, text: [UInt8])]
  private var status: Int32?
  /// Whether it was killed because it gave no sign of life.
  private var isGivenUp = false

  init(_ launch: Launch) {
    let (inputReading, inputWriting) = makePipe()
    let (outputReading, outputWriting) = makePipe()
    let (errorsReading, errorsWriting) = makePipe()
    var file: Int32?
    if case .file(let path) = launch.output { file = open(path, O_WRONLY | O_CLOEXEC) }
    let output: Int32? =
      switch launch.output {
      case .captured: outputWriting
      case .file: file
      case .descriptor(let descriptor): descriptor
      case .closed: nil
      }
    let given: Int32? = if case .closed = launch.input { nil } else { inputReading }
    leadsGroup = launch.leadsGroup
    words = launch.arguments
    pid = launch.start((given, output, errorsWriting))
    for descriptor in [inputReading, outputWriting, errorsWriting] { close(descriptor) }
    if let file { close(file) }
    streams = [(outputReading, []), (errorsReading, [])]
    input = inputWriting
    if case .text(let text) = launch.input {
      send(text)
      endInput()
    }
  }

  /// A program at a terminal, which is all its streams.
  init(atTerminal launch: Launch) {
    let (terminal, name) = makeTerminal()
    leadsGroup = false
    words = launch.arguments
    pid = launch.start((nil, nil, nil), terminal: name)
    streams = [(terminal, [])]
    input = fcntl(terminal, F_DUPFD_CLOEXEC, 0)
  }

  deinit {
    transcript?.add(words, status: status, streams.map(\.text))
    if status == nil {
      kill(pid, SIGKILL)
      var ignored: Int32 = 0
      waitpid(pid, &ignored, 0)
    }
    endInput()
    for stream in streams where stream.descriptor >= 0 { close(stream.descriptor) }
  }

  /// Writes to its standard input, or types at its terminal.
  func send(_ text: String) {
    guard let input else { return }
    // A program that has ended before it has read everything must not end the tests. What is started gets
    // the usual action back.
    signal(SIGPIPE, SIG_IGN)
    writeWhole(Array(text.utf8), to: input)
  }

  func endInput() {
    if let input { close(input) }
    input = nil
  }

  /// Sends it a signal, and to the whole group that it leads.
  func get(signal: Int32) {
    kill(leadsGroup ? -pid : pid, signal)
  }

  /// Waits until standard output, or the terminal, shows a text; an issue if it ends before.
  ///
  /// - Returns: whether it did before the end.
  @discardableResult
  func waitForOutput(
    _ text: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    wait(for: text, sourceLocation) {
      Self.text($0[0].text).split(separator: text, omittingEmptySubsequences: false).count > count
    }
  }

  /// Waits until the program waits for events: no code of a script runs.
  func waitUntilItIsIdle(sourceLocation: SourceLocation = #_sourceLocation) {
    // The numbers of epoll_wait and epoll_pwait on the machines that Linux runs on.
    let calls: Set = ["232", "281", "22"]
    eventually(sourceLocation: sourceLocation) {
      let call = try? TextFile("/proc/\(pid)/syscall").lines.first?.split(separator: " ").first
      return call.map { calls.contains(String($0)) } ?? true
    }
  }

  /// Waits until standard output has a number of lines; an issue if it ends before.
  func waitForOutputLines(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    wait(for: "\(count) lines", sourceLocation) { $0[0].text.count { $0 == 10 } >= count }
  }

  /// Waits until standard error shows a text; an issue if it ends before.
  @discardableResult
  func waitForErrors(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    wait(for: text, sourceLocation) { Self.text($0[$0.count - 1].text).contains(text) }
  }

  /// Waits until standard error has shown a text a number of times; an issue if it ends before.
  func waitForErrors(
    _ text: String, times: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    wait(for: text, sourceLocation) {
      Self.text($0[$0.count - 1].text).ranges(of: text).count >= times
    }
  }

  /// Reads until `isThere`; an issue if the streams end before.
  @discardableResult
  private func wait(
    for what: String, _ sourceLocation: SourceLocation,
    _ isThere: ([(descriptor: Int32, text: [UInt8])]) -> Bool
  ) -> Bool {
    if wait(isThere) { return true }
    Issue.record(
      "\(words) has not written \(what.debugDescription), but \(output)\n\(errors)",
      sourceLocation: sourceLocation)
    return false
  }

  /// What standard output, or the terminal, has shown so far.
  var output: String { Self.text(streams[0].text) }

  /// What standard error has shown so far.
  var errors: String { Self.text(streams[streams.count - 1].text) }

  /// Waits until the program has stopped, as by Ctrl-Z.
  func waitForStop(sourceLocation: SourceLocation = #_sourceLocation) {
    RacletteCLITests.waitForStop(of: pid, sourceLocation: sourceLocation)
  }

  /// Waits for the end of the program and of what it wrote.
  ///
  /// - Parameter signal: what to send it ten times a second meanwhile.
  func finish(
    repeating signal: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Outcome {
    _ = wait(repeating: signal) { _ in false }
    if isGivenUp {
      Issue.record(
        "\(words) gave no sign of life and was killed", sourceLocation: sourceLocation)
    }
    let status = exitStatus(of: pid, sourceLocation: sourceLocation)
    self.status = status
    return Outcome(
      output: Self.text(streams[0].text),
      allErrors: streams.count > 1 ? Self.text(streams[1].text) : "",
      status: status)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Reads until `isThere`, or until all streams have ended.
  private func wait(
    repeating signal: Int32? = nil, _ isThere: ([(descriptor: Int32, text: [UInt8])]) -> Bool
  ) -> Bool {
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      if isThere(streams) { return true }
      var polls = streams.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      if polls.allSatisfy({ $0.fd < 0 }) { return false }
      switch poll(&polls, nfds_t(polls.count), signal == nil ? Self.patience : 100) {
      case 0:
        // Whoever still holds the streams after that will not be waited for.
        if signal == nil, isGivenUp { return false }
        isGivenUp = signal == nil
        kill(pid, signal ?? SIGKILL)
      case ..<0: continue
      default: break
      }
      for (index, poll) in polls.enumerated() where poll.fd >= 0 && poll.revents != 0 {
        let count = read(poll.fd, &space, space.count)
        if count > 0 {
          streams[index].text += space[..<count]
        } else if count == 0 || errno != EINTR {
          // A terminal that nobody has open any more reads as EIO.
          close(poll.fd)
          streams[index].descriptor = -1
        }
      }
    }
  }
}

private final class Start {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

/// Runs `body`, which blocks, on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  let transcript = Transcript(of: Test.current)
  return await withCheckedContinuation { continuation in
    let start = Start {
      continuation.resume(returning: Transcript.$current.withValue(transcript) { body() })
    }
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { start in
        guard let start else { return nil }
        Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(start).toOpaque())
    precondition(code == 0, "no thread could be started")
    pthread_detach(thread)
  }
}

/// Runs raclette to its end.
func raclette(
  _ arguments: String..., in folder: Folder? = nil, at path: String? = nil, input: String = "",
  output: Launch.Output = .captured, environment: [String: String] = [:]
) async -> Outcome {
  let launch = Launch(
    arguments: arguments, folder: path ?? folder?.path ?? "/", environment: environment,
    input: .text(input), output: output)
  return await onThread { Running(launch).finish() }
}

/// Runs a line of the shell to its end, with `raclette` found by its name.
func shell(_ line: String, in folder: Folder) async -> Outcome {
  // The executable under test may have another name.
  folder.makeFolder(".bin")
  symlink(Program.path, folder[".bin/raclette"])
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  let launch = Launch(
    program: "/bin/bash", arguments: ["-c", line], folder: folder.path,
    // What the user's cache has must not count.
    environment: [
      "PATH": "\(folder[".bin"]):\(path)", "XDG_CACHE_HOME": folder[".bin/cache"],
    ])
  return await onThread { Running(launch).finish() }
}
