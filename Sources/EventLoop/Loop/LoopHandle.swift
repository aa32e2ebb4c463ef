import CLibUV

/// A libuv handle, from its start until it is cancelled or the loop closes. Confined to the loop's
/// thread.
///
/// Ownership: `handle.data` retains this object from the handle's creation until its close
/// callback, which also frees the handle's memory; no other code frees it. The object refers to its
/// handle until it requests the close, and to its loop without owning it.
public class LoopHandle {
  unowned let loop: EventLoop
  private var memory: UnsafeMutableRawPointer?

  /// The result of libuv's initialisation; 0 is success. On failure the handle is closed.
  let code: Int32

  /// - Parameter initialize: the matching `uv_…_init`.
  init<Raw>(_ loop: EventLoop, _ initialize: (UnsafeMutablePointer<Raw>) -> Int32) {
    self.loop = loop
    let raw = UnsafeMutablePointer<Raw>.allocate(capacity: 1)
    code = initialize(raw)
    guard code == 0 else {
      raw.deallocate()
      return
    }
    memory = UnsafeMutableRawPointer(raw)
    HandleMemory.generic(raw).pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// True until the handle is closed.
  final var isOpen: Bool { memory != nil }

  /// The handle while it is open, as one of the types whose fields it begins with.
  final func raw<Raw>(as type: Raw.Type) -> UnsafeMutablePointer<Raw>? {
    memory?.assumingMemoryBound(to: type)
  }

  /// Lets the loop end although the handle is open.
  public final func unref() {
    if let handle = raw(as: uv_handle_t.self) { uv_unref(handle) }
  }

  /// Stops the handle and releases its closures at once. Further calls do nothing.
  public final func cancel() {
    guard isOpen else { return }
    loop.confine()
    close()
  }

  /// Does the same without checking the thread: for the loop's callbacks and its end.
  final func close() {
    guard let handle = raw(as: uv_handle_t.self) else { return }
    memory = nil
    releaseClosures()
    uv_close(handle) { handle in
      guard let handle else { return }
      if let data = handle.pointee.data { Unmanaged<LoopHandle>.fromOpaque(data).release() }
      UnsafeMutableRawPointer(handle).deallocate()
    }
  }

  /// Releases the closures it calls; overridden by subclasses that have any.
  func releaseClosures() {}

  /// The object behind a callback's `data`; the caller knows its type.
  static func behind(_ data: UnsafeMutableRawPointer?) -> Self? {
    guard let data else { return nil }
    return unsafeDowncast(
      Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue(), to: Self.self)
  }
}

/// Helpers for all libuv handles.
enum HandleMemory {
  /// Every libuv handle begins with the fields of `uv_handle_t`.
  static func generic<Handle>(
    _ handle: UnsafeMutablePointer<Handle>
  ) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  }
}
