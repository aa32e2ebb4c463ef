import LuaRuntime
import Reactive
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A session in which a person, or a pipe, gives one line after another.
final class Repl: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let session: Session
  let editor: any LineEditor
  let voice: Voice
  private(set) var workspace: Workspace
  var isLeaving = false
  /// What the first failure means for the exit status.
  private(set) var status = ExitStatus.success
  private var lineNumber = 0

  init(_ session: Session, _ line: CommandLine) throws {
    self.session = session
    voice = Voice(
      output: session.output,
      values: Style(option: line[.color], descriptor: STDOUT_FILENO),
      notes: Style(option: line[.color], descriptor: STDERR_FILENO))
    let terminal = Self.isInteractive ? try TerminalEditor(session, voice) : nil
    let editor: any LineEditor = try terminal ?? PlainInput(session)
    self.editor = editor
    workspace = try Workspace(
      session.host, voice, watches: WatchList { [unowned editor] in editor.status = $0 })
    terminal?.completions = { [unowned self] in Completer(workspace).completions(of: $0) }
    if terminal != nil { try KeyboardInterrupt.watch(session) }
    listen()
    (editor as? TerminalEditor)?.completions = { [unowned self] in
      Completer(workspace).completions(of: $0)
    }
  }

  /// Whether a person sits at it.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The signals that end a session: at a terminal Ctrl-C does not.
  static var signals: [Int32] {
    Interruption.signals.filter { $0 != SIGINT || !isInteractive }
  }

  // MARK: Lines

  /// Reads and executes until the end.
  ///
  /// - Returns: the exit status, which tells of the first error.
  func run() -> Int32 {
    if editor.isInteractive {
      voice.note("raclette \(Raclette.version), Lua 5.4; :help explains, :quit leaves")
    }
    while !isLeaving, !session.isEnding {
      guard let entry = readEntry() else { break }
      execute(entry)
    }
    if !session.isEnding { leave() }
    return editor.isInteractive ? ExitStatus.success : status
  }

  private func leave() {
    let count = workspace.jobs.active.count
    if count > 0 { voice.note("\(count) job\(count == 1 ? "" : "s") still running: cancelled") }
    workspace.end()
  }

  /// The lines of one chunk or one `:` command, and the number of the first; nil at the end.
  private func readEntry() -> (text: [UInt8], line: Int)? {
    var text: [UInt8] = []
    var first = 0
    while true {
      switch editor.readLine(text.isEmpty ? .first : .more) {
      case .end:
        if text.isEmpty { return nil }
        // What is incomplete is told by its error.
        return (text, first)
      case .interrupted:
        (text, first) = ([], 0)
        workspace.host.interpreter.clearInterrupt()
      case .line(let line):
        lineNumber += 1
        if line.contains(where: { !LuaTokens.isSpace($0) }) { editor.remember(line) }
        if text.isEmpty { first = lineNumber } else { text.append(10) }
        text += line
        if isWhole(text) { return (text, first) }
      }
    }
  }

  private func isWhole(_ text: [UInt8]) -> Bool {
    if Entry(text).isMeta || Entry(text).isBackground { return true }
    if case .incomplete = compile(text, atLine: 1) { return false }
    return true
  }

  private func execute(_ entry: (text: [UInt8], line: Int)) {
    let interpreter = workspace.host.interpreter
    interpreter.awaitInterrupt(true)
    defer {
      interpreter.awaitInterrupt(false)
      workspace.host.interpreter.clearInterrupt()
    }
    // Pressed since the line was given, it is meant for it.
    if KeyboardInterrupt.take() { return voice.note("interrupted") }
    let parts = Entry(entry.text)
    if parts.isEmpty { return }
    if parts.isMeta { return execute(meta: parts.code) }
    guard let function = function(of: parts.code, atLine: entry.line) else { return }
    if parts.isBackground {
      startJob(function, titled: parts.title)
    } else {
      evaluateAndShow(function)
    }
  }

  private func startJob(_ function: LuaReference, titled title: String) {
    let execution = workspace.host.execute(
      .reference(function), named: title, replayCapacity: JobTable.replayCapacity)
    let job = workspace.jobs.add(execution, title: title, isAnnounced: true)
    if job.isActive { voice.note(job.label) }
  }

  // MARK: Chunks

  private func compile(_ text: [UInt8], atLine line: Int) -> Chunk {
    workspace.environment.compile(
      text, named: editor.isInteractive ? "repl" : "stdin",
      atLine: editor.isInteractive ? 1 : line)
  }

  /// The function of a text; nil once its error has been told.
  func function(of text: [UInt8], atLine line: Int = 1) -> LuaReference? {
    switch compile(text, atLine: line) {
    case .ready(let function): return function
    case .invalid(let error): fail(error)
    case .incomplete:
      fail(
        LuaError("\(editor.isInteractive ? "repl" : "stdin"):\(line): the chunk is not complete"))
    }
    return nil
  }

  // MARK: Failures

  /// Tells a failure and keeps it.
  func fail(_ error: any Error) {
    let failure = workspace.host.failure(of: error)
    workspace.note(failure, from: "line")
    voice.failure(failure, message: text(ofRaised: failure))
  }

  /// Tells what is wrong with a `:` command.
  func complain(_ text: String) {
    noteStatus(ExitStatus.usage)
    voice.error(text)
  }

  private func noteStatus(_ code: Int32) {
    if status == ExitStatus.success { status = code }
  }

  /// A raised value that has no text of its own.
  func text(ofRaised failure: Failure) -> String? {
    guard failure.kind == .user, let value = failure.value, value.type != .string else {
      return nil
    }
    return values.text(of: value)
  }

  /// How values look.
  var values: ValueText {
    ValueText(host: workspace.host, style: voice.values) { [unowned workspace] in
      workspace.lastError(of: $0)
    }
  }

  // MARK: Reloading

  /// Goes on with another interpreter.
  func use(_ fresh: Workspace) {
    workspace = fresh
    listen()
  }

  private func listen() {
    workspace.onFailure = { [unowned self] in noteStatus($0.exitStatus(ofSingle: false)) }
  }
}
