import CLibUV
import Platform

/// A watch that notifies of changes in one folder: an entry was added, removed or written. Confined
/// to the loop's thread.
public final class FolderWatch: LoopHandle {
  private var body: (() -> Void)?

  fileprivate init(
    _ loop: EventLoop, _ path: String, _ body: @escaping () -> Void
  ) throws(EventLoopError) {
    self.body = body
    super.init(loop) { uv_fs_event_init(loop.raw, $0) }
    let startCode = path.withCBytes { path in
      uv_fs_event_start(
        raw(as: uv_fs_event_t.self),
        { handle, _, _, _ in FolderWatch.behind(handle?.pointee.data)?.body?() }, path, 0)
    }
    guard startCode == 0 else {
      close()
      throw .cannotWatch(path: path, code: startCode)
    }
  }

  override func releaseClosures() { body = nil }
}

extension EventLoop {
  /// Calls `body` on the loop's thread when something in the folder at `path` has changed. The
  /// caller has to find out what changed: the system may report one change several times, or
  /// several changes as one.
  ///
  /// Does not watch subfolders. A watch keeps the loop running until it is cancelled.
  ///
  /// - Throws: `EventLoopError.cannotWatch` if the folder does not exist, or the system's limit of
  ///   watches is reached.
  public func watchFolder(
    _ path: String, _ body: @escaping () -> Void
  ) throws(EventLoopError) -> FolderWatch {
    confine()
    return try FolderWatch(self, path, body)
  }
}
