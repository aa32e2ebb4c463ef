import CEditLine
import EventLoop
import Reactive
import Scripting

import Platform

/// Lines typed at a terminal, edited by libedit.
///
/// libedit asks for one key at a time; while it waits, the event loop runs. So every command of
/// libedit may ask for further keys, as searching the history does, and what the loop brings
/// meanwhile finds the screen at rest: it is shown by clearing the rows of the prompt and the line,
/// writing, and having libedit draw them again.
final class TerminalEditor: LineEditor, @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let isInteractive = true
  var status: [WatchLine] = [] { didSet { hasNews = true } }
  /// What the text before the cursor may be continued with.
  var completions: (String) -> Completions = { _ in Completions() }

  private let session: Session
  private let voice: Voice
  private let editLine: EditLine
  private let terminal: Int32
  private let historyFile = HistoryFile()
  private let capture: OutputCapture
  private var background = BackgroundText()
  private var input: StandardInput?
  private var keys = KeyQueue()
  /// Whether a paste has begun and its end has not come.
  private var isPasting = false
  /// Whether it was given up by Ctrl-C. The next Ctrl-C no longer waits for its end.
  private var isDiscardingPaste = false

  /// Whether libedit has drawn a prompt and waits for a key.
  private var isReading = false
  /// What was given up by Ctrl-C.
  private var abandoned: String?
  private var hasEnded = false
  private(set) var failure: (any Error)?
  private var hasNews = false
  private var isResized = false
  /// How many lines of `status` stand above the prompt.
  private var statusRows = 0
  private var width = 80
  private var height = 24
  private var lastFrame = Duration.zero
  private var frame: (any Disposable)?

  /// How long what comes is collected before it is shown.
  private static let frameLength = Duration.milliseconds(20)
  /// How many turns Ctrl-C gives the loop to read the keys before it.
  private static let mostTurns = 100

  init(_ session: Session, _ voice: Voice) throws {
    self.session = session
    self.voice = voice
    terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
    guard let editLine = EditLine(terminal) else { throw EditorError.noTerminal }
    self.editLine = editLine
    let loop = session.loop
    // Wakes the loop: what has come is shown before it waits again.
    capture = OutputCapture { loop.enqueue {} }
    editLine.delegate = self
    for line in historyFile.load() { editLine.remember(line) }
    tellHistoryProblem()
    input = try session.loop.standardInput(
      onChunk: { [unowned self] in keys.append($0) },
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
  }

  // MARK: Lines

  func readLine(_ prompt: Prompt) -> ReadLine {
    abandoned = nil
    editLine.prompt = prompt.rawValue
    measure()
    _ = Terminal.flush()
    // What a script left without the end of its line gets one; without it, this leaves no trace.
    write(String(repeating: " ", count: width) + "\r\u{1B}[K")
    writeStatus()
    capture.begin()
    session.host.isInputHeld = true
    input?.resume()
    announce()
    isReading = true
    TerminalMode.save(terminal) { [unowned self] in giveUp() }
    let line = editLine.readLine()
    TerminalMode.forget()
    isReading = false
    write(TerminalMode.end)
    input?.pause()
    session.host.isInputHeld = false
    frame?.dispose()
    frame = nil
    clearStatus(above: line ?? abandoned ?? "")
    write(background.lines(capture.take()) + background.flush())
    capture.end()
    if abandoned != nil {
      KeyboardInterrupt.take()
      return .interrupted
    }
    if line == nil { write("\n") }
    return line.map { .line(Array($0.utf8)) } ?? .end
  }

  func remember(_ line: [UInt8]) {
    editLine.remember(String(decoding: line, as: UTF8.self))
    guard historyFile.problem == nil else { return }
    historyFile.append(line)
    tellHistoryProblem()
  }

  private func tellHistoryProblem() {
    if let problem = historyFile.problem { voice.note("the history is not kept: \(problem)") }
  }

  // MARK: Screen

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Terminal.write(UnsafeRawBufferPointer($0), to: terminal) }
  }

  private func measure() {
    var columns: Int32 = 0
    var rows: Int32 = 0
    ceditline_size(terminal, &columns, &rows)
    width = columns > 1 ? Int(columns) : 80
    height = rows > 1 ? Int(rows) : 24
  }

  /// Where the cursor is, counted from the start of the prompt.
  private func cursor(width: Int, atEnd: Bool = false) -> ScreenPosition {
    var position = ScreenPosition(width: width)
    position.advance(over: editLine.prompt.unicodeScalars)
    position.advance(over: atEnd ? editLine.text : editLine.textBeforeCursor)
    return position
  }

  /// The keys that lead from the cursor to the start of the rows below what is not ours.
  private func toStart(_ rows: Int) -> String {
    let up = rows + statusRows
    return "\r" + (up > 0 ? "\u{1B}[\(up)A" : "") + "\u{1B}[J"
  }

  /// Shows lines above the prompt and leaves the line being typed as it is.
  private func show(_ lines: String, rows: Int? = nil) {
    let rows = rows ?? cursor(width: width).row
    write(toStart(rows) + lines)
    writeStatus()
    editLine.refresh()
  }

  private func writeStatus() {
    hasNews = false
    // What is above the screen could not be taken back.
    let room = max(1, height - 4)
    var rows = status.prefix(status.count > room ? room - 1 : room).map {
      $0.text(fitting: width - 1)
    }
    if status.count > rows.count { rows.append("… \(status.count - rows.count) more") }
    statusRows = rows.count
    write(rows.map { voice.values.faint($0) + "\n" }.joined())
  }

  /// Takes the status lines out of what scrolls away once a line was given.
  private func clearStatus(above line: String) {
    guard statusRows > 0 else { return }
    var end = ScreenPosition(width: width)
    let shown = editLine.prompt + line
    end.advance(over: shown.unicodeScalars)
    write(toStart(end.row + 1) + BackgroundText.harmless(shown) + "\n")
    statusRows = 0
  }

  // MARK: News

  /// Shows what has come since the last frame, or sees to it that it will be shown.
  private func showNews() {
    if isResized {
      isResized = false
      // The terminal may have wrapped the rows anew or not: rather too few are cleared than too many.
      let before = cursor(width: width).row
      measure()
      editLine.resize()
      return show("", rows: min(before, cursor(width: width).row))
    }
    guard hasNews || capture.hasOutput, frame == nil else { return }
    let wait = lastFrame + Self.frameLength - EventLoop.now
    guard wait > .zero else { return showFrame() }
    frame = session.host.scheduler.schedule(after: wait) { [weak self] in self?.frame = nil }
  }

  private func showFrame() {
    let lines = background.lines(capture.take())
    if hasNews || !lines.isEmpty { show(lines) }
    lastFrame = EventLoop.now
  }

  /// Ctrl-Z: the shell gets its terminal back until it continues the program.
  private func leaveTerminal() {
    guard isReading else { return }
    write(toStart(cursor(width: width).row) + TerminalMode.end)
    capture.end()
    editLine.isEditing = false
  }

  /// The program ends in the middle of a line: shows what was said last.
  private func giveUp() {
    capture.end()
    write("\n" + background.lines(capture.take()) + background.flush())
  }

  /// Has the terminal mark what is pasted.
  private func announce() {
    if !editLine.hasViKeys { write(TerminalMode.beginning) }
  }

  private func returnToTerminal() {
    guard isReading else { return }
    announce()
    editLine.isEditing = true
    capture.begin()
    statusRows = 0
    show("", rows: 0)
  }
}

