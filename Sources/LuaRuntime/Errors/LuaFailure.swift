import CLuaShims
import Platform

// Makes a LuaError from the value that a protected call left.

extension LuaStack {
  /// Pops the error value and makes an error from it and the shim's record of the failure.
  /// [-1, +0] needs 8
  @usableFromInline func takeError(status: Int32) -> LuaError {
    let error = readError(status: status)
    lua_settop(state, -2)
    return error
  }

  /// Does the same as `takeError`, without popping. [-0, +0] needs 8
  func readError(status: Int32) -> LuaError {
    let failure = rac_lua_last_failure(rac_lua_of(state))
    let traceback = failure.traceback.map { String(exactly: $0) }
    var position: String?
    if failure.line > 0, let source = failure.source {
      position = "\(String(exactly: source)):\(failure.line)"
    }
    let origin: LuaError.Origin =
      switch UInt32(failure.origin) {
      case RAC_LUA_ORIGIN_SCRIPT.rawValue: .script
      case RAC_LUA_ORIGIN_HOST.rawValue: .host
      default: .interpreter
      }
    let interruption = interruption(failure.interrupt)
    var value = interruption.map { LuaValue.string($0.message) } ?? value(at: -1)
    let cause =
      status == LUA_ERRRUN && interruption == nil
      ? interpreter.errorBridge?.recover(self, top) : nil
    var message =
      interruption?.message ?? (status == LUA_ERRMEM ? memoryText : describeError(at: -1))
    // Lua's own messages include the position.
    if message.hasPrefix("{"), type(at: -1) == .table, let position {
      message = "\(position): \(message)"
    }
    let isPlaceless = interruption?.kind == .timeLimit || interruption?.kind == .memoryLimit
    if isPlaceless || status == LUA_ERRMEM, let position {
      message = "\(position): \(message)"
    }
    if origin != .script, message.hasSuffix(RAC_LUA_OVERFLOW) {
      let place = message.dropLast(RAC_LUA_OVERFLOW.count)
      message = (place.isEmpty ? position.map { "\($0): " } ?? "" : place) + RAC_LUA_TOO_DEEP
      value = .string(message)
    }
    return LuaError(
      value: value, message: message, traceback: traceback,
      position: position ?? Self.position(in: message), origin: origin,
      kind: interruption?.kind ?? Self.kind(status: status, origin: origin, message: message),
      cause: cause)
  }

  private var memoryText: String { interpreter.memoryLimitText }

  private var timeText: String {
    "the code ran for more than \(seconds(interpreter.timeLimit)) s without a pause"
  }

  private var endText: String {
    let seconds = seconds(interpreter.storedCleanUpTime)
    return "the code still ran \(seconds) s after everything was asked to end"
  }

  private func seconds(_ time: Duration?) -> String {
    time.map { "\($0 / .seconds(1))" } ?? "?"
  }

  /// Returns the cause that stopped the code, if it was not the code itself.
  private func interruption(_ why: Int32) -> (kind: LuaError.Kind, message: String)? {
    switch UInt32(bitPattern: why) {
    case RAC_LUA_INTERRUPTED.rawValue: (.interrupt, "interrupted")
    case RAC_LUA_DEADLINE.rawValue: (.deadline, "the code ran past its deadline")
    case RAC_LUA_TIME_LIMIT.rawValue: (.timeLimit, timeText)
    case RAC_LUA_CROWDED.rawValue: (.memoryLimit, memoryText)
    case RAC_LUA_ENDED.rawValue: (.timeLimit, endText)
    default: nil
    }
  }

  private static func kind(
    status: Int32, origin: LuaError.Origin, message: String
  ) -> LuaError.Kind {
    switch status {
    case LUA_ERRSYNTAX: .syntax(incomplete: message.hasSuffix("near <eof>"))
    case LUA_ERRMEM: .memoryLimit
    case LUA_ERRERR: .errorHandling
    // The host's own message may have to pass as a text where no error table can be made any more.
    case _
    where origin != .script
      && (message.contains("stack overflow") || message.contains("nested too deep")):
      .depth
    default: .runtime
    }
  }

  /// Returns the `file:line` of a message that begins with `file:line:`.
  static func position(in message: String) -> String? {
    let parts = message.prefix { $0 != "\n" }.split(
      separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, Int(parts[1]) != nil else { return nil }
    return "\(parts[0]):\(parts[1])"
  }

  /// Describes an error value in one line: a text, the result of `__tostring`, a table's `message`,
  /// or what the error bridge says. [-0, +0] needs 8
  public func describeError(at index: Int) -> String {
    let type = type(at: index)
    switch type {
    case .string: return string(at: index) ?? ""
    case .nil, .none: return "nil"
    default: break
    }
    let fallback = "(error object is a \(type.name) value)"
    guard type != .table || hasMetafield("__tostring", at: index) else {
      let message = rawGet("message", at: index) == .string ? string(at: -1) : nil
      lua_settop(state, -2)
      return message ?? interpreter.errorBridge?.describe(self, index) ?? fallback
    }
    guard rac_lua_tostring(state, Int32(index)) == LUA_OK else {
      lua_settop(state, -2)
      return fallback
    }
    defer { lua_settop(state, -2) }
    return string(at: -1) ?? fallback
  }
}
