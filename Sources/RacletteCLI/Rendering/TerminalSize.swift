import Platform

/// The columns and rows of a terminal, or 80 and 24 if it does not report them.
struct TerminalSize {
  var columns = 80
  var rows = 24

  init(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return }
    if size.ws_col > 1 { columns = Int(size.ws_col) }
    if size.ws_row > 1 { rows = Int(size.ws_row) }
  }
}
