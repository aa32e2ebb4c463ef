import CLibUV
import Platform

/// Notifies whenever somebody has written to a pipe, also while it is readable all the time, which a
/// `DescriptorWatch` cannot tell from a new write. It does not keep the loop running. Loop's thread.
final class PipeWrites {
  private let descriptor: Int32
  private var watch: DescriptorWatch?

  /// - Parameter reading: an end to read from, which stays the caller's.
  /// - Returns: nil if the system cannot notify of writes.
  init?(_ reading: Int32, on loop: EventLoop, _ body: @escaping () -> Void) {
    let descriptor = clibuv_follow_writes(reading)
    self.descriptor = descriptor
    guard descriptor >= 0 else { return nil }
    watch = try? loop.watchDescriptor(descriptor) {
      clibuv_take_writes(descriptor)
      body()
    }
    guard let watch else { return nil }
    watch.unref()
  }

  deinit {
    watch?.cancel()
    if descriptor >= 0 { closeDescriptor(descriptor) }
  }
}
