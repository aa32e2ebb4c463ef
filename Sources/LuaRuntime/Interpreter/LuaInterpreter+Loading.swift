import CLuaShims
import Platform

/// The kinds of chunks that may be loaded.
public enum LuaChunkMode: String, Sendable {
  case text = "t"
  /// Also precompiled chunks, which can crash the interpreter if they have been tampered with.
  case textOrBinary = "bt"
}

extension LuaInterpreter {
  /// Compiles a chunk. `chunkName` is Lua's: `@file`, `=label`, or the code itself. Errors:
  /// `syntax`, with `file:line:` in the message; `memoryLimit`.
  public func load(
    _ bytes: UnsafeRawBufferPointer, chunkName: String, mode: LuaChunkMode = .text
  ) throws(LuaError) -> LuaReference {
    let function = try withStack { (stack: LuaStack) throws(LuaError) -> LuaReference in
      let status = chunkName.withCBytes { name in
        rac_lua_load(
          stack.state, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, name,
          mode.rawValue)
      }
      try stack.check(status)
      return LuaReference(popping: stack, type: .function, lifetime: lifetime)
    }
    guard let function else { throw unavailable() }
    return function
  }

  /// Compiles a text.
  public func load(_ code: String, chunkName: String) throws(LuaError) -> LuaReference {
    var code = code
    code.makeContiguousUTF8()
    let bytes = ContiguousArray(code.utf8)
    return try load(bytes, chunkName: chunkName)
  }

  // ContiguousArray's own withUnsafeBytes rethrows untyped.
  private func load(
    _ bytes: ContiguousArray<UInt8>, chunkName: String
  ) throws(LuaError) -> LuaReference {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(LuaError) in try load(bytes, chunkName: chunkName) }
    }
    return try result.get()
  }

  /// Compiles the text of a file; a byte order mark and a first line that begins with `#` are
  /// skipped. Errors: `file` if it cannot be read or is not text, `syntax`, `memoryLimit`.
  ///
  /// - Parameter kind: the kinds of file that are read.
  public func loadFile(
    _ path: String, chunkName: String? = nil, from kind: SourceFile.Kind = .regularFileOrStream
  ) throws(LuaError) -> LuaReference {
    let name = chunkName.map { String($0.drop { $0 == "@" || $0 == "=" }) } ?? path
    var bytes: ContiguousArray<UInt8>
    do { bytes = try SourceFile.read(path, kind) } catch {
      throw fileError(name, error.description)
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    if bytes.first == UInt8(ascii: "#") {
      // The newline is kept so that line numbers do not change.
      bytes.removeSubrange(..<(bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex))
    }
    if bytes.first == 0x1B {
      throw fileError(name, "is a compiled chunk, not Lua text")
    }
    return try load(bytes, chunkName: chunkName ?? "@\(path)")
  }
}

private func fileError(_ name: String, _ problem: String) -> LuaError {
  let message = "\(name): \(problem)"
  return LuaError(value: .string(message), message: message, kind: .file)
}
