import Platform

/// What waits in standard input.
enum UnreadInput {
  /// True if it is a file or a pipe with something in it. A terminal or a device does not count, and
  /// nothing is waited for.
  static var isThere: Bool {
    var information = stat()
    guard fstat(STDIN_FILENO, &information) == 0 else { return false }
    switch information.st_mode & S_IFMT {
    case S_IFREG: return lseek(STDIN_FILENO, 0, SEEK_CUR) < information.st_size
    case S_IFIFO, S_IFSOCK:
      var count: Int32 = 0
      return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
    default: return false
    }
  }
}
