import Platform

#if canImport(Glibc)
  import Glibc
#endif

/// Notifies when a file in a folder is written, closed by one who could write it, or removed, by whatever
/// process, also by one that is killed. If the folder is removed, the next one of its name is watched. It
/// does not keep the loop running. Confined to the loop's thread.
///
/// All of a loop share one watch of a folder, because a user may have few. `FolderWatch` does not notify of
/// files that are closed.
final class FolderEvents {
  private let loop: EventLoop
  private var source: FolderEventSource?

  /// - Returns: nil if the system cannot watch the folder.
  init?(_ path: String, on loop: EventLoop, _ body: @escaping () -> Void) {
    guard let source = loop.folderEvents[path] ?? FolderEventSource(path, on: loop) else {
      return nil
    }
    self.loop = loop
    self.source = source
    loop.folderEvents[path] = source
    source.bodies[ObjectIdentifier(self)] = body
  }

  deinit { cancel() }

  func cancel() {
    guard let source = source.take() else { return }
    source.bodies[ObjectIdentifier(self)] = nil
    if source.bodies.isEmpty { source.end(on: loop) }
  }
}

/// The watch of a folder that all of a loop share. Confined to the loop's thread.
final class FolderEventSource {
  fileprivate var bodies: [ObjectIdentifier: () -> Void] = [:]
  private let path: String
  private let descriptor: Int32
  private var watch: DescriptorWatch?
  /// Looks for a folder while there is none.
  private var search: Timer?

  fileprivate init?(_ path: String, on loop: EventLoop) {
    self.path = path
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard watchFolder(),
      let watch = try? loop.watchDescriptor(
        descriptor, { [weak self, unowned loop] in self?.takeEvents(on: loop) })
    else {
      closeDescriptor(descriptor)
      return nil
    }
    watch.unref()
    self.watch = watch
  }

  /// Watches the folder that has the path now.
  ///
  /// - Returns: false if there is none.
  private func watchFolder() -> Bool {
    // What is closed after it was only read changes nothing, and those who wait read all the time.
    inotify_add_watch(descriptor, path, UInt32(IN_CLOSE_WRITE | IN_DELETE | IN_MODIFY)) >= 0
  }

  /// Watches the next folder of the path as soon as there is one.
  private func watchNextFolder(on loop: EventLoop) {
    if watchFolder() { return notify() }
    search = loop.timer(after: .seconds(1)) { [weak self, unowned loop] in
      self?.watchNextFolder(on: loop)
    }
    search?.unref()
  }

  private func takeEvents(on loop: EventLoop) {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    var events: UInt32 = 0
    while true {
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      events |= Self.kinds(of: bytes.prefix(count))
    }
    notify()
    // The folder was removed. What was called may have made another, or have cancelled all.
    if events & UInt32(IN_IGNORED) != 0, watch != nil { watchNextFolder(on: loop) }
  }

  private func notify() {
    // What is called may cancel others.
    for subscriber in Array(bodies.keys) { bodies[subscriber]?() }
  }

  /// The kinds of all events together.
  private static func kinds(of events: ArraySlice<UInt8>) -> UInt32 {
    events.withUnsafeBytes { events in
      var (start, kinds) = (0, 0 as UInt32)
      while start + MemoryLayout<inotify_event>.size <= events.count {
        let event = events.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        kinds |= event.mask
        start += MemoryLayout<inotify_event>.size + Int(event.len)
      }
      return kinds
    }
  }

  fileprivate func end(on loop: EventLoop) {
    guard let watch = watch.take() else { return }
    if loop.folderEvents[path] === self { loop.folderEvents[path] = nil }
    watch.cancel()
    search?.cancel()
    closeDescriptor(descriptor)
  }
}
