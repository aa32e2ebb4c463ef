import CLuaShims

/// Pipelines that end in sinks and receive the same values in the order in which they were added,
/// each in a protected call of its own. A value crosses into Lua once for all of them.
///
/// It does not keep the pipelines: the code that adds one must remove it before dropping it.
public final class LuaSinks {
  /// References to functions; 0 for a removed pipeline. Not an array, because the Lua code that it
  /// calls may remove pipelines.
  @exclusivity(unchecked)
  fileprivate private(set) var functions: UnsafeMutablePointer<Int32>
  private var capacity = 1
  /// The number of places, including empty ones.
  @exclusivity(unchecked)
  public private(set) var count = 0

  /// Makes an empty list.
  public init() { functions = .allocate(capacity: 1) }

  deinit { functions.deallocate() }

  /// Adds a pipeline at the end. Must not be called while a value is being sent.
  public func append(_ pipeline: LuaPipeline) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Int32>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: functions, count: count)
      functions.deallocate()
      functions = larger
      capacity *= 2
    }
    (functions + count).initialize(to: pipeline.id)
    count += 1
  }

  /// Removes a pipeline, which receives nothing more. Its place remains, empty.
  public func remove(at place: Int) {
    precondition((0..<count).contains(place), "there is no such place")
    functions[place] = 0
  }

  /// Removes the empty places. Must not be called while a value is being sent.
  public func compact() {
    var kept = 0
    for place in 0..<count where functions[place] != 0 {
      functions[kept] = functions[place]
      kept += 1
    }
    count = kept
  }
}

extension LuaInterpreter {
  /// Sends a value into a pipeline that ends in a sink.
  public func feed(_ pipeline: LuaPipeline, _ value: LuaValue) throws(LuaError) {
    var failure: LuaError?
    guard pipeline.belongs(to: self) else { throw Self.closedError }
    withUnsafePointer(to: pipeline.id) { id in
      feed(id, 1, value) { _, error in failure = error }
    }
    if let failure { throw failure }
  }

  /// Sends integers into a pipeline that takes ranges and ends in a sink, up to the first for which it
  /// fails or is stopped.
  public func feed(
    _ pipeline: LuaPipeline, from first: Int, through last: Int, by step: Int
  ) throws(LuaError) {
    precondition(pipeline.takesRanges, "a single sink takes no range")
    guard pipeline.belongs(to: self) else { throw Self.closedError }
    guard let host = lifetime.confinedHost, let state = enterFeed(host) else { throw unavailable() }
    entries += 1
    defer {
      entries -= 1
      if closeRequested, entries == 0 { close() }
    }
    let stack = LuaStack(state)
    let status = rac_lua_feed_range(state, pipeline.id, Int64(first), Int64(last), Int64(step))
    let error = status == LUA_OK ? nil : stack.takeTopError(status: status)
    stack.pop(2)
    if let error { throw error }
  }

  /// Sends a value into pipelines.
  ///
  /// - Parameter onError: called with the place and the error of each that fails, before the next
  ///   one receives the value.
  public func feed(_ sinks: LuaSinks, _ value: LuaValue, onError: (Int, LuaError) -> Void) {
    feed(sinks.functions, sinks.count, value, onError)
  }

  /// The path of every value that a subscriber receives, so `withStack` is inlined by hand.
  private func feed(
    _ functions: UnsafePointer<Int32>, _ count: Int, _ value: LuaValue,
    _ onError: (Int, LuaError) -> Void
  ) {
    guard let host = lifetime.confinedHost, let state = enterFeed(host) else {
      let error = unavailable()
      for place in 0..<count where functions[place] != 0 { onError(place, error) }
      return
    }
    entries += 1
    defer {
      entries -= 1
      if closeRequested, entries == 0 { close() }
    }
    let stack = LuaStack(state)
    stack.push(value)
    var next: Int32 = 0
    while case let status = rac_lua_feed(state, functions, Int32(count), &next), status != LUA_OK {
      onError(Int(next) - 1, stack.takeTopError(status: status))
    }
    rac_lua_end_feed(state)
  }

  private func enterFeed(_ host: OpaquePointer) -> OpaquePointer? {
    lifetime.drain()
    return rac_lua_begin_feed(host)
  }
}
