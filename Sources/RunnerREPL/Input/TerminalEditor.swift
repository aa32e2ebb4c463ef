import EventLoop
import LineEditor
import Platform
import Reactive
import RunnerCore
import Scripting

/// Reads entries typed at a terminal.
///
/// The event loop runs while the user edits an entry. To show output that arrives meanwhile, the
/// editor erases the entry, writes the output, and draws the entry again.
final class TerminalEditor: ReplInput, @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let isInteractive = true
  let hasCursor = true
  var status: [WatchPane] = [] { didSet { hasNews = true } }
  /// Executes a user-defined key binding.
  var onBinding: (String) -> Void = { _ in }

  let editor: Editor
  private let session: Session
  private let printer: ReplPrinter
  private let terminal: Int32
  private let keyboard = KeyboardMode()
  private let historyFile = HistoryFile()
  private let capture: OutputCapture
  private var background = BackgroundText()
  private var input: StandardInput?
  private var decoder = KeyDecoder()

  /// True while an entry is on the screen.
  private var isReading = false
  /// True when keys typed during a run become text because Ctrl-C ended the run.
  private var holdsKeys = false
  /// The initial text of the next entry.
  private var prepared = ""
  private var hasEnded = false
  private(set) var failure: (any Error)?
  private var hasNews = false
  private var isResized = false
  private var width = 80
  private var height = 24
  private var lastFrame = Duration.zero
  private var frame: (any Disposable)?
  private var escape: (any Disposable)?
  /// True when an Escape has waited long enough to be a key.
  private var isEscapeKey = false

  /// The time for which output is collected before it is shown.
  private static let frameLength = Duration.milliseconds(20)
  /// The maximum number of loop turns for reading pending input.
  private static let mostTurns = 100
  /// The time limit for the rest of a key sequence.
  private static let escapeTimeout = Duration.milliseconds(50)

  init(_ session: Session, _ printer: ReplPrinter) throws {
    self.session = session
    self.printer = printer
    terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
    editor = Editor(
      history: EntryHistory(historyFile.load(), capacity: HistoryFile.capacity),
      theme: printer.values.isColored ? .standard : .monochrome)
    editor.prompt = "rac> "
    editor.continuationPrompt = "..> "
    let loop = session.loop
    // Wakes the loop so that it shows the output before it waits again.
    capture = OutputCapture { loop.enqueue {} }
    tellHistoryProblem()
    keyboard.useForPrograms()
    input = try session.loop.standardInput(
      onChunk: { [unowned self] in decoder.feed($0) },
      onEnd: { [unowned self] in
        // A terminal that hangs up is at end of file.
        if case .cannotRead(let code)? = $0, code != -EIO { failure = $0 }
        hasEnded = true
      }
    )
    try session.loop.onSignal(SIGWINCH) { [unowned self] in isResized = true }
    session.willStop = { [unowned self] in leaveTerminal() }
    session.didContinue = { [unowned self] in returnToTerminal() }
  }

  deinit { close(terminal) }

  func finish() {
    session.willStop = nil
    session.didContinue = nil
    input?.close()
    input = nil
    keyboard.finish()
  }

  /// Makes keys that were typed meanwhile the text of the next entry; none of them submits it.
  func holdInput() { holdsKeys = true }

  // MARK: Entries

  func readEntry() -> ReadEntry {
    measure()
    _ = Terminal.flush()
    session.host.isInputHeld = true
    // The program is in the foreground, and no child has the terminal. Set the mode before the
    // prompt, so that the terminal echoes no key that would move the cursor.
    TerminalMode.beginEditing(terminal) { [unowned self] in giveUp() }
    keyboard.useForEditing()
    // Ends a line that a script left unfinished; on an empty line this leaves no trace.
    let start = String(repeating: " ", count: width) + "\r\u{1B}[K" + TerminalMode.beginning
    editor.begin(with: prepared)
    prepared = ""
    capture.begin()
    input?.resume()
    takeHeldKeys()
    isReading = true
    hasNews = true
    draw(after: start)
    capture.start()
    let entry = edit()
    isReading = false
    for timer in [frame, escape] { timer?.dispose() }
    (frame, escape) = (nil, nil)
    if case .interrupted = entry {
      write(editor.finish(width: width, height: height, mark: "^C"))
      KeyboardInterrupt.take()
    } else {
      write(editor.finish(width: width, height: height))
    }
    write(TerminalMode.end)
    keyboard.useForPrograms()
    TerminalMode.endEditing()
    input?.pause()
    session.host.isInputHeld = false
    write(background.lines(capture.take()) + background.flush())
    capture.end()
    return entry
  }

  /// Handles events until the entry is submitted or abandoned.
  private func edit() -> ReadEntry {
    while true {
      if KeyboardInterrupt.hasCome {
        TerminalMode.awaitTypedKeys()
        readWaitingKeys()
        decoder.discard()
        return .interrupted
      }
      // With much work to do, the time limit of an Escape passes before the next bytes are read.
      if isEscapeKey { readWaitingKeys() }
      if let event = decoder.next(escapeIsKey: isEscapeKey) {
        isEscapeKey = false
        if let entry = handle(event) { return entry }
        continue
      }
      isEscapeKey = false
      if hasEnded || session.isEnding { return .end }
      awaitEscape()
      draw()
      showNews()
      session.loop.runOnce()
    }
  }

  /// Reads the keys typed so far.
  private func readWaitingKeys() {
    var turns = 0
    repeat {
      session.loop.poll()
      turns += 1
    } while TerminalMode.hasUnreadKeys && turns < Self.mostTurns
  }

  private func handle(_ event: InputEvent) -> ReadEntry? {
    if case .key(let key) = event, let signal = keyboard.signal(of: key) {
      // To the group, as the terminal does.
      kill(0, signal)
      return nil
    }
    editor.history.add(ofOthers: historyFile.takeNews())
    switch editor.handle(event) {
    case .none: break
    case .accept(let text): return .entry(text: Array(text.utf8), line: 1)
    case .end: return .leave
    case .clearScreen:
      write("\u{1B}[H\u{1B}[2J")
      editor.forgetScreen()
    case .beep: write("\u{7}")
    case .editExternally: editExternally()
    case .custom(let name): onBinding(name)
    }
    return nil
  }

  /// Makes an Escape a key if no bytes follow it soon.
  private func awaitEscape() {
    guard decoder.hasPendingEscape else {
      escape?.dispose()
      escape = nil
      return
    }
    guard escape == nil else { return }
    escape = session.host.scheduler.schedule(after: Self.escapeTimeout) { [weak self] in
      self?.escape = nil
      self?.isEscapeKey = true
    }
  }

  private func takeHeldKeys() {
    guard holdsKeys else { return }
    holdsKeys = false
    readWaitingKeys()
    let keys = decoder.takeRest()
    if !keys.isEmpty { _ = editor.handle(.paste(keys)) }
  }

  func prepare(_ text: String) -> Bool {
    prepared = text
    return true
  }

  func remember(_ entry: [UInt8]) {
    editor.history.append(String(decoding: entry, as: UTF8.self))
    guard historyFile.problem == nil else { return }
    historyFile.append(entry)
    tellHistoryProblem()
  }

  private func tellHistoryProblem() {
    if let problem = historyFile.problem { printer.note("the history is not kept: \(problem)") }
  }

  // MARK: External editor

  private func editExternally() {
    leaveTerminal()
    input?.pause()
    let text = ExternalEditor.edit(editor.buffer.text, session)
    input?.resume()
    returnToTerminal()
    switch text {
    case .success(let text): editor.replaceText(text)
    case .failure(let error): show("\(error)\n")
    }
  }

  // MARK: Screen

  private func write(_ text: String) {
    guard !text.isEmpty else { return }
    var text = text
    text.withUTF8 { _ = Terminal.write(UnsafeRawBufferPointer($0), to: terminal) }
  }

  private func measure() {
    let size = TerminalSize(of: terminal)
    (width, height) = (size.columns, size.rows)
  }

  private func draw(after text: String = "") {
    if hasNews {
      hasNews = false
      editor.status = statusRows
    }
    write(text + editor.draw(width: width, height: height))
  }

  private var statusRows: [String] {
    // Rows above the screen could not be erased.
    WatchPane.rows(of: status, fitting: width - 1, height: max(1, height - 4))
  }

  /// Shows lines above the prompt and leaves the entry unchanged.
  private func show(_ lines: String) {
    write(editor.erase() + lines)
    draw()
  }

  // MARK: Background output

  /// Shows the output that has arrived since the last frame, or schedules it.
  private func showNews() {
    if isResized {
      isResized = false
      measure()
      hasNews = true
      write(editor.resize(width: width))
      return draw()
    }
    guard hasNews || capture.hasOutput, frame == nil else { return }
    let wait = lastFrame + Self.frameLength - EventLoop.now
    guard wait > .zero else { return showFrame() }
    frame = session.host.scheduler.schedule(after: wait) { [weak self] in self?.frame = nil }
  }

  private func showFrame() {
    let lines = background.lines(capture.take())
    if !lines.isEmpty { show(lines) } else { draw() }
    lastFrame = EventLoop.now
  }

  /// Handles Ctrl-Z: gives the terminal back to the shell until it continues the program.
  private func leaveTerminal() {
    if isReading {
      write(editor.erase() + TerminalMode.end)
      capture.end()
    }
    // Another program may own the terminal.
    guard TerminalMode.isOurs else { return }
    keyboard.restore()
    // The shell must not execute what was typed for this program.
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  private func returnToTerminal() {
    guard isReading else { return keyboard.useForPrograms() }
    // The shell has read the rest of a paste that was going on.
    decoder.abandonPaste()
    keyboard.useForEditing()
    write(TerminalMode.beginning)
    capture.begin()
    measure()
    editor.forgetScreen()
    draw()
  }

  /// Shows the last output when the program ends in the middle of an entry.
  private func giveUp() {
    capture.end()
    write("\n" + background.lines(capture.take()) + background.flush())
  }
}
