import CLibUV

/// Tells that something in one folder has changed: an entry came, went, or was written. Confined to
/// the loop's thread.
public final class FolderWatch: @unchecked Sendable, HandleOwner {
  // Unchecked, because it is confined to the loop's thread, which `confine()` checks.

  private unowned let loop: EventLoop
  private var handle: UnsafeMutablePointer<uv_fs_event_t>?
  private var body: (() -> Void)?

  fileprivate init(
    _ loop: EventLoop, _ path: String, _ body: @escaping () -> Void
  ) throws(EventLoopError) {
    self.loop = loop
    self.body = body
    let handle = HandleMemory.allocate(uv_fs_event_t.self)
    uv_fs_event_init(loop.raw, handle)
    self.handle = handle
    HandleMemory.bind(handle, to: self)
    let code = uv_fs_event_start(
      handle,
      { handle, _, _, _ in
        HandleMemory.owner(FolderWatch.self, behind: handle?.pointee.data)?.body?()
      }, path, 0)
    guard code == 0 else {
      loopCloses()
      throw .cannotWatch(path: path, code: code)
    }
  }

  /// Stops the watch and releases its closure at once. Further calls do nothing.
  public func cancel() {
    guard handle != nil else { return }
    loop.confine()
    loopCloses()
  }

  func loopCloses() {
    guard let handle else { return }
    self.handle = nil
    body = nil
    HandleMemory.close(handle)
  }
}

extension EventLoop {
  /// Calls `body` on the loop's thread when something in the folder at `path` has changed. What it was
  /// the caller finds out: the system may tell one change several times, or several as one.
  ///
  /// Does not look into folders inside. A watch keeps the loop running until it is cancelled.
  ///
  /// - Throws: `EventLoopError.cannotWatch` if there is no such folder, or the system's limit of
  ///   watches is reached.
  public func watchFolder(
    _ path: String, _ body: @escaping () -> Void
  ) throws(EventLoopError) -> FolderWatch {
    confine()
    return try FolderWatch(self, path, body)
  }
}
