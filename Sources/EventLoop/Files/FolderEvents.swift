import Platform

#if canImport(Glibc)
  import Glibc
#endif

/// A watch that notifies when a file in a folder is written, closed or removed, by whatever process, also
/// by one that is killed. Confined to the loop's thread.
///
/// `FolderWatch` does not notify of files that are closed.
final class FolderEvents {
  private let descriptor: Int32
  private var watch: DescriptorWatch?

  /// - Returns: nil if the system cannot watch the folder.
  init?(_ path: String, on loop: EventLoop, _ body: @escaping () -> Void) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let events = UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE | IN_DELETE | IN_MODIFY)
    guard inotify_add_watch(descriptor, path, events) >= 0,
      let watch = try? loop.watchDescriptor(
        descriptor,
        { [descriptor] in
          var bytes = [UInt8](repeating: 0, count: 16 << 10)
          var isFile = false
          while true {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            if Self.tellsOfFile(bytes.prefix(count)) { isFile = true }
          }
          if isFile { body() }
        })
    else {
      closeDescriptor(descriptor)
      return nil
    }
    self.watch = watch
  }

  deinit { cancel() }

  /// True if any event is about a file in the folder: looking at the folder itself is an event, too.
  private static func tellsOfFile(_ events: ArraySlice<UInt8>) -> Bool {
    events.withUnsafeBytes { events in
      var start = 0
      while start + MemoryLayout<inotify_event>.size <= events.count {
        let event = events.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        if event.mask & UInt32(IN_ISDIR) == 0 { return true }
        start += MemoryLayout<inotify_event>.size + Int(event.len)
      }
      return false
    }
  }

  func unref() { watch?.unref() }

  func cancel() {
    guard let watch else { return }
    self.watch = nil
    watch.cancel()
    closeDescriptor(descriptor)
  }
}
