import CLuaShims

// Making a LuaError from the value that a protected call left.

extension LuaStack {
  /// Pops the error value and makes an error of it and of what the shim knows. [-1, +0] needs 8
  @usableFromInline func takeError(status: Int32) -> LuaError {
    let error = readError(status: status)
    lua_settop(state, -2)
    return error
  }

  /// Like `takeError`, without popping. [-0, +0] needs 8
  func readError(status: Int32) -> LuaError {
    let failure = rac_lua_last_failure(rac_lua_of(state))
    let traceback = failure.traceback.map { String(cString: $0) }
    var position: String?
    if failure.line > 0, let source = failure.source {
      position = "\(String(cString: source)):\(failure.line)"
    }
    let origin: LuaError.Origin =
      switch UInt32(failure.origin) {
      case RAC_LUA_ORIGIN_SCRIPT.rawValue: .script
      case RAC_LUA_ORIGIN_HOST.rawValue: .host
      default: .interpreter
      }
    let value = failure.interrupt ? "interrupted" : value(at: -1)
    let cause =
      status == LUA_ERRRUN && !failure.interrupt ? interpreter.errorBridge?.recover(self, top) : nil
    let message = failure.interrupt ? "interrupted" : describeError(at: -1)
    return LuaError(
      value: value, message: message, traceback: traceback,
      position: position ?? Self.position(in: message),
      origin: origin,
      kind: Self.kind(
        status: status, interrupt: failure.interrupt, origin: origin, message: message),
      cause: cause)
  }

  private static func kind(
    status: Int32, interrupt: Bool, origin: LuaError.Origin, message: String
  ) -> LuaError.Kind {
    switch status {
    case LUA_ERRSYNTAX: .syntax(incomplete: message.hasSuffix("near <eof>"))
    case LUA_ERRMEM: .memoryLimit
    case LUA_ERRERR: interrupt ? .interrupt : .errorHandling
    case _ where interrupt: .interrupt
    case _ where origin != .script && message.contains("stack overflow"): .depth
    default: .runtime
    }
  }

  /// `file:line` of a message that begins with `file:line:`.
  static func position(in message: String) -> String? {
    let parts = message.prefix { $0 != "\n" }.split(
      separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, Int(parts[1]) != nil else { return nil }
    return "\(parts[0]):\(parts[1])"
  }

  /// One line for an error value.
  private func describeError(at index: Int) -> String {
    switch type(at: index) {
    case .string: return string(at: index) ?? ""
    case .nil, .none: return "nil"
    case .table where !hasMetafield("__tostring", at: index):
      return "(error object is a table value)"
    default: break
    }
    let fallback = "(error object is a \(type(at: index).name) value)"
    guard rac_lua_tostring(state, Int32(index)) == LUA_OK else {
      lua_settop(state, -2)
      return fallback
    }
    defer { lua_settop(state, -2) }
    return string(at: -1) ?? fallback
  }
}
