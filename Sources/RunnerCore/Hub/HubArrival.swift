import EventLoop
import Platform

/// Notices a hub that another process starts, without keeping the loop running. On the loop's thread.
package final class HubArrival: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let place: HubPlace
  private let loop: EventLoop
  private let onArrival: () -> Void
  private var watch: FolderWatch?
  private var watchedFolder = ""
  /// The socket of the hub that is known. Another one may have its inode, but not all of its times.
  private var socket: FileStamp?

  /// Watches from now on. The hub that serves now is known.
  ///
  /// - Parameter onArrival: called with each hub that serves the place later.
  package init(_ place: HubPlace, on loop: EventLoop, _ onArrival: @escaping () -> Void) {
    (self.place, self.loop, self.onArrival) = (place, loop, onArrival)
    socket = place.hasServer ? FileStamp(place.socket) : nil
    watchFolder()
  }

  deinit { cancel() }

  package func cancel() {
    watch?.cancel()
    watch = nil
  }

  private func watchFolder() {
    let own = CommandFile.split(place.socket).directory
    let folder = access(own, F_OK) == 0 ? own : CommandFile.split(place.commandFile).directory
    guard folder != watchedFolder else { return }
    watch?.cancel()
    watchedFolder = folder
    watch = try? loop.watchFolder(folder) { [weak self] in self?.look() }
    watch?.unref()
  }

  private func look() {
    watchFolder()
    let found = FileStamp(place.socket)
    guard found != socket else { return }
    // One that does not listen yet writes other files, too, once it does.
    socket = found != nil && place.hasServer ? found : nil
    if socket != nil { onArrival() }
  }
}

extension HubPlace {
  /// True if a hub listens.
  package var hasServer: Bool {
    let descriptor = LocalSocket.connect(to: socket)
    // One whose queue is full listens, too.
    guard descriptor >= 0 else { return errno == EAGAIN }
    close(descriptor)
    return true
  }
}
