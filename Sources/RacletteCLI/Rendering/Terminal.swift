// Their `stdout` is a variable, which strict concurrency does not trust.
#if canImport(Glibc)
  @preconcurrency import Glibc
#else
  @preconcurrency import Darwin
#endif

/// The process's own output. Values go to standard output, everything the runner says to standard
/// error.
enum Terminal {
  /// Writes to standard output, whole.
  ///
  /// - Throws: if nobody reads any more, or the disk is full.
  static func output(_ text: String) throws(OutputError) {
    var text = text
    let code = text.withUTF8 { output(bytes: UnsafeRawBufferPointer($0)) }
    if code != 0 { throw OutputError(code: code) }
  }

  /// Writes bytes to standard output, whole, behind what scripts wrote.
  ///
  /// - Returns: an error number, or 0.
  static func output(bytes: UnsafeRawBufferPointer) -> Int32 {
    fflush(stdout)
    return write(bytes, to: STDOUT_FILENO)
  }

  /// Writes what scripts have left in their buffer of standard output.
  ///
  /// - Returns: an error number if that fails or something got lost before; 0 otherwise.
  static func flush() -> Int32 {
    if fflush(stdout) != 0 { return errno }
    // Why an earlier attempt failed is not known any more.
    return ferror(stdout) != 0 ? OutputError.unknown : 0
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

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
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
}

/// That standard output cannot be written to.
struct OutputError: Error {
  /// The system's error number, or `unknown`.
  let code: Int32

  static let unknown: Int32 = -1
}

extension OutputError: CustomStringConvertible {
  var description: String {
    "cannot write to standard output" + (code == Self.unknown ? "" : ": \(systemText(code))")
  }
}

/// The system's text for an error number, in lower case as messages are.
func systemText(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  let full = String(cString: text)
  return full.prefix(1).lowercased() + full.dropFirst()
}
