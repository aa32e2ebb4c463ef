import Platform
import Testing

/// Lua raises with longjmp. Only functions that cannot raise (but for lack of memory, which the
/// shim's allocator deals with) may be called from Swift; all others belong into CLuaShims.
@Suite struct BoundaryLintTests {
  static let harmless: Set<String> = [
    "lua_absindex", "lua_checkstack", "lua_copy", "lua_createtable", "lua_getiuservalue",
    "lua_getmetatable", "lua_gettop", "lua_isinteger", "lua_pushboolean", "lua_pushinteger",
    "lua_pushlstring",
    "lua_pushnil", "lua_pushnumber", "lua_pushvalue", "lua_rawequal", "lua_rawget", "lua_rawgeti",
    "lua_rawlen", "lua_rawseti", "lua_rotate", "lua_setiuservalue", "lua_setmetatable",
    "lua_settop", "lua_setupvalue", "lua_status",
    "lua_toboolean", "lua_tointegerx", "lua_tolstring", "lua_tonumberx", "lua_topointer",
    "lua_touserdata", "lua_type", "lua_xmove", "luaL_getmetafield",
  ]

  @Test func swiftCallsOnlyLuaFunctionsThatCannotRaise() throws {
    let sources =
      String(#filePath.prefix(upTo: try #require(#filePath.firstRange(of: "/Tests/")).lowerBound))
      + "/Sources"
    let files = swiftFiles(under: sources)
    #expect(files.count > 20)
    for file in files {
      for (number, line) in try lines(of: file).enumerated() {
        let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
        for match in code.matches(of: /\b(luaL?_[A-Za-z]+)\s*\(/) {
          #expect(
            Self.harmless.contains(String(match.1)),
            "\(file):\(number + 1): \(match.1) may raise through a Swift frame")
        }
      }
    }
  }

  private func swiftFiles(under folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".swift") { files.append(path) } else { files += swiftFiles(under: path) }
    }
    return files
  }

  private func lines(of file: String) throws -> [Substring] {
    let stream = try #require(fopen(file, "re"))
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
  }
}
