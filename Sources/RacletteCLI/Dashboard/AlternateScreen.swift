import EventLoop
import Platform
import RunnerCore

/// The alternate screen of the terminal, with a mode in which keys arrive at once; the mouse stays the
/// terminal's. The normal screen and mode are restored by `leave`, by the end of the program, however it
/// comes, and while the program is stopped. On the loop's thread.
final class AlternateScreen {
  private static let beginning = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[H\u{1B}[2J"

  private let session: Session
  private let original: termios
  private var input: DescriptorWatch?
  private var isShown = false
  /// What was written to standard error meanwhile.
  private var held: [UInt8] = []
  /// Called when the screen is empty and has another size, or is shown again.
  var onChange: (() -> Void)?

  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// - Parameter onKeys: receives what is typed.
  init(_ session: Session, onKeys: @escaping ([UInt8]) -> Void) throws {
    self.session = session
    var mode = termios()
    tcgetattr(STDIN_FILENO, &mode)
    original = mode
    _ = Terminal.flush()
    TerminalMode.begin(original)
    let flags = fcntl(STDIN_FILENO, F_GETFL)
    input = try session.loop.watchDescriptor(STDIN_FILENO) { [unowned self] in
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = bytes.withUnsafeMutableBytes { readBytes(from: STDIN_FILENO, into: $0) }
      if count > 0 { return onKeys(Array(bytes[..<count])) }
      // The terminal has hung up.
      if count == 0 || errno != EINTR && errno != EAGAIN { endInput() }
    }
    // A watch makes its descriptor non-blocking, for all programs that share the terminal.
    _ = fcntl(STDIN_FILENO, F_SETFL, flags)
    try session.loop.onSignal(SIGWINCH) { [weak self] in
      if self?.isShown == true { self?.onChange?() }
    }
    session.willStop = { [weak self] in self?.hide() }
    session.didContinue = { [weak self] in
      self?.show()
      self?.onChange?()
    }
    Terminal.writers.errors = { [weak self] in self?.hold($0) }
    show()
  }

  private func endInput() {
    input?.cancel()
    input = nil
  }

  var size: TerminalSize { TerminalSize(of: STDOUT_FILENO) }

  func write(_ text: String) {
    guard isShown else { return }
    var text = text
    text.withUTF8 { _ = Terminal.write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
  }

  private func hold(_ bytes: [UInt8]) {
    held += bytes.suffix(65_536)
    if held.count > 131_072 { held.removeFirst(held.count - 65_536) }
  }

  private func show() {
    guard !isShown else { return }
    var mode = original
    // Ctrl-C, Ctrl-Z and Ctrl-\ send their signals.
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    TerminalMode.beginScreen(STDOUT_FILENO)
    isShown = true
    write(Self.beginning)
  }

  private func hide() {
    guard isShown else { return }
    write(TerminalMode.endOfScreen)
    isShown = false
    TerminalMode.endScreen()
    var mode = original
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  func leave() {
    hide()
    endInput()
    session.willStop = nil
    session.didContinue = nil
    Terminal.writers.errors = nil
    TerminalMode.forget()
    held.withUnsafeBytes { Terminal.error(bytes: $0) }
    held = []
  }
}
