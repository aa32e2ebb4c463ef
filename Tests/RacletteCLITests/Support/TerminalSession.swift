import Platform
import TerminalScreen
import Testing
import TextFiles

/// A session of `raclette repl` at a terminal whose screen can be seen.
///
/// The methods block until the screen shows what they wait for; tests call them inside `onThread`.
final class TerminalSession {
  let screen: Screen
  let pid: pid_t
  let folder: Folder
  private let terminal: Int32
  private let words: [String]
  private let transcript = Transcript.current
  private var hasHungUp = false
  private var status: Int32?
  /// Whether the program has sent more than text.
  private(set) var hasSeenEscapes = false
  /// After how long a screen is given up.
  private static let timeout: Duration = .seconds(120)

  init(
    _ arguments: [String] = ["repl"], of program: String = Program.path, in folder: Folder,
    rows: Int = 24, columns: Int = 80, environment: [String: String] = [:]
  ) {
    self.folder = folder
    words = arguments
    screen = Screen(rows: rows, columns: columns)
    let (terminal, name) = makeTerminal()
    self.terminal = terminal
    Self.setSize(terminal, rows, columns)
    let launch = Launch(
      program: program, arguments: arguments, folder: folder.path,
      environment: [
        "HOME": folder.path, "XDG_STATE_HOME": folder["state"], "XDG_CONFIG_HOME": folder["config"],
        "TERM": "xterm", "LC_ALL": "C.UTF-8",
      ].merging(environment) { $1 })
    pid = launch.start((nil, nil, nil), terminal: name)
  }

  deinit {
    transcript?.add(words, status: status, [Array(screen.text.utf8)])
    if status == nil {
      kill(pid, SIGKILL)
      var ignored: Int32 = 0
      waitpid(pid, &ignored, 0)
    }
    hangUp()
  }

  private static func setSize(_ terminal: Int32, _ rows: Int, _ columns: Int) {
    var size = winsize()
    (size.ws_row, size.ws_col) = (UInt16(rows), UInt16(columns))
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  func resize(rows: Int, columns: Int) {
    screen.resize(rows: rows, columns: columns)
    Self.setSize(terminal, rows, columns)
  }

  /// Whether the terminal itself shows what is typed, line by line.
  var echoes: Bool {
    var mode = termios()
    tcgetattr(terminal, &mode)
    let wanted = tcflag_t(ECHO | ICANON)
    return mode.c_lflag & wanted == wanted
  }

  /// Waits until a program that the session has started owns the terminal.
  func waitUntilAProgramOwnsTheTerminal(sourceLocation: SourceLocation = #_sourceLocation) {
    eventually(sourceLocation: sourceLocation) { ![pid, -1, 0].contains(tcgetpgrp(terminal)) }
  }

  /// Types keys.
  func type(_ keys: String) { type(bytes: Array(keys.utf8)) }

  func type(bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      // The terminal takes little at a time, and its echo has to be read meanwhile.
      let count = bytes.withUnsafeBytes {
        writeBytes(.init(rebasing: $0[sent..<min(bytes.count, sent + 2_048)]), to: terminal)
      }
      if count < 0, errno != EINTR { return }
      sent += max(0, count)
      while receive(within: 0) == .something {}
    }
  }

  /// Types a line, waits until it is there, and ends it.
  func enter(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = line.suffix(12)
    type(line)
    wait(sourceLocation: sourceLocation) { $0.textBeforeCursor.hasSuffix(end) }
    type("\r")
    wait(sourceLocation: sourceLocation) {
      $0.cursor.column == 0 || !$0.textBeforeCursor.hasSuffix(end)
    }
  }

  /// Takes the terminal away.
  func hangUp() {
    if !hasHungUp { close(terminal) }
    hasHungUp = true
  }

  /// Waits until the screen is as wanted, and shows the whole of what the program was writing then; an
  /// issue if that does not come about.
  ///
  /// - Returns: whether it came to that.
  @discardableResult
  func wait(
    sourceLocation: SourceLocation = #_sourceLocation, until isThere: (Screen) -> Bool
  ) -> Bool {
    guard receive(until: { isThere(screen) }) else {
      Issue.record(
        "waited in vain; the program is \(state); the screen is\n\(screen.text)",
        sourceLocation: sourceLocation)
      return false
    }
    showTheRest()
    return true
  }

  /// Shows what the program writes until it waits: a picture that it has begun may come in several pieces.
  /// A program that goes on computing is not waited for.
  private func showTheRest() {
    for _ in 0..<100 {
      while receive(within: 0) == .something {}
      if hasHungUp || !isComputing { break }
      poll(nil, 0, 1)
    }
    while receive(within: 0) == .something {}
  }

  /// True unless the program waits in a call of the system that does not write.
  private var isComputing: Bool {
    // The number of write on the machines that Linux runs on.
    guard let call = try? TextFile("/proc/\(pid)/syscall").lines.first?.split(separator: " ").first
    else { return false }
    return ["running", "1", "64"].contains(call)
  }

