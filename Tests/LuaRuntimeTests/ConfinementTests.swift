import Testing

@testable import LuaRuntime

@Suite("Confinement") struct ConfinementTests {
  private func confined(_ granted: Capabilities, _ refusal: Confinement.Refusal) throws
    -> LuaInterpreter
  {
    let lua = try LuaInterpreter()
    let confinement = Confinement(granted: granted, refusal: refusal) {
      "\($1) needs \($0.rawValue)"
    }
    lua.confine(to: confinement, hostGlobals: [])
    return lua
  }

  private static let listing = """
    local names = {}
    for name, value in pairs(_G) do
      names[#names + 1] = "_G." .. name
      if type(value) == "table" and value ~= _G then
        for member in pairs(value) do names[#names + 1] = name .. "." .. member end
      end
    end
    return table.concat(names, " ")
    """

  private func names(_ lua: LuaInterpreter) throws -> Set<String> {
    let text = try lua.run(Self.listing, chunkName: "=list").first?.stringValue?.description ?? ""
    return Set(text.split(separator: " ").map(String.init))
  }

  private func listed(where isIncluded: (StandardLibrary.Member) -> Bool) -> Set<String> {
    Set(
      StandardLibrary.members.flatMap { library, members in
        members.filter { isIncluded($0.value) }.keys.map { "\(library).\($0)" }
      })
  }

  @Test func theListHasEveryMemberOfLuasLibrary() throws {
    let lua = try LuaInterpreter()
    let present = try names(lua)
    #expect(present.subtracting(listed { _ in true }).isEmpty)
    lua.close()
  }

  @Test func whatIsNotGrantedIsNotThere() throws {
    let granted: Capabilities = [.time, .output]
    let lua = try confined(granted, .absent)
    let present = try names(lua)
    let allowed = listed { $0.needs.isSubset(of: granted) }
      .subtracting(["_G.io", "_G.debug"])
    // Lua may be built without what older versions had.
    #expect(present.isSubset(of: allowed))
    #expect(allowed.subtracting(present).allSatisfy { $0.hasPrefix("math.") })
    lua.close()
  }

  @Test func aMemberThatNobodyHasThoughtAboutIsNotThere() throws {
    let lua = try LuaInterpreter()
    try lua.run("string.newer = print; newer = {} ; os.newer = 1", chunkName: "=newer")
    let confinement = Confinement(granted: .all, refusal: .explained) { $1 }
    lua.confine(to: confinement, hostGlobals: [])
    let values = try lua.run("return string.newer, newer, os.newer", chunkName: "=ask")
    #expect(values == [.nil, .nil, .nil])
    lua.close()
  }

  @Test func refusalsAreCountedAndExplained() throws {
    let lua = try confined([.files], .explained)
    let results = try lua.run("return pcall(os.execute, 'true')", chunkName: "=ask")
    #expect(results.first == .bool(false))
    #expect(results.last?.stringValue?.description == "os.execute needs 32")
    #expect(lua.refusals == 1)
    #expect(lua.isRefusal("x:1: os.execute needs 32") && !lua.isRefusal("another"))
    #expect(throws: Refused.self) { try lua.demand(.processes, for: "x") }
    #expect(throws: Never.self) { try lua.demand(.files, for: "x") }
    lua.close()
  }

  @Test func aGuardedFunctionKeepsItsNameInMessages() throws {
    let lua = try confined([.files], .explained)
    let results = try lua.run("return pcall(function() io.open({}) end)", chunkName: "=ask")
    #expect(
      results.last?.stringValue?.description
        == "ask:1: bad argument #1 to 'open' (string expected, got table)")
    lua.close()
  }

  @Test func theFilesOfTheHostAreThoseOfTheBeginning() throws {
    let lua = try LuaInterpreter()
    var written = ""
    // What a script puts in the place of the files is not touched.
    try lua.run("real = io.stdout; io = {stdout = io.tmpfile()}", chunkName: "=swap")
    try lua.redirectOutput { written += String(decoding: $1, as: UTF8.self) }
    try lua.run("real:write('a\\n') io.stdout:write('b') io.stdout:close()", chunkName: "=write")
    lua.flushOutput()
    #expect(written == "a\n")
    lua.close()
  }
}
