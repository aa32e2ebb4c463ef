import CLibUV
import Platform

/// The end of a pipe that we read and a child writes to.
final class OutputPipe: LoopHandle {
  private var onChunk: ((UnsafeRawBufferPointer) -> Void)?
  private var onEnd: ((Int32) -> Void)?
  private var isReading = false
  /// True if nothing writes any more, although no end will be read: a terminal that is held open.
  private var isWriterGone = false

  /// Starts reading. `onEnd` is called once, but not after `close()`: with 0 when all writers have
  /// closed the pipe, or with libuv's error code when reading fails.
  init(
    _ loop: EventLoop, _ descriptor: consuming FileDescriptor,
    onChunk: @escaping (UnsafeRawBufferPointer) -> Void, onEnd: @escaping (Int32) -> Void
  ) {
    self.onChunk = onChunk
    self.onEnd = onEnd
    super.init(loop) { uv_pipe_init(loop.raw, $0, 0) }
    // Cannot fail for a pipe that is open for reading.
    uv_pipe_open(raw(as: uv_pipe_t.self), descriptor.release())
    resume()
  }

  override func releaseClosures() {
    isReading = false
    onChunk = nil
    onEnd = nil
  }

  /// True if it is open and nothing is read from it.
  var isPaused: Bool { isOpen && !isReading }

  func pause() {
    guard isReading else { return }
    isReading = false
    uv_read_stop(raw(as: uv_stream_t.self))
  }

  func resume() {
    guard isOpen, !isReading else { return }
    isReading = true
    startReading()
    if isWriterGone { loop.later { [weak self] in self?.readToEnd() } }
  }

  private func startReading() {
    uv_read_start(
      raw(as: uv_stream_t.self),
      { handle, _, buffer in
        guard let pipe = OutputPipe.behind(handle?.pointee.data) else { return }
        let space = pipe.loop.readBuffer
        buffer?.pointee = uv_buf_init(
          space.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(space.count))
      },
      { stream, count, _ in OutputPipe.behind(stream?.pointee.data)?.received(count) })
  }

  private func received(_ count: Int) {
    if count > 0 {
      onChunk?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
      takeTurns()
    } else if count < 0 {
      let end = onEnd
      close()
      end?(count == Int(UV_EOF.rawValue) ? 0 : Int32(count))
    }
  }

  /// Lets other handles run once this pipe has used its share of a turn: while data is available,
  /// libuv reads up to 32 times in a row, and processing the data may take a while.
  private func takeTurns() {
    let began = uv_now(loop.raw) * 1_000_000
    guard isReading, uv_hrtime() > began + 10_000_000 else { return }
    uv_read_stop(raw(as: uv_stream_t.self))
    loop.later { [weak self] in
      if let self, isReading { startReading() }
    }
  }

  /// What identifies the pipe in the system; nil once our end is closed.
  var inode: UInt64? {
    var descriptor: uv_os_fd_t = -1
    var information = stat()
    guard isOpen, uv_fileno(raw(as: uv_handle_t.self), &descriptor) == 0,
      fstat(descriptor, &information) == 0
    else { return nil }
    return UInt64(information.st_ino)
  }

  /// Changes the size of the terminal that it is the end of.
  func resize(_ size: TerminalSize) {
    var descriptor: uv_os_fd_t = -1
    guard isOpen, uv_fileno(raw(as: uv_handle_t.self), &descriptor) == 0 else { return }
    size.apply(to: descriptor)
  }

  /// Delivers the data of a terminal whose programs have ended, and then the end; the rest after
  /// `resume()` if reading is paused.
  func readToEnd() {
    isWriterGone = true
    var descriptor: uv_os_fd_t = -1
    while isReading, isOpen, uv_fileno(raw(as: uv_handle_t.self), &descriptor) == 0 {
      let count = read(descriptor, loop.readBuffer.baseAddress, loop.readBuffer.count)
      if count > 0 {
        onChunk?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
      } else if count == 0 || errno != EINTR {
        let end = onEnd
        close()
        end?(0)
      }
    }
  }

  /// Delivers the data that is already in the pipe, unless reading is paused, and closes our end.
  func drainAndClose() {
    var descriptor: uv_os_fd_t = -1
    // Bounded, because a process that left the group may keep writing forever; a pipe holds at most
    // a mebibyte.
    for _ in 0..<16 {
      guard isReading, uv_fileno(raw(as: uv_handle_t.self), &descriptor) == 0 else { break }
      let count = read(descriptor, loop.readBuffer.baseAddress, loop.readBuffer.count)
      guard count > 0 else { break }
      onChunk?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
    }
    close()
  }
}
