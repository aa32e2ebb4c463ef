import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The end of a pipe that we read and a child writes to.
final class OutputPipe: HandleOwner {
  private unowned let loop: EventLoop
  private var handle: UnsafeMutablePointer<uv_pipe_t>?
  private var onChunk: ((UnsafeRawBufferPointer) -> Void)?
  private var onEnd: (() -> Void)?
  private var isReading = false

  /// Starts reading. `onEnd` is called once, when all writers have closed the pipe, but not after
  /// `close()`.
  init(
    _ loop: EventLoop, _ descriptor: consuming FileDescriptor,
    onChunk: @escaping (UnsafeRawBufferPointer) -> Void, onEnd: @escaping () -> Void
  ) {
    self.loop = loop
    self.onChunk = onChunk
    self.onEnd = onEnd
    let handle = HandleMemory.allocate(uv_pipe_t.self)
    uv_pipe_init(loop.raw, handle, 0)
    // Cannot fail for a pipe that is open for reading.
    uv_pipe_open(handle, descriptor.release())
    self.handle = handle
    HandleMemory.bind(handle, to: self)
    resume()
  }

  var isOpen: Bool { handle != nil }

  func pause() {
    guard let handle, isReading else { return }
    isReading = false
    uv_read_stop(OutputPipe.stream(handle))
  }

  func resume() {
    guard let handle, !isReading else { return }
    isReading = true
    uv_read_start(
      OutputPipe.stream(handle),
      { handle, _, buffer in
        guard let pipe = HandleMemory.owner(OutputPipe.self, behind: handle?.pointee.data) else {
          return
        }
        let space = pipe.loop.readBuffer
        buffer?.pointee = uv_buf_init(
          space.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(space.count))
      },
      { stream, count, _ in
        HandleMemory.owner(OutputPipe.self, behind: stream?.pointee.data)?.received(count)
      })
  }

  private func received(_ count: Int) {
    if count > 0 {
      onChunk?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
    } else if count < 0 {
      // The end, or an error after which there is nothing to be read either.
      let end = onEnd
      close()
      end?()
    }
  }

  /// Hands out what is in the pipe already, unless reading is paused, and closes our end.
  func drainAndClose() {
    var descriptor: uv_os_fd_t = -1
    // Bounded, because a process that left the group may go on writing for ever; a pipe holds
    // at most a mebibyte.
    for _ in 0..<16 {
      guard let handle, isReading else { break }
      guard uv_fileno(HandleMemory.generic(handle), &descriptor) == 0 else { break }
      let count = read(descriptor, loop.readBuffer.baseAddress, loop.readBuffer.count)
      guard count > 0 else { break }
      onChunk?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
    }
    close()
  }

  func close() { loopCloses() }

  func loopCloses() {
    guard let handle else { return }
    self.handle = nil
    isReading = false
    onChunk = nil
    onEnd = nil
    HandleMemory.close(handle)
  }

  private static func stream(
    _ handle: UnsafeMutablePointer<uv_pipe_t>
  ) -> UnsafeMutablePointer<uv_stream_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
  }
}
