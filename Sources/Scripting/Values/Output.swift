import LuaRuntime

extension ScriptHost {
  /// Calls `body` with a value as a line of output: a string as it is, a table as compact JSON,
  /// anything else as Lua's `tostring` has it; and a newline.
  ///
  /// - Throws: `LuaError` for a table that JSON cannot say.
  public func withOutput<Result>(
    of value: LuaValue, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(LuaError) -> Result {
    var line: [UInt8] = []
    switch value {
    case .string(let string):
      line.reserveCapacity(string.count + 1)
      string.withUnsafeBytes { bytes in
        if let masked = Secrets.masked(bytes) { line += masked } else { line += bytes }
      }
    case .reference(let reference) where reference.type == .table:
      let document = try jsonValue(value)
      line += (document.masked ?? document).text.utf8
    default: line += Secrets.masked(describe(value)).utf8
    }
    line.append(10)
    return line.withUnsafeBytes(body)
  }

  /// A value as compact JSON.
  public func json(_ value: LuaValue) throws(LuaError) -> String { try jsonValue(value).text }

  /// A value as a document.
  public func jsonValue(_ value: LuaValue) throws(LuaError) -> JSONValue {
    let document = try interpreter.withStack { (stack: LuaStack) throws(LuaError) -> JSONValue in
      stack.push(value)
      return try stack.jsonValue(at: -1)
    }
    return document ?? .null
  }

  /// The value that a JSON text means; null in a list or object is nil.
  ///
  /// - Throws: `InputError.invalidJSON`.
  public func value(json text: String) throws(InputError) -> LuaValue {
    let value = try interpreter.withStack { (stack: LuaStack) throws(InputError) -> LuaValue in
      try stack.push(json: text)
      return stack.value(at: -1)
    }
    return value ?? .nil
  }
}
