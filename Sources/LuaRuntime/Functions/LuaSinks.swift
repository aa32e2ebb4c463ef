import CLuaShims
import Platform

/// Pipelines that end in sinks and receive the same values in the order in which they were added,
/// each as if in a protected call of its own. A value crosses into Lua once for all of them.
///
/// It does not keep the pipelines: the code that adds one must remove it before dropping it.
open class LuaSinks {
  // Stored apart, because the Lua code that it calls may remove pipelines, and may call it without
  // the host's help.
  fileprivate let row: UnsafeMutablePointer<rac_lua_row>
  private let lifetime: LuaLifetime

  /// The number of places, including empty ones.
  public var count: Int { Int(row.pointee.count) }

  /// Makes an empty list of pipelines of an interpreter.
  public init(_ interpreter: LuaInterpreter) {
    lifetime = interpreter.lifetime
    row = .allocate(capacity: 1)
    row.initialize(to: rac_lua_row())
  }

  deinit {
    if row.pointee.list != 0 { lifetime.release(row.pointee.list) }
    free(row.pointee.functions)
    row.deallocate()
  }

  /// Adds a pipeline at the end. Must not be called while a value is being sent.
  public func append(_ pipeline: LuaPipeline) { append(pipeline.function) }

  /// Adds a function at the end, like a pipeline of it alone.
  public func append(_ function: LuaKept) { rac_lua_append_to_row(row, function.id) }

  /// Removes a pipeline, which receives nothing more. Its place remains, empty.
  open func remove(at place: Int) {
    precondition((0..<count).contains(place), "there is no such place")
    rac_lua_remove_from_row(lifetime.confinedHost, row, Int32(place))
  }

  /// Removes the empty places. Must not be called while a value is being sent.
  public func compact() { rac_lua_compact_row(lifetime.confinedHost, row) }

  // MARK: Values that Lua sends itself

  /// Whether a value may be sent to the sinks alone.
  public enum Turn: Sendable {
    /// Something is being sent to them.
    case busy
    /// Nothing is, until `endSending`; but there are other receivers.
    case shared
    /// Likewise, and they are the only receivers.
    case sole
  }

  /// Begins to send a value to the sinks, by Lua code that reaches them on a short way; see
  /// `LuaSendingWay`. Must not run Lua code.
  open func beginSending() -> Turn { .busy }

  /// Receives the error of a sink, before the next one receives the value.
  open func fail(at place: Int, _ error: LuaError) {}

  /// Ends what `beginSending` began. Must not run Lua code.
  ///
  /// - Returns: false if something has waited for that; then `catchUp` is called, and ends it.
  open func endSending() -> Bool { true }

  /// Does what has waited.
  open func catchUp() {}
}

/// The short way from a method of a userdata, defined by `LuaTypeDefinition.sender`, to the sinks that
/// receive its argument: while it is open, values pass from the one to the others inside Lua.
public final class LuaSendingWay {
  fileprivate let way: UnsafeMutablePointer<rac_lua_direct>

  /// Makes a way that leads nowhere.
  public init() {
    way = .allocate(capacity: 1)
    way.initialize(to: rac_lua_direct())
  }

  deinit { way.deallocate() }

  /// Lets it lead to these sinks, which it does not keep. They must live until it leads elsewhere, and
  /// while a value is being sent to them.
  public func lead(to sinks: LuaSinks) {
    way.pointee = rac_lua_direct(
      row: sinks.row, object: Unmanaged.passUnretained(sinks).toOpaque(),
      begin: { object in LuaSendingWay.with(object) { $0.beginSending().code } },
      fail: { object, state, place, status in
        let error = LuaStack(state!).takeTopError(status: status)
        LuaSendingWay.with(object) { $0.fail(at: Int(place), error) }
      },
      end: { object in LuaSendingWay.with(object) { $0.endSending() } },
      catch_up: { object in LuaSendingWay.with(object) { $0.catchUp() } })
  }

  private static func with<Result>(
    _ object: UnsafeMutableRawPointer?, _ body: (LuaSinks) -> Result
  ) -> Result {
    Unmanaged<LuaSinks>.fromOpaque(object!)._withUnsafeGuaranteedRef(body)
  }
}

extension LuaSinks.Turn {
  fileprivate var code: rac_lua_turn {
    switch self {
    case .busy: RAC_LUA_BUSY
    case .shared: RAC_LUA_SHARED
    case .sole: RAC_LUA_SOLE
    }
  }
}

extension LuaStack {
  /// Gives the userdata at an index a way, which must live as long as its object.
  public func set(_ way: LuaSendingWay, at index: Int) {
    rac_lua_set_direct(state, Int32(index), way.way)
  }

  /// Pushes a method for the sender of a type, which runs `body` where the object's way is not open.
  /// [-0, +1] needs 4
  func pushSender(named name: String, _ body: @escaping LuaFunctionBody) {
    push(name)
    let box = Unmanaged.passRetained(LuaHostFunction(body))
    rac_lua_push_sending_function(state, box.toOpaque())
  }
}

extension LuaInterpreter {
  /// Sends a value into a pipeline that ends in a sink.
  public func feed(_ pipeline: LuaPipeline, _ value: LuaValue) throws(LuaError) {
    guard pipeline.belongs(to: self) else { throw Self.closedError }
    if let error = feed(pipeline.function, { $0.push(value) }) { throw error }
  }

  /// Calls a function that it keeps with the value that `push` pushes, without results; for the path of
  /// every value that a subscriber receives, so `withStack` is inlined by hand.
  ///
  /// - Returns: the error of the function.
  @inlinable
  public func feed(_ function: LuaKept, _ push: (LuaStack) -> Void) -> LuaError? {
    guard let host = lifetime.confinedHost else { return Self.closedError }
    lifetime.drain()
    guard let state = rac_lua_begin_feed_one(host, function.id) else { return unavailable() }
    entries += 1
    defer {
      entries -= 1
      if closeRequested, entries == 0 { close() }
    }
    let stack = LuaStack(state)
    push(stack)
    let status = rac_lua_feed_one(state)
    return status == LUA_OK ? nil : stack.takeCallError(status: status)
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
    let status = rac_lua_feed_range(
      state, pipeline.function.id, Int64(first), Int64(last), Int64(step))
    let error = status == LUA_OK ? nil : stack.takeTopError(status: status)
    stack.pop()
    if let error { throw error }
  }

  /// Sends a value into pipelines.
  ///
  /// - Parameter onError: called with the place and the error of each that fails, before the next
  ///   one receives the value.
  public func feed(_ sinks: LuaSinks, _ value: LuaValue, onError: (Int, LuaError) -> Void) {
    feed(sinks.row, value, onError)
  }

  private func feed(
    _ row: UnsafeMutablePointer<rac_lua_row>, _ value: LuaValue, _ onError: (Int, LuaError) -> Void
  ) {
    guard let host = lifetime.confinedHost, let state = enterFeed(host) else {
      let error = unavailable()
      for place in 0..<Int(row.pointee.count) where row.pointee.functions[place] != 0 {
        onError(place, error)
      }
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
    while case let status = rac_lua_feed(state, row, &next), status != LUA_OK {
      onError(Int(next) - 1, stack.takeTopError(status: status))
    }
    rac_lua_end_feed(state)
  }

  private func enterFeed(_ host: OpaquePointer) -> OpaquePointer? {
    lifetime.drain()
    return rac_lua_begin_feed(host)
  }
}
