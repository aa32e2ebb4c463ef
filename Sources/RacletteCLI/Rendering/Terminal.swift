#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process's own output. Values go to standard output, everything the runner says to standard
/// error.
enum Terminal {
  /// Writes to standard output, whole.
  ///
  /// - Returns: the error number if nobody reads any more or the disk is full; 0 otherwise.
  @discardableResult
  static func output(_ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
  }

  /// Writes bytes to standard output, whole; see `output(_:)`.
  static func output(bytes: UnsafeRawBufferPointer) -> Int32 {
    write(bytes, to: STDOUT_FILENO)
  }

  /// Writes to standard error, whole.
  static func error(_ text: String) {
    var text = text
    _ = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  /// Writes bytes to standard error, whole.
  static func error(bytes: UnsafeRawBufferPointer) {
    _ = write(bytes, to: STDERR_FILENO)
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      #else
        let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
      #endif
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        // Somebody who shares the terminal made it non-blocking.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        #if canImport(Glibc)
          _ = Glibc.poll(&poll, 1, -1)
        #else
          _ = Darwin.poll(&poll, 1, -1)
        #endif
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }
}
