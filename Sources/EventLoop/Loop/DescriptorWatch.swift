import CLibUV

/// A watch that notifies while a descriptor is readable, or writable if asked. Confined to the loop's
/// thread.
public final class DescriptorWatch: LoopHandle, @unchecked Sendable {
  // Unchecked: `body` is set when it is made and used by the loop, which checks its thread.

  private var body: (() -> Void)?

  fileprivate init(
    _ loop: EventLoop, _ descriptor: Int32, _ body: @escaping () -> Void
  ) throws(EventLoopError) {
    self.body = body
    super.init(loop) { uv_poll_init(loop.raw, $0, descriptor) }
    guard code == 0 else { throw .cannotStart(code: code) }
    let startCode = start(UV_READABLE.rawValue)
    guard startCode == 0 else {
      close()
      throw .cannotStart(code: startCode)
    }
  }

  private func start(_ events: UInt32) -> Int32 {
    uv_poll_start(
      raw(as: uv_poll_t.self), Int32(events),
      { handle, _, _ in DescriptorWatch.behind(handle?.pointee.data)?.body?() })
  }

  /// Makes the watch notify also while the descriptor is writable, or no more. A cancelled watch
  /// ignores it.
  public func waitForSpace(_ isWanted: Bool) {
    guard isOpen else { return }
    loop.confine()
    _ = start(isWanted ? UV_READABLE.rawValue | UV_WRITABLE.rawValue : UV_READABLE.rawValue)
  }

  override func releaseClosures() { body = nil }
}

extension EventLoop {
  /// Calls `body` on the loop's thread in each turn in which a descriptor is readable.
  ///
  /// The descriptor stays the caller's, who cancels the watch before closing it. A watch keeps the
  /// loop running until it is cancelled.
  ///
  /// - Throws: `EventLoopError.cannotStart` for a descriptor that the system cannot watch.
  public func watchDescriptor(
    _ descriptor: Int32, _ body: @escaping () -> Void
  ) throws(EventLoopError) -> DescriptorWatch {
    confine()
    return try DescriptorWatch(self, descriptor, body)
  }
}
