import CLibUV

/// A Swift object with a libuv handle.
///
/// Ownership: `handle.data` retains the object from the handle's creation until its close
/// callback, which also frees the handle's memory, and is the only place that does. The object
/// refers to its handle until it asks for the close, and to its loop without owning it.
protocol HandleOwner: AnyObject {
  /// The loop ends: close the handle, release every closure, and do not touch the loop.
  func loopCloses()
}

/// The memory of libuv's handles.
enum HandleMemory {
  /// Room for a handle, to be initialised by the matching `uv_…_init`, then to be bound.
  static func allocate<Handle>(_ type: Handle.Type) -> UnsafeMutablePointer<Handle> {
    .allocate(capacity: 1)
  }

  /// Ties an initialised handle to its owner.
  static func bind<Handle>(_ handle: UnsafeMutablePointer<Handle>, to owner: any HandleOwner) {
    generic(handle).pointee.data = Unmanaged.passRetained(owner as AnyObject).toOpaque()
  }

  /// Closes a bound handle; its memory and its hold on the owner go in a later turn.
  static func close<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    uv_close(generic(handle)) { handle in
      guard let handle else { return }
      if let data = handle.pointee.data { Unmanaged<AnyObject>.fromOpaque(data).release() }
      UnsafeMutableRawPointer(handle).deallocate()
    }
  }

  static func owner(of handle: UnsafeMutablePointer<uv_handle_t>) -> (any HandleOwner)? {
    guard let data = handle.pointee.data else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue() as? any HandleOwner
  }

  /// Every libuv handle begins with the fields of `uv_handle_t`.
  static func generic<Handle>(
    _ handle: UnsafeMutablePointer<Handle>
  ) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  }

  /// The owner behind a callback's `data`, whose type the caller knows.
  static func owner<Owner: HandleOwner>(
    _ type: Owner.Type, behind data: UnsafeMutableRawPointer?
  ) -> Owner? {
    guard let data else { return nil }
    return Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue()
  }
}
