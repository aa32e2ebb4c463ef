import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// An interactive session, which reads one entry after another from a terminal or a pipe.
package final class Repl: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let session: Session
  private let options: CommandLine
  let editor: any ReplInput
  let printer: ReplPrinter
  private(set) var workspace: Workspace
  var isLeaving = false
  /// The exit status that the first failure implies.
  private(set) var status = ExitStatus.success
  /// The language support of the terminal editor.
  private var language: LuaLanguage?
  let bindings: KeyBindings
  /// The entries of an interactive session. Entries from a pipe are not kept.
  private(set) var log = EntryLog()
  /// The number of the current entry.
  private(set) var number = 0
  /// The name of the current entry in messages.
  private var title = "start"
  /// The text of the current entry.
  private var text: [UInt8] = []
  /// The number of the current entry's first line in a pipe; nil before the first entry, and at a
  /// terminal.
  private var line: Int?

  package init(_ session: Session, _ line: CommandLine) throws {
    self.session = session
    options = line
    printer = ReplPrinter(
      output: session.output,
      values: Style(option: line[.color], descriptor: STDOUT_FILENO),
      notes: Style(option: line[.color], descriptor: STDERR_FILENO))
    let isEditable = Self.isInteractive && environment("TERM").map { $0 != "dumb" } ?? false
    let terminal = isEditable ? try TerminalEditor(session, printer) : nil
    let plain = terminal == nil ? try PlainInput(session, isInteractive: Self.isInteractive) : nil
    let editor: any ReplInput = terminal ?? plain!
    self.editor = editor
    bindings = KeyBindings(terminal?.editor)
    workspace = try Workspace(
      session.host, printer, watches: WatchList(showing: editor))
    plain?.isWhole = { [unowned self] in isWhole($0) }
    if let terminal {
      let language = LuaLanguage(self)
      self.language = language
      terminal.editor.delegate = language
      terminal.onBinding = { [unowned self] name in
        do { try bindings.execute(name, workspace.host.interpreter) } catch { fail(error) }
      }
    }
    if Self.isInteractive { try KeyboardInterrupt.watch(session) }
    listen()
  }

  /// Returns the confirmations of a run that begins now: one run's answers are not those of others.
  func newConfirmations() -> Confirmations {
    Confirmations(options, asks: true, answeredBy: "'raclette repl --yes'")
  }

  /// Asks about a call that begins now, unless its run has asked. While a line is edited, the
  /// terminal is the editor's.
  func confirm(_ call: Plan.Call) throws(Failure) {
    if workspace.confirmed.take(call) { return }
    let confirmations = newConfirmations()
    if !confirmations.isConfirmed(call), session.loop.keepsTerminal,
      let question = try call.question()
    {
      throw Failure(
        .input, "it asks \"\(question)\", which cannot be answered here: ':run' executes it")
    }
    try confirmations.confirm(call)
  }

  /// True when a terminal is attached.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// The signals that end a session: at a terminal, Ctrl-C does not.
  static var signals: [Int32] {
    Interruption.signals.filter { $0 != SIGINT || !isInteractive }
  }

  // MARK: Lines

  /// Reads and executes entries until the end of the input.
  func run() {
    if editor.isInteractive {
      var files = ""
      for file in workspace.files { files += "; \(CommandFile.split(file.name).name)" }
      printer.note(
        "raclette \(ScriptHost.version), Lua 5.4\(files); :help explains, :quit leaves")
    }
    while !isLeaving, !session.isEnding {
      guard let entry = readEntry() else { break }
      execute(entry)
    }
  }

  /// Releases the input and ends the running work. From now on Ctrl-C ends it faster.
  func end() {
    editor.finish()
    if editor.isInteractive, !session.isEnding { try? session.end(on: SIGINT) }
    if let error = editor.failure { fail(error) }
    // An interactive user who quits has seen the output.
    if !editor.isInteractive { session.settle() }
    let count = workspace.jobs.active.count
    if count > 0, !session.isEnding {
      printer.note("\(count) job\(count == 1 ? "" : "s") still running: cancelled")
    }
    workspace.end()
  }

  /// The next entry and the number of its first line; nil at end of input.
  private func readEntry() -> (text: [UInt8], line: Int)? {
    awaitTerminal()
    session.loop.keepsTerminal = true
    defer { session.loop.keepsTerminal = false }
    var isWarned = false
    while true {
      switch editor.readEntry() {
      case .end: return nil
      case .leave:
        let count = workspace.jobs.active.count
        if count == 0 || isWarned { return nil }
        isWarned = true
        let jobs = count == 1 ? "1 job is" : "\(count) jobs are"
        printer.note("\(jobs) still running; Ctrl-D again cancels and leaves")
      case .interrupted: workspace.host.interpreter.clearInterrupt()
      case .entry(let text, let line):
        if text.contains(where: { !LuaTokens.isSpace($0) }) {
          if !EntryLog.isPrivate(text) { editor.remember(text) }
          number += 1
          if editor.isInteractive { log.add(text) }
        }
        return (text, line)
      }
    }
  }

  /// Waits while a program that Ctrl-C has just ended may still own the terminal. A Ctrl-C during
  /// the wait does not apply to the next entry.
  private func awaitTerminal() {
    guard session.loop.hasLentTerminal else { return }
    let token = session.loop.keepAlive()
    defer { token.release() }
    session.wait { !session.loop.hasLentTerminal || session.isEnding }
    guard KeyboardInterrupt.take() else { return }
    workspace.host.interpreter.clearInterrupt()
    printer.note("interrupted")
  }

  /// True if an entry can be executed or its error reported: more lines would not help.
  func isWhole(_ text: [UInt8]) -> Bool {
    let entry = Entry(text)
    if entry.isBackground { return true }
    guard let code = entry.isMeta ? MetaCommand.expression(in: entry.code) : text else {
      return true
    }
    return !workspace.environment.isIncomplete(code, named: "=\(chunkName)")
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
    // A Ctrl-C pressed since the line was submitted applies to it.
    if KeyboardInterrupt.take() { return printer.note("interrupted") }
    let parts = Entry(entry.text)
    if parts.isEmpty { return }
    title = parts.title
    text = parts.code
    line = editor.isInteractive ? nil : entry.line
    do { try workspace.environment.prepare() } catch { return fail(error) }
    if parts.isMeta { return execute(meta: parts.code) }
    guard let function = function(of: parts.code) else { return }
    if parts.isBackground {
      startJob(function, of: parts)
    } else {
      let habit = Self.habits[parts.title] ?? commandName(parts.title).map { ":run \($0)" }
      evaluateAndShow(
        function, orSay: habit.map { "did you mean \($0)?" } ?? gap(parts.title))
      if habit == nil, editor.isInteractive, workspace.environment.variable("_\(number)") == nil,
        let name = MeantName(workspace).name(missedBy: parts.code)
      {
        printer.note("did you mean \(name)?")
      }
    }
  }

  /// The name if a command has it; nil for any other text.
  func commandName(_ name: String) -> String? {
    workspace.host.command(named: name) == nil ? nil : name
  }

  /// Tells that a value such as `_12` is no longer kept; nil for other names.
  private func gap(_ name: String) -> String? {
    let kept = SessionEnvironment.valueMemory
    guard name.hasPrefix("_"), let entry = Int(name.dropFirst()), entry > 0, entry <= number - kept
    else { return nil }
    return "\(name) is no longer kept: only the values of the latest \(kept) entries are"
  }

  private func startJob(_ function: LuaReference, of entry: Entry) {
    // The execution itself is the job, not what would wait for it.
    if entry.isExecution { return startExecution(function) }
    let title = entry.title
    let execution = workspace.host.execute(
      .reference(function), named: title, replayCapacity: JobTable.replayCapacity)
    let job = workspace.jobs.add(execution, title: title, isAnnounced: true)
    if job.isActive { printer.note(job.label) }
  }

  /// Evaluates an entry that executes a command, in the background.
  private func startExecution(_ function: LuaReference) {
    let before = workspace.jobs.latest
    guard let results = evaluate(function) else { return }
    announceJobs(since: before)
    if let execution = results.last { workspace.environment.setLast(execution, ofEntry: number) }
  }

  // MARK: Chunks

  private var chunkName: String { editor.isInteractive ? "[\(number)]" : "stdin" }

  /// Compiles a text of the entry to a function; returns nil after reporting an error.
  func function(of text: [UInt8]) -> LuaReference? {
    let line = line ?? 1
    switch workspace.environment.compile(text, named: "=\(chunkName)", atLine: line) {
    case .ready(let function): return function
    case .invalid(let error): fail(error)
    case .incomplete:
      fail(LuaError("\(chunkName):\(line): the chunk is not complete"))
    }
    return nil
  }

  // MARK: Failures

  /// Reports a failure and stores its exit status.
  func fail(_ error: any Error, from source: String? = nil) {
    // The interruption of what printed into a pipe without a reader.
    if BrokenPipeHandler.isBroken { return }
    // Ctrl-C has stopped code that nothing waited for, such as that which compiles the entry.
    if KeyboardInterrupt.take() { return printer.note("interrupted") }
    var failure = workspace.host.failure(ofScript: error)
    // The entry that was typed is the requested command.
    failure.outer = failure.outer ?? title
    failure = workspace.note(failure, from: source ?? title)
    let meant = MeantName(workspace).name(missedIn: failure.message, entry: self.text, log)
    let text =
      text(ofRaised: failure)
      ?? workspace.environment.withLocals(failure.text.visible) + didYouMean(meant)
    printer.failure(failure, message: title.hasPrefix(":") ? placed(text) : text)
  }

  /// Reports an error in a `:` command.
  func complain(_ text: String) {
    noteStatus(ExitStatus.usage)
    printer.error(placed(text))
  }

  /// A message with the place of its entry in a pipe.
  private func placed(_ text: String) -> String {
    guard let line, !text.hasPrefix("\(chunkName):") else { return text }
    return "\(chunkName):\(line): \(text)"
  }

  private func noteStatus(_ code: Int32) {
    if status == ExitStatus.success { status = code }
  }

  /// The text of a raised value that has no text of its own.
  func text(ofRaised failure: Failure) -> String? {
    guard failure.kind == .user, let value = failure.value, value.type != .string else {
      return nil
    }
    return values.text(of: value)
  }

  /// The format in which values are shown.
  var values: ValueText {
    var text = ValueText(
      host: workspace.host, environment: workspace.environment, style: printer.values
    ) { [unowned workspace] in workspace.lastError(of: $0) }
    if editor.isInteractive { text.width = TerminalSize(of: STDOUT_FILENO).columns }
    return text
  }

  // MARK: Reloading

  /// Continues with another interpreter.
  func use(_ fresh: Workspace) {
    workspace = fresh
    listen()
  }

  private func listen() {
    workspace.onFailure = { [unowned self] in noteStatus($0.exitStatus(ofSingle: false)) }
  }
}
