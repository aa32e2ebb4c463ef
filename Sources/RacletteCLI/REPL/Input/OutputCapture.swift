@preconcurrency import CEditLine

// Their `stdout` is a variable, which strict concurrency does not trust.
#if canImport(Glibc)
  @preconcurrency import Glibc
#else
  @preconcurrency import Darwin
#endif

/// Holds back everything that is written to standard output and standard error while a line is being
/// typed: by the runner, by scripts, by libraries of theirs, and by programs they start.
///
/// The descriptors lead to a file without a name meanwhile, which takes any amount without making
/// the writer wait: nobody would read a pipe while a script writes.
final class OutputCapture {
  private let file: Int32
  /// The descriptors that lead to the terminal, and where they really go.
  private let streams: [(number: Int32, terminal: Int32)]
  private var isActive = false

  init() {
    file = ceditline_nameless_file()
    streams = [STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }.map {
      ($0, fcntl($0, F_DUPFD_CLOEXEC, 10))
    }
  }

  deinit {
    end()
    for stream in streams { close(stream.terminal) }
    if file >= 0 { close(file) }
  }

  func begin() {
    guard !isActive, file >= 0 else { return }
    fflush(stdout)
    for stream in streams { dup2(file, stream.number) }
    isActive = true
  }

  func end() {
    guard isActive else { return }
    fflush(stdout)
    for stream in streams { dup2(stream.terminal, stream.number) }
    isActive = false
  }

  /// Whether there is something to take.
  var hasOutput: Bool {
    fflush(stdout)
    var information = stat()
    return file >= 0 && fstat(file, &information) == 0 && information.st_size > 0
  }

  /// Takes what was written since the last time.
  func take() -> [UInt8] {
    fflush(stdout)
    var information = stat()
    guard file >= 0, fstat(file, &information) == 0, information.st_size > 0 else { return [] }
    let size = Int(information.st_size)
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = max(0, pread(file, buffer.baseAddress, size, 0))
    }
    ftruncate(file, 0)
    lseek(file, 0, SEEK_SET)
    return bytes
  }
}
