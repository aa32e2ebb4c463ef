import CLibUV
import Platform

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
