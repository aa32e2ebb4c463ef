import Platform

/// The process's standard input, read by the loop. Confined to the loop's thread.
public final class StandardInput {
  private unowned let loop: EventLoop
  private var pipe: OutputPipe?
  /// A file or a device such as `/dev/null`, which is always ready and cannot be polled.
  private var file: FileDescriptor?
  private var isReadingFile = false
  /// True while a read of the file waits for its turn: one that is paused and resumed meanwhile must
  /// not be read twice as fast.
  private var isReadDue = false
  private let onChunk: (UnsafeRawBufferPointer) -> Void
  private let onEnd: (EventLoopError?) -> Void

  fileprivate init(
    _ loop: EventLoop, onChunk: @escaping (UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (EventLoopError?) -> Void
  ) throws(EventLoopError) {
    self.loop = loop
    self.onChunk = onChunk
    self.onEnd = onEnd
    if let descriptor = StandardInput.pollable() {
      pipe = OutputPipe(
        loop, descriptor, onChunk: onChunk,
        onEnd: { [weak self] code in
          self?.pipe = nil
          onEnd(code == 0 ? nil : .cannotRead(code: code))
        })
    } else {
      file = StandardInput.copy()
      if file == nil { throw .cannotRead(code: -errno) }
    }
    pause()
  }

  /// A pollable descriptor, opened anew where possible: reading without blocking must not change
  /// the terminal or pipe shared with other processes. Nil for a file, which would restart at its
  /// beginning.
  private static func pollable() -> FileDescriptor? {
    guard isPollable else { return nil }
    // Does not wait for a writer if it is a named pipe.
    let number = open("/dev/stdin", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard number >= 0 else { return copy() }
    let descriptor = FileDescriptor(owning: number)
    // A process that opens a pipe after its last writer has closed it waits for the next one. The
    // descriptor we inherited is at its end in that case, so reading it never blocks.
    var given = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let hasEnded = poll(&given, 1, 0) == 1 && given.revents & Int16(POLLHUP) != 0
    if hasEnded, isatty(number) == 0 { return nil }
    return descriptor
  }

  private static func copy() -> FileDescriptor? {
    let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    return number >= 0 ? FileDescriptor(owning: number) : nil
  }

  private static var isPollable: Bool {
    var information = stat()
    guard fstat(STDIN_FILENO, &information) == 0 else { return false }
    switch information.st_mode & S_IFMT {
    case S_IFIFO, S_IFSOCK: return true
    default: return isatty(STDIN_FILENO) == 1
    }
  }

  /// Starts or resumes reading. Nothing is read before the first call.
  public func resume() {
    pipe?.resume()
    guard file != nil, !isReadingFile else { return }
    isReadingFile = true
    readFile()
  }

  /// Stops reading; a paused input does not keep the loop running.
  public func pause() {
    pipe?.pause()
    isReadingFile = false
  }

  /// Stops reading for good.
  public func close() {
    pipe?.close()
    pipe = nil
    file = nil
    isReadingFile = false
  }

  private func readFile() {
    guard !isReadDue else { return }
    isReadDue = true
    loop.later { [weak self] in
      guard let self else { return }
      isReadDue = false
      guard isReadingFile, let number = file?.number else { return }
      let count = read(number, loop.readBuffer.baseAddress, loop.readBuffer.count)
      let code = -errno
      if count < 0, code == -EINTR { return readFile() }
      guard count > 0 else {
        close()
        return onEnd(count == 0 ? nil : .cannotRead(code: code))
      }
      onChunk(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
      if isReadingFile { readFile() }
    }
  }
}

extension EventLoop {
  /// Reads the process's standard input: delivers chunks that are valid only while `onChunk` runs,
  /// then the end or the error. Paused at first. A process has one standard input; two readers
  /// would take each other's data.
  ///
  /// - Throws: `EventLoopError.cannotRead` if it is closed.
  public func standardInput(
    onChunk: @escaping (UnsafeRawBufferPointer) -> Void,
    onEnd: @escaping (EventLoopError?) -> Void
  ) throws(EventLoopError) -> StandardInput {
    confine()
    return try StandardInput(self, onChunk: onChunk, onEnd: onEnd)
  }
}
