import LuaRuntime

extension ScriptHost {
  /// Calls `body` with a value as a line of output: a string unchanged, a table as compact JSON,
  /// any other value in the form of Lua's `tostring`; followed by a newline.
  ///
  /// - Throws: `LuaError` for a table that cannot be encoded as JSON.
  public func withOutput<Result>(
    of value: LuaValue, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(LuaError) -> Result {
    var line: [UInt8] = []
    switch value {
    case .string(let string):
      return string.withUnsafeBytes { bytes in
        // Without an optional of the generic result, whose type would be looked up for each value.
        if let masked = Secrets.masked(bytes) {
          return masked.withUnsafeBytes { withNewline($0, body) }
        }
        return withNewline(bytes, body)
      }
    case .reference(let reference) where reference.type == .table:
      let document = try jsonValue(value)
      line += (document.masked ?? document).text.utf8
    default: line += Secrets.masked(outputText(of: value)).utf8
    }
    line.append(10)
    return line.withUnsafeBytes(body)
  }

  /// Calls `body` with a text and a newline, in memory of the stack if it is not long: most values are
  /// lines.
  private func withNewline<Result>(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(byteCount: text.count + 1, alignment: 1) { line in
      line.copyMemory(from: text)
      line[text.count] = 10
      return body(UnsafeRawBufferPointer(line))
    }
  }

  /// Returns the text of a value that JSON cannot represent: Lua's, but of a function its place in
  /// place of an address, which differs in each run.
  public func outputText(of value: LuaValue) -> String {
    guard case .reference(let reference) = value, reference.type == .function else {
      return describe(value)
    }
    return placeOfFunction(value).map { "function at \($0)" } ?? "function"
  }

  /// Encodes a value as compact JSON.
  public func json(_ value: LuaValue) throws(LuaError) -> String { try jsonValue(value).text }

  /// Converts a value to a document.
  public func jsonValue(_ value: LuaValue) throws(LuaError) -> JSONValue {
    let document = try interpreter.withStack { (stack: LuaStack) throws(LuaError) -> JSONValue in
      stack.push(value)
      return try stack.jsonValue(at: -1)
    }
    return document ?? .null
  }

  /// Returns the value of a JSON text; null in a list or object is nil.
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
