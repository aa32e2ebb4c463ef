import CEditLine

import Platform

/// What an `EditLine` needs to be told.
protocol EditLineDelegate: AnyObject {
  func nextKey() -> EditLineKey
  /// Tab was pressed.
  func complete() -> EditLineAnswer
  /// The terminal announced a pasted text.
  func paste() -> EditLineAnswer
  func clearScreen()
}

enum EditLineKey {
  case key(Unicode.Scalar)
  /// No key, and the line is abandoned.
  case abandon
  case end
}

/// What libedit has to do after a command of ours.
enum EditLineAnswer {
  case redraw
  case nothing
  case beep
}

/// libedit for one terminal.
final class EditLine {
  weak var delegate: (any EditLineDelegate)?
  var prompt = "" {
    didSet {
      promptText.deallocate()
      promptText = Self.wide(prompt)
    }
  }

  let raw: OpaquePointer
  /// Whether the keys are those of vi.
  var hasViKeys = false
  private let history: OpaquePointer
  private let streams: [UnsafeMutablePointer<FILE>]
  private var promptText = EditLine.wide("")

  init?(_ terminal: Int32) {
    guard
      let keyboard = fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), "r"),
      let screen = fdopen(fcntl(terminal, F_DUPFD_CLOEXEC, 10), "w"),
      let raw = el_init("raclette", keyboard, screen, screen), let history = history_winit()
    else { return nil }
    self.raw = raw
    self.history = history
    streams = [keyboard, screen]
    ceditline_set_owner(raw, Unmanaged.passUnretained(self).toOpaque())
    ceditline_use_emacs_keys(raw)
    ceditline_keep_queues(raw)
    ceditline_limit_history(history, Int32(HistoryFile.capacity))
    ceditline_set_history(raw, history)
    ceditline_set_getc(raw) { raw, key in EditLine.of(raw)?.read(into: key) ?? -1 }
    ceditline_set_prompt(raw) { raw in EditLine.of(raw)?.promptText }
    addFunctions()
    bindKeys()
    sourceStartup()
  }

  deinit {
    el_end(raw)
    history_wend(history)
    for stream in streams { fclose(stream) }
    promptText.deallocate()
  }

  private static func of(_ raw: OpaquePointer?) -> EditLine? {
    guard let raw, let owner = ceditline_owner(raw) else { return nil }
    return Unmanaged<EditLine>.fromOpaque(owner).takeUnretainedValue()
  }

  /// Without a locale that knows UTF-8, libedit takes every byte for a character.
  static func useLocale() {
    setlocale(LC_CTYPE, "")
    if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" { setlocale(LC_CTYPE, "C.UTF-8") }
  }

  private static func wide(_ text: some Sequence<Unicode.Scalar>) -> UnsafeMutablePointer<wchar_t> {
    let scalars = text.map { wchar_t($0.value) } + [0]
    let buffer = UnsafeMutablePointer<wchar_t>.allocate(capacity: scalars.count)
    buffer.initialize(from: scalars, count: scalars.count)
    return buffer
  }

  private static func wide(_ text: String) -> UnsafeMutablePointer<wchar_t> {
    wide(text.unicodeScalars)
  }

  private static func withWide<Result>(
    _ text: String, _ body: (UnsafePointer<wchar_t>) -> Result
  ) -> Result {
    let buffer = wide(text)
    defer { buffer.deallocate() }
    return body(buffer)
  }

  // MARK: Lines

  /// Reads a line; nil when it was abandoned or the input has ended.
  func readLine() -> String? {
    var count: Int32 = 0
    // libedit itself does so only once the prompt can be seen, too late for keys that come at once.
    isEditing = true
    guard let line = el_wgets(raw, &count), count > 0 else { return nil }
    var scalars = Self.scalars(UnsafeBufferPointer(start: line, count: Int(count)))
    if scalars.last == "\n" || scalars.last == "\r" { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }

  func remember(_ line: String) {
    Self.withWide(line) { ceditline_enter(history, $0) }
  }

  /// The line being edited.
  var text: [Unicode.Scalar] {
    guard let line = el_wline(raw) else { return [] }
    return Self.scalars(line.pointee.buffer, line.pointee.lastchar)
  }

  var textBeforeCursor: [Unicode.Scalar] {
    guard let line = el_wline(raw) else { return [] }
    return Self.scalars(line.pointee.buffer, line.pointee.cursor)
  }

  private static func scalars(
    _ start: UnsafePointer<wchar_t>?, _ end: UnsafePointer<wchar_t>?
  ) -> [Unicode.Scalar] {
    guard let start, let end else { return [] }
    return scalars(UnsafeBufferPointer(start: start, count: end - start))
  }

  private static func scalars(_ characters: UnsafeBufferPointer<wchar_t>) -> [Unicode.Scalar] {
    characters.map { Unicode.Scalar(UInt32(bitPattern: $0)) ?? "\u{FFFD}" }
  }

  func insert(_ text: String) {
    _ = Self.withWide(text) { el_winsertstr(raw, $0) }
  }

  // MARK: Screen

  /// Draws the prompt and the line from where the cursor is.
  func refresh() { ceditline_refresh(raw) }

  func resize() { el_resize(raw) }

  /// Whether the terminal is in the mode that editing needs.
  var isEditing = true {
    didSet { ceditline_prepare_terminal(raw, isEditing ? 1 : 0) }
  }

  // MARK: Keys

  private func read(into key: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    switch delegate?.nextKey() {
    case .key(let scalar):
      key?.pointee = wchar_t(scalar.value)
      return 1
    case .end: return 0
    case .abandon, nil: return -1
    }
  }

  func bind(_ key: String, _ function: String) {
    Self.withWide(key) { key in
      Self.withWide(function) { ceditline_bind(raw, key, $0) }
    }
  }

  private func addFunctions() {
    let add = { (name: String, help: String, function: ceditline_function?) in
      // libedit keeps both texts as they are, for as long as the program runs.
      ceditline_add_function(self.raw, Self.wide(name), Self.wide(help), function)
    }
    add("raclette-complete", "Complete the word before the cursor") { raw, _ in
      EditLine.answer(raw) { $0.complete() }
    }
    add("raclette-paste", "Insert what is pasted") { raw, _ in EditLine.answer(raw) { $0.paste() } }
    add("raclette-clear", "Clear the screen") { raw, _ in
      EditLine.answer(raw) {
        $0.clearScreen()
        return .nothing
      }
    }
  }

  private static func answer(
    _ raw: OpaquePointer?, _ body: (any EditLineDelegate) -> EditLineAnswer
  ) -> UInt8 {
    guard let delegate = of(raw)?.delegate else { return UInt8(CC_ERROR) }
    switch body(delegate) {
    case .redraw: return UInt8(CC_REFRESH)
    case .nothing: return UInt8(CC_NORM)
    case .beep: return UInt8(CC_ERROR)
    }
  }
}
