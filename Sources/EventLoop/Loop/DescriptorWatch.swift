import CLibUV

/// A watch that notifies while a descriptor is readable. Confined to the loop's thread.
public final class DescriptorWatch: LoopHandle, @unchecked Sendable {
  // Unchecked: `body` is set when it is made and used by the loop, which checks its thread.

  private var body: (() -> Void)?

  fileprivate init(
    _ loop: EventLoop, _ descriptor: Int32, _ body: @escaping () -> Void
  ) throws(EventLoopError) {
    self.body = body
    super.init(loop) { uv_poll_init(loop.raw, $0, descriptor) }
    guard code == 0 else { throw .cannotStart(code: code) }
    let startCode = uv_poll_start(
      raw(as: uv_poll_t.self), Int32(UV_READABLE.rawValue),
      { handle, _, _ in DescriptorWatch.behind(handle?.pointee.data)?.body?() })
    guard startCode == 0 else {
      close()
      throw .cannotStart(code: startCode)
    }
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
