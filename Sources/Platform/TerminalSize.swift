/// The size of a terminal in characters.
public struct TerminalSize: Sendable, Equatable {
  /// The number of characters in a line.
  public var columns: Int
  /// The number of lines.
  public var rows: Int

  /// Makes a size.
  public init(rows: Int = 24, columns: Int = 80) {
    self.rows = rows
    self.columns = columns
  }

  /// The size of the terminal at a descriptor; 24 lines of 80 characters if it reports none.
  public init(of descriptor: Int32) {
    self = TerminalSize(at: descriptor) ?? TerminalSize()
  }

  /// The size of the user's terminal; 24 lines of 80 characters if there is none.
  public static var ofUser: TerminalSize {
    for descriptor in [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO] {
      if let size = TerminalSize(at: descriptor) { return size }
    }
    return TerminalSize()
  }

  private init?(at descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 1, size.ws_col > 1 else {
      return nil
    }
    self.init(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// Gives the size to a terminal, whose programs the system notifies.
  public func apply(to descriptor: Int32) {
    var size = winsize()
    size.ws_row = UInt16(clamping: rows)
    size.ws_col = UInt16(clamping: columns)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }
}
