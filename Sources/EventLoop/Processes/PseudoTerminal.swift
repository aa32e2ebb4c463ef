import CLibUV

import Platform

/// The size of a terminal in characters.
public struct TerminalSize: Sendable, Equatable {
  /// The number of lines.
  public var rows: UInt16
  /// The number of characters in a line.
  public var columns: UInt16

  /// Makes a size.
  public init(rows: UInt16, columns: UInt16) {
    self.rows = rows
    self.columns = columns
  }

  /// The size of the user's terminal; 24 lines of 80 characters if there is none.
  public static var ofUser: TerminalSize {
    for descriptor in [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO] {
      if let size = TerminalSize(at: descriptor) { return size }
    }
    return TerminalSize(rows: 24, columns: 80)
  }

  private init?(at descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return nil
    }
    self.init(rows: size.ws_row, columns: size.ws_col)
  }

  /// Gives the size to a terminal, whose programs the system notifies.
  func apply(to descriptor: Int32) {
    var size = winsize()
    (size.ws_row, size.ws_col) = (rows, columns)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }
}

/// The two ends of a new pseudo-terminal. Lines end as programs write them, and nothing is echoed:
/// what is read is the child's output alone.
struct PseudoTerminal: ~Copyable {
  var ourEnd: FileDescriptor
  var childEnd: FileDescriptor

  /// - Throws: the errno value.
  static func open(_ size: TerminalSize) throws(SystemFailure) -> PseudoTerminal {
    var ends: (Int32, Int32) = (-1, -1)
    let code = withUnsafeMutableBytes(of: &ends) { bytes in
      clibuv_private_terminal(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    guard code == 0 else { throw SystemFailure(errorNumber: code) }
    let terminal = PseudoTerminal(
      ourEnd: FileDescriptor(owning: ends.0), childEnd: FileDescriptor(owning: ends.1))
    var modes = termios()
    if tcgetattr(terminal.childEnd.number, &modes) == 0 {
      modes.c_oflag &= ~tcflag_t(ONLCR)
      modes.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(terminal.childEnd.number, TCSANOW, &modes)
    }
    size.apply(to: terminal.childEnd.number)
    return terminal
  }
}
