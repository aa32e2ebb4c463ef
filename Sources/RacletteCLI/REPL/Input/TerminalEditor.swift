import EventLoop
import LineEditor
import Reactive
import Scripting

import Platform

/// Entries typed at a terminal.
///
/// The event loop runs while an entry is edited. What comes meanwhile is shown by taking the entry off
/// the screen, writing, and drawing it again.
final class TerminalEditor: ReplInput, @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let isInteractive = true
  var status: [WatchLine] = [] { didSet { hasNews = true } }
  /// Executes a binding of the user's own.
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

  /// Whether an entry is on the screen.
  private var isReading = false
  /// Whether keys that came while something ran are text, as Ctrl-C has ended it.
  private var holdsKeys = false
  /// What the next entry begins with.
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
  /// Whether an Escape has waited long enough to be a key.
  private var isEscapeKey = false

  /// How long what comes is collected before it is shown.
  private static let frameLength = Duration.milliseconds(20)
  /// How many turns the loop is given to read what waits.
  private static let mostTurns = 100
  /// How long the rest of a key's sequence may take.
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
    // Wakes the loop: what has come is shown before it waits again.
    capture = OutputCapture { loop.enqueue {} }
    tellHistoryProblem()
    keyboard.useForPrograms()
    input = try session.loop.standardInput(
      onChunk: { [unowned self] in decoder.feed($0) },
      onEnd: { [unowned self] in
        // A terminal that hangs up is at its end.
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

  /// Keys that came meanwhile become the next entry's text, and none of them ends it.
  func holdInput() { holdsKeys = true }

  // MARK: Entries

  func readEntry() -> ReadEntry {
    measure()
    _ = Terminal.flush()
    session.host.isInputHeld = true
    // The foreground is ours, and no child is lent it. Now the mode, and then the prompt, so that the
    // terminal shows no key that would move the cursor.
    TerminalMode.beginEditing(terminal) { [unowned self] in giveUp() }
    keyboard.useForEditing()
    // What a script left without the end of its line gets one; without it, this leaves no trace.
    write(String(repeating: " ", count: width) + "\r\u{1B}[K")
    editor.begin(with: prepared)
    prepared = ""
    capture.begin()
    input?.resume()
    write(TerminalMode.beginning)
    takeHeldKeys()
    isReading = true
    hasNews = true
    draw()
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

  /// Handles events until the entry is given or given up.
  private func edit() -> ReadEntry {
    while true {
      if KeyboardInterrupt.hasCome {
        TerminalMode.awaitTypedKeys()
        readWaitingKeys()
        decoder.discard()
        return .interrupted
      }
      // Where much is to be done, the time of an Escape is over before what follows it is read.
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

  /// Reads what has been typed by now.
  private func readWaitingKeys() {
    var turns = 0
    repeat {
      session.loop.poll()
      turns += 1
    } while TerminalMode.hasUnreadKeys && turns < Self.mostTurns
  }

  private func handle(_ event: InputEvent) -> ReadEntry? {
    switch editor.handle(event) {
    case .none: break
    case .accept(let text): return .entry(text: Array(text.utf8), line: 1)
    case .end: return .end
    case .clearScreen:
      write("\u{1B}[H\u{1B}[2J")
      editor.forgetScreen()
    case .beep: write("\u{7}")
    case .editExternally: editExternally()
    case .custom(let name): onBinding(name)
    }
    return nil
  }

  /// An Escape is a key if nothing follows it soon.
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

  // MARK: The user's own editor

  private func editExternally() {
    leaveTerminal()
    input?.pause()
    session.loop.keepsTerminal = false
    let text = ExternalEditor.edit(editor.buffer.text, session)
    session.loop.keepsTerminal = true
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

  private func draw() {
    if hasNews {
      hasNews = false
      editor.status = statusRows
    }
    write(editor.draw(width: width, height: height))
  }

  private var statusRows: [String] {
    // What is above the screen could not be taken back.
    let room = max(1, height - 4)
    let shown = status.prefix(status.count > room ? room - 1 : room)
    let rows = shown.map { $0.text(fitting: width - 1) }
    return rows.count < status.count ? rows + ["… \(status.count - rows.count) more"] : rows
  }

  /// Shows lines above the prompt and leaves the entry as it is.
  private func show(_ lines: String) {
    write(editor.erase() + lines)
    draw()
  }

  // MARK: News

  /// Shows what has come since the last frame, or sees to it that it will be shown.
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

  /// Ctrl-Z: the shell gets its terminal back until it continues the program.
  private func leaveTerminal() {
    guard isReading else { return }
    write(editor.erase() + TerminalMode.end)
    capture.end()
    keyboard.restore()
  }

  private func returnToTerminal() {
    guard isReading else { return keyboard.useForPrograms() }
    keyboard.useForEditing()
    write(TerminalMode.beginning)
    capture.begin()
    measure()
    editor.forgetScreen()
    draw()
  }

  /// The program ends in the middle of an entry: shows what was said last.
  private func giveUp() {
    capture.end()
    write("\n" + background.lines(capture.take()) + background.flush())
  }
}
