import CLuaShims

/// Releases the retain that a userdata or function held.
let releaseObject: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
  owner, object in
  guard let object else { return }
  let released = Unmanaged<AnyObject>.fromOpaque(object)
  guard let owner else { return released.release() }
  Unmanaged<LuaInterpreter>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.collected(released) }
}

extension LuaInterpreter {
  /// Runs a full collection, including finalisers.
  public func collectGarbage() {
    guard let host = lifetime.confinedHost else { return }
    lifetime.drain()
    rac_lua_collect(host)
  }

  /// The number of collected objects that wait for `releaseCollected`.
  public var collectedCount: Int { waitingObjects.count }

  /// Releases the collected objects; their deinitialisers may do anything.
  public func releaseCollected() {
    // More may be added meanwhile, even through this function.
    var objects = spareObjects
    spareObjects = []
    swap(&objects, &waitingObjects)
    objects.removeAll(keepingCapacity: objects.count <= 1_000)
    spareObjects = objects
  }

  /// Handles the collection of an object. Lua's collector runs wherever memory is needed: only a
  /// release may happen there, and it is deferred if `onCollected` is set.
  fileprivate func collected(_ object: Unmanaged<AnyObject>) {
    guard defersReleases else { return object.release() }
    waitingObjects.append(object.takeRetainedValue())
    if waitingObjects.count == 1 { onCollected?() }
  }
}
