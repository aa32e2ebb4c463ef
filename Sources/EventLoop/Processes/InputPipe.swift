import CLibUV

/// The outcome of writing bytes to a child.
public enum InputOutcome: Sendable, Equatable {
  /// The pipe has accepted all of them.
  case written
  /// The child has stopped reading, or its input was closed: some or all of the bytes were dropped.
  case closed
}

/// The end of a pipe that we write and a child reads from. Closing it drops queued writes, which
/// complete with `.closed`.
final class InputPipe: LoopHandle {
  private var pendingWrites = 0
  private var endsAfterWrites = false

  init(_ loop: EventLoop, _ descriptor: consuming FileDescriptor) {
    super.init(loop) { uv_pipe_init(loop.raw, $0, 0) }
    // Cannot fail for a pipe that is open for writing.
    uv_pipe_open(raw(as: uv_pipe_t.self), descriptor.release())
  }

  /// Queues a copy of `bytes`. False if the pipe is closed; then `completion` is not called.
  func write(
    _ bytes: UnsafeRawBufferPointer, _ completion: @escaping (InputOutcome) -> Void
  ) -> Bool {
    guard let stream = raw(as: uv_stream_t.self), !endsAfterWrites else { return false }
    let write = PendingWrite(self, bytes, completion)
    guard write.start(on: stream) else { return false }
    pendingWrites += 1
    return true
  }

  /// Closes the child's input after all queued writes.
  func end() {
    endsAfterWrites = true
    if pendingWrites == 0 { close() }
  }

  fileprivate func finished(_ outcome: InputOutcome) {
    pendingWrites -= 1
    if outcome == .closed || (endsAfterWrites && pendingWrites == 0) { close() }
  }
}

/// One `uv_write_t` with its bytes. Its `data` retains it from the start to the callback.
private final class PendingWrite {
  private let pipe: InputPipe
  private let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableRawBufferPointer
  private let completion: (InputOutcome) -> Void

  init(
    _ pipe: InputPipe, _ bytes: UnsafeRawBufferPointer,
    _ completion: @escaping (InputOutcome) -> Void
  ) {
    self.pipe = pipe
    self.bytes = .allocate(byteCount: max(1, bytes.count), alignment: 1)
    self.bytes.copyMemory(from: bytes)
    self.completion = completion
    count = bytes.count
  }

  private let count: Int

  deinit {
    request.deallocate()
    bytes.deallocate()
  }

  /// libuv writes as much as fits at once, but calls back in a later turn.
  func start(on stream: UnsafeMutablePointer<uv_stream_t>) -> Bool {
    let me = Unmanaged.passRetained(self)
    request.pointee.data = me.toOpaque()
    // Does not use `uv_buf_init`, which takes no more than 4 GiB.
    var buffer = uv_buf_t()
    buffer.base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    buffer.len = count
    let code = uv_write(request, stream, &buffer, 1) { request, status in
      guard let data = request?.pointee.data else { return }
      let write = Unmanaged<PendingWrite>.fromOpaque(data).takeRetainedValue()
      let outcome: InputOutcome = status == 0 ? .written : .closed
      write.pipe.finished(outcome)
      write.completion(outcome)
    }
    if code != 0 { me.release() }
    return code == 0
  }
}
