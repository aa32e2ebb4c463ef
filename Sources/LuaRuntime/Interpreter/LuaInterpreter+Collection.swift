import CLuaShims

/// Takes the retain that a userdata or function held.
let releaseObject: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
  owner, object in
  guard let object else { return }
  let released = Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue()
  guard let owner else { return }
  Unmanaged<LuaInterpreter>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.collected(released) }
}

extension LuaInterpreter {
  /// A full collection; finalisers run.
  public func collectGarbage() {
    guard let host = lifetime.host else { return }
    lifetime.drain()
    rac_lua_collect(host)
  }

  /// How many objects the collector has let go of that wait for `releaseCollected`.
  public var collectedCount: Int { waitingObjects.count }

  /// Releases what the collector has let go of; their deinitialisers may do anything.
  public func releaseCollected() {
    // More may come meanwhile, also by this function.
    var objects = spareObjects
    spareObjects = []
    swap(&objects, &waitingObjects)
    objects.removeAll(keepingCapacity: objects.count <= 1_000)
    spareObjects = objects
  }

  /// Lua's collector runs wherever memory is needed: nothing may happen there but a release, which
  /// waits if somebody asks for that.
  fileprivate func collected(_ object: AnyObject) {
    guard defersReleases else { return }
    waitingObjects.append(object)
    if waitingObjects.count == 1 { onCollected?() }
  }
}
