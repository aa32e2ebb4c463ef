import LuaRuntime
import Reactive
import Scripting

import Platform

/// A session in which a person, or a pipe, gives one line after another.
final class Repl: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let session: Session
  let editor: any ReplInput
  let printer: ReplPrinter
  private(set) var workspace: Workspace
  var isLeaving = false
  /// What the first failure means for the exit status.
  private(set) var status = ExitStatus.success
  /// What the terminal's editor knows of the language.
  private var language: LuaLanguage?
  private(set) var bindings: KeyBindings?
  /// The entries of a person's session. A pipe's are not kept.
  private(set) var log = EntryLog()
  /// The number of the entry that is being executed.
  private(set) var number = 0
  /// What is being executed, as messages call it.
  private var title = "start"

  init(_ session: Session, _ line: CommandLine) throws {
    self.session = session
    printer = ReplPrinter(
      output: session.output,
      values: Style(option: line[.color], descriptor: STDOUT_FILENO),
      notes: Style(option: line[.color], descriptor: STDERR_FILENO))
    let isEditable = Self.isInteractive && environment("TERM").map { $0 != "dumb" } ?? false
    let terminal = isEditable ? try TerminalEditor(session, printer) : nil
    let plain = terminal == nil ? try PlainInput(session, isInteractive: Self.isInteractive) : nil
    let editor: any ReplInput = terminal ?? plain!
    self.editor = editor
    workspace = try Workspace(
      session.host, printer, watches: WatchList(showing: editor))
    plain?.isWhole = { [unowned self] in isWhole($0) }
    if let terminal {
      let language = LuaLanguage(self)
      self.language = language
      terminal.editor.delegate = language
      bindings = KeyBindings(terminal.editor)
      terminal.onBinding = { [unowned self] name in
        do { try bindings?.execute(name, workspace.host.interpreter) } catch { fail(error) }
      }
    }
    if Self.isInteractive { try KeyboardInterrupt.watch(session) }
    listen()
  }

  /// Whether a person sits at it.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The signals that end a session: at a terminal Ctrl-C does not.
  static var signals: [Int32] {
    Interruption.signals.filter { $0 != SIGINT || !isInteractive }
  }

  // MARK: Lines

  /// Reads and executes until the end.
  func run() {
    if editor.isInteractive {
      printer.note("raclette \(Raclette.version), Lua 5.4; :help explains, :quit leaves")
    }
    while !isLeaving, !session.isEnding {
      guard let entry = readEntry() else { break }
      execute(entry)
    }
  }

  /// Gives the input back and ends what runs. From now on Ctrl-C hurries the end.
  func end() {
    editor.finish()
    if editor.isInteractive, !session.isEnding { try? session.end(on: SIGINT) }
    if let error = editor.failure { fail(error) }
    // A person who leaves has seen what there was to see.
    if !editor.isInteractive { session.settle() }
    let count = workspace.jobs.active.count
    if count > 0, !session.isEnding {
      printer.note("\(count) job\(count == 1 ? "" : "s") still running: cancelled")
    }
    workspace.end()
  }

  /// The next entry and the number of its first line; nil at the end.
  private func readEntry() -> (text: [UInt8], line: Int)? {
    awaitTerminal()
    session.loop.keepsTerminal = true
    defer { session.loop.keepsTerminal = false }
    while true {
      switch editor.readEntry() {
      case .end: return nil
      case .interrupted: workspace.host.interpreter.clearInterrupt()
      case .entry(let text, let line):
        if text.contains(where: { !LuaTokens.isSpace($0) }) {
          editor.remember(text)
          number += 1
          if editor.isInteractive { log.add(text) }
        }
        return (text, line)
      }
    }
  }

  /// A program that Ctrl-C has just ended may still have the terminal. Ctrl-C that comes meanwhile is not
  /// meant for the next entry.
  private func awaitTerminal() {
    guard session.loop.hasLentTerminal else { return }
    let token = session.loop.keepAlive()
    defer { token.release() }
    session.wait { !session.loop.hasLentTerminal || session.isEnding }
    guard KeyboardInterrupt.take() else { return }
    workspace.host.interpreter.clearInterrupt()
    printer.note("interrupted")
  }

  /// Whether an entry can be executed, or its error told: more lines would not help.
  func isWhole(_ text: [UInt8]) -> Bool {
    if Entry(text).isMeta || Entry(text).isBackground { return true }
    if case .incomplete = compile(text, atLine: 1) { return false }
    return true
  }

  private func execute(_ entry: (text: [UInt8], line: Int)) {
    let interpreter = workspace.host.interpreter
    interpreter.awaitInterrupt(by: SIGINT)
    defer {
      interpreter.ignoreInterrupt(by: SIGINT)
      workspace.host.interpreter.clearInterrupt()
    }
    let answered = KeyboardInterrupt.answers
    defer { if KeyboardInterrupt.answers != answered { editor.holdInput() } }
    // Pressed since the line was given, it is meant for it.
    if KeyboardInterrupt.take() { return printer.note("interrupted") }
    let parts = Entry(entry.text)
    if parts.isEmpty { return }
    title = parts.title
    if parts.isMeta { return execute(meta: parts.code) }
    guard let function = function(of: parts.code, atLine: entry.line) else { return }
    if parts.isBackground {
      startJob(function, titled: parts.title)
    } else {
      evaluateAndShow(function, orSay: Self.habits[parts.title].map { "did you mean \($0)?" })
    }
  }

  private func startJob(_ function: LuaReference, titled title: String) {
    let execution = workspace.host.execute(
      .reference(function), named: title, replayCapacity: JobTable.replayCapacity)
    let job = workspace.jobs.add(execution, title: title, isAnnounced: true)
    if job.isActive { printer.note(job.label) }
  }

  // MARK: Chunks

  private func compile(_ text: [UInt8], atLine line: Int) -> Chunk {
    workspace.environment.compile(
      text, named: chunkName, atLine: editor.isInteractive ? 1 : line)
  }

  private var chunkName: String { editor.isInteractive ? "[\(number)]" : "stdin" }

  /// The function of a text; nil once its error has been told.
  func function(of text: [UInt8], atLine line: Int = 1) -> LuaReference? {
    switch compile(text, atLine: line) {
    case .ready(let function): return function
    case .invalid(let error): fail(error)
    case .incomplete:
      fail(LuaError("\(chunkName):\(line): the chunk is not complete"))
    }
    return nil
  }

  // MARK: Failures

  /// Tells a failure and keeps it.
  func fail(_ error: any Error, from source: String? = nil) {
    var failure = workspace.host.failure(ofScript: error)
    // What was typed is what was asked for.
    failure.outer = failure.outer ?? title
    workspace.note(failure, from: source ?? title)
    printer.failure(failure, message: text(ofRaised: failure))
  }

  /// Tells what is wrong with a `:` command.
  func complain(_ text: String) {
    noteStatus(ExitStatus.usage)
    printer.error(text)
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
    ValueText(host: workspace.host, style: printer.values) { [unowned workspace] in
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
