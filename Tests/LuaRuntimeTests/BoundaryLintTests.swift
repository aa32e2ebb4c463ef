import Testing
import TextFiles

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
    let files = try TextFile.paths(inFolder: TextFile.packageFolder + "/Sources")
      .filter { $0.hasSuffix(".swift") }
    #expect(files.count > 20)
    let call = /\b(luaL?_[A-Za-z]+)\s*\(/
    for file in files where try TextFile.has("lua", inFile: file) {
      for (number, line) in try TextFile(file).lines.enumerated() {
        let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
        for match in code.matches(of: call) {
          #expect(
            Self.harmless.contains(String(match.1)),
            "\(file):\(number + 1): \(match.1) may raise through a Swift frame")
        }
      }
    }
  }
}