  /// What the program does, as far as the system tells: its state, and the calls that it is in.
  private var state: String {
    ["status", "wchan", "syscall", "stack"].map { name in
      let text = (try? TextFile("/proc/\(pid)/\(name)").lines) ?? []
      let lines =
        name == "status" ? text.filter { $0.hasPrefix("State:") || $0.hasPrefix("Sig") } : text
      return "\(name): \(lines.joined(separator: " "))"
    }.joined(separator: ", ")
  }

  /// Waits until a line of the screen is this text.
  @discardableResult
  func wait(forLine line: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    wait(sourceLocation: sourceLocation) { $0.lines.contains(line) }
  }

  /// Waits until the screen shows a text.
  @discardableResult
  func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    wait(sourceLocation: sourceLocation) { $0.text.contains(text) }
  }

  /// Waits until an empty prompt is the last line.
  @discardableResult
  func waitForPrompt(sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    wait(sourceLocation: sourceLocation) { $0.lines.last == "rac>" }
  }

  /// Waits until the program has stopped, as by Ctrl-Z.
  func waitUntilItStops(sourceLocation: SourceLocation = #_sourceLocation) {
    waitForStop(of: pid, sourceLocation: sourceLocation)
  }

  /// Waits until the program is inside the system's call that reads its standard input: the one whose
  /// arguments begin with the descriptor 0 and a buffer.
  func waitUntilItReads(sourceLocation: SourceLocation = #_sourceLocation) {
    eventually(sourceLocation: sourceLocation) {
      let call = try? TextFile("/proc/\(pid)/syscall").lines.first?.split(separator: " ")
      guard let call else { return true }
      return call.count >= 3 && call[1] == "0x0" && call[2] != "0x0"
    }
  }

  /// Waits until the program has used a tenth of a second of processor time from now on.
  func waitUntilItComputes(sourceLocation: SourceLocation = #_sourceLocation) {
    var begin: Int?
    eventually(sourceLocation: sourceLocation) {
      // The time in ticks of 10 ms; the name before it is in parentheses.
      let fields = (try? TextFile("/proc/\(pid)/stat").lines.first)?.split(separator: ")").last?
        .split(separator: " ")
      guard let ticks = fields.flatMap({ $0.count > 11 ? Int($0[11]) : nil }) else { return true }
      begin = begin ?? ticks
      return ticks >= (begin ?? 0) + 10
    }
  }

  /// Whether Ctrl-C brings the prompt back, and the next line is answered.
  ///
  /// - Parameter number: tells the answers of several lines apart.
  func answersAfterControlC(_ number: Int = 42) -> Bool {
    type("\u{03}")
    waitForPrompt()
    enter("1000 * \(number)")
    return wait(forLine: "\(1000 * number)")
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: the exit status, that of a shell.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
    _ = receive { false }
    let status = exitStatus(of: pid, sourceLocation: sourceLocation)
    self.status = status
    return status
  }

  /// Shows what the program writes until `isThere`, or until nothing more can come or the time is over.
  ///
  /// A program that goes on writing does not buy more time. A turn counts for little more than it waits
  /// at most: a machine that was halted meanwhile says nothing about the program.
  ///
  /// - Returns: whether `isThere`.
  private func receive(until isThere: () -> Bool) -> Bool {
    var waited: Duration = .zero
    while !isThere() {
      let begin = ContinuousClock.now
      if receive(within: 100) == .end || waited >= Self.timeout { return isThere() }
      waited += min(ContinuousClock.now - begin, .milliseconds(200))
    }
    return true
  }

  private enum Received { case something, nothing, end }

  /// Shows what the program writes next.
  private func receive(within milliseconds: Int32) -> Received {
    guard !hasHungUp else { return .end }
    var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    // A signal for this process, like the end of another test's child, ends the call, too.
    guard poll(&state, 1, milliseconds) > 0 else { return .nothing }
    var space = [UInt8](repeating: 0, count: 65_536)
    let count = read(terminal, &space, space.count)
    guard count > 0 else { return count < 0 && errno == EINTR ? .nothing : .end }
    screen.write(space[..<count])
    hasSeenEscapes = hasSeenEscapes || space[..<count].contains(0x1B)
    return .something
  }
}

/// Runs a session at a terminal on a thread of its own.
func atPrompt<Result: Sendable>(
  _ files: [String: String] = [:], arguments: [String] = ["repl"], rows: Int = 24,
  columns: Int = 80, environment: [String: String] = [:],
  _ body: @escaping @Sendable (TerminalSession) -> Result
) async -> Result {
  await onThread {
    let session = TerminalSession(
      arguments, in: Folder(files), rows: rows, columns: columns, environment: environment)
    session.waitForPrompt()
    return body(session)
  }
}