/// That no editor could be set up.
enum EditorError: Error, CustomStringConvertible {
  case noTerminal

  var description: String { "the terminal cannot be used" }
}

// MARK: - What libedit asks for

extension TerminalEditor: EditLineDelegate {
  /// Waits for a key while the loop runs.
  func nextKey() -> EditLineKey {
    while true {
      if KeyboardInterrupt.hasCome {
        interrupt()
        return .abandon
      }
      if isDiscardingPaste { discardPaste() }
      if !isDiscardingPaste, let key = keys.next() { return .key(key) }
      if hasEnded || session.isEnding { return .end }
      showNews()
      session.loop.runOnce()
    }
  }

  private static let startOfPaste = Array("\u{1B}[200~".utf8)
  private static let endOfPaste = Array("\u{1B}[201~".utf8)

  /// What is still to come of a paste that was given up must not be executed.
  private func discardPaste() {
    if keys.take(upTo: Self.endOfPaste) != nil {
      isDiscardingPaste = false
    } else {
      // The end itself may have come in part.
      keys.keepLast(Self.endOfPaste.count - 1)
    }
  }

  /// Leaves the line as it stands, with a mark.
  private func interrupt() {
    // What was typed before may not have been read.
    TerminalMode.awaitTypedKeys()
    var turns = 0
    repeat {
      session.loop.poll()
      turns += 1
    } while TerminalMode.hasUnreadKeys && turns < Self.mostTurns
    abandoned = String(String.UnicodeScalarView(editLine.text)) + "^C"
    isDiscardingPaste = isPasting || keys.endInside(Self.startOfPaste, Self.endOfPaste)
    isPasting = false
    if isDiscardingPaste { discardPaste() } else { keys.removeAll() }
    let here = cursor(width: width)
    let end = cursor(width: width, atEnd: true)
    let down = end.row - here.row
    write((down > 0 ? "\u{1B}[\(down)B" : "") + "\r\u{1B}[\(end.column + 1)G^C\n")
  }

  func complete() -> EditLineAnswer {
    let before = String(String.UnicodeScalarView(editLine.textBeforeCursor))
    guard before.contains(where: { !$0.isWhitespace }) else {
      editLine.insert("  ")
      return .redraw
    }
    let found = completions(before)
    guard !found.words.isEmpty else { return .beep }
    if let rest = found.continuation {
      editLine.insert(rest)
      return .redraw
    }
    show(found.columns(width: width))
    return .nothing
  }

  /// Takes a pasted text as one piece up to the end of its first line; the rest is the next line's.
  func paste() -> EditLineAnswer {
    var text = keys.take(upTo: Self.endOfPaste)
    while text == nil, !hasEnded, !session.isEnding, !KeyboardInterrupt.hasCome {
      session.loop.runOnce()
      text = keys.take(upTo: Self.endOfPaste)
    }
    isPasting = text == nil
    guard let text else { return .nothing }
    let end = text.firstIndex { $0 == 10 || $0 == 13 }
    let line = String(decoding: text[..<(end ?? text.endIndex)], as: UTF8.self)
    // libedit's lines end at a NUL.
    editLine.insert(line.replacing("\0", with: ""))
    if let end {
      let isPair = text[end] == 13 && text.dropFirst(end + 1).first == 10
      let rest = text.dropFirst(end + (isPair ? 2 : 1))
      let more =
        rest.isEmpty ? "" : "\u{1B}[200~" + String(decoding: rest, as: UTF8.self) + "\u{1B}[201~"
      keys.prepend("\r" + more)
    }
    return .redraw
  }

  func clearScreen() {
    write("\u{1B}[H\u{1B}[2J")
    writeStatus()
    editLine.refresh()
  }
}
