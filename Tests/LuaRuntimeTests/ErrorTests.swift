import CSanitizer
import LuaRuntime
import Testing

@Suite struct ErrorTests {
  let lua: LuaInterpreter
  init() throws { lua = try LuaInterpreter() }

  @Test(arguments: [
    ("error()", LuaValue.nil, "nil"), ("error(nil)", .nil, "nil"), ("error(5)", .integer(5), "5"),
    ("error('x', 0)", "x", "x"), ("error(true)", true, "true"),
    ("error('x')", "test:1: x", "test:1: x"),
  ])
  func aRaisedValueArrivesAsItIs(code: String, value: LuaValue, message: String) throws {
    let error = try failure(lua, code)
    #expect(error.value == value)
    #expect(error.message == message)
    #expect(error.origin == .script)
    #expect(error.kind == .runtime)
  }

  /// Under the thread sanitizer, which copies its stack of calls for each allocation.
  @Test func anErrorLeavesTheCallsBehindThatItPasses() throws {
    let code = "for _ = 1, 100 do pcall(load, {}); pcall(coroutine.wrap(error), 'x') end"
    try eval(lua, code)
    let before = followedCalls()
    try eval(lua, code)
    #expect(followedCalls() == before)
  }

  @Test func aRaisedTableArrivesByIdentity() throws {
    let error = try failure(lua, "t = {}; error(t)")
    #expect(error.value == lua.global("t"))
    #expect(error.message == "(error object is a table value)")
  }

  @Test func aMessageComesFromTostring() throws {
    let error = try failure(
      lua, "error(setmetatable({}, {__tostring = function() return 'own' end}))")
    #expect(error.message == "own")
  }

  @Test func anErrorInTostringIsContained() throws {
    let error = try failure(
      lua, "error(setmetatable({}, {__tostring = function() error('inner') end}))")
    #expect(error.message == "(error object is a table value)")
    #expect(error.value.type == .table)
    let odd = try failure(lua, "error(setmetatable({}, {__tostring = function() return {} end}))")
    #expect(odd.message == "(error object is a table value)")
  }

  @Test func aRaisedUserdataArrivesAsItIs() throws {
    let error = try failure(lua, "error(io.stdout)")
    let stdout = try eval(lua, "return io.stdout")
    #expect(error.value == stdout)
    #expect(error.message.hasPrefix("file ("))
  }

  @Test func originTellsTheScriptFromTheInterpreter() throws {
    #expect(try failure(lua, "assert(false)").origin == .script)
    #expect(try failure(lua, "assert(nil, 'why')").origin == .script)
    #expect(try failure(lua, "assert(nil, {})").origin == .script)
    #expect(try failure(lua, "local x; x.y = 1").origin == .interpreter)
    #expect(try failure(lua, "string.rep()").origin == .interpreter)
    #expect(try failure(lua, "return 1 + {}").origin == .interpreter)
    #expect(try failure(lua, "coroutine.wrap(function() error({}) end)()").origin == .script)
    #expect(
      try failure(lua, "coroutine.wrap(function() return 1 + {} end)()").origin == .interpreter)
    #expect(
      try failure(lua, "local f = coroutine.wrap(function() end); f(); f()").origin == .interpreter)
  }

  @Test func aTracebackShowsTheScriptsFramesOnly() throws {
    lua.define("host") { call in
      call.stack.copy(from: 1)
      return .tailCall(arguments: 0)
    }
    let error = try failure(
      lua,
      """
      local function inner() error('deep') end
      local function outer() host(inner) end
      outer()
      """)
    let traceback = try #require(error.traceback)
    #expect(traceback.hasPrefix("stack traceback:"))
    #expect(traceback.contains("test:1: in"))
    #expect(traceback.contains("test:2: in"))
    #expect(traceback.contains("test:3: in main chunk"))
    #expect(!traceback.contains("[C]: in ?"))
    #expect(error.position == "test:1")
  }

  @Test func positionIsTheInnermostScriptLine() throws {
    #expect(try failure(lua, "\n\nerror({})").position == "test:3")
    #expect(try failure(lua, "\nlocal x = nil + 1").position == "test:2")
  }

  @Test func anErrorInACloseVariableReplacesTheFirst() throws {
    let error = try failure(
      lua,
      """
      local c <close> = setmetatable({}, {__close = function() error('second', 0) end})
      error('first', 0)
      """)
    #expect(error.message == "second")
  }

  @Test func aNestedFailureDoesNotDisturbTheOuterOne() throws {
    lua.define("try") { call in
      let function = call.value(at: 1)
      _ = try? call.interpreter.call(function)
      return .none
    }
    let error = try failure(
      lua,
      """
      local c <close> = setmetatable({}, {__close = function()
        try(function() local x = nil + 1 end)
      end})
      error('first', 0)
      """)
    #expect(error.message == "first")
    #expect(error.origin == .script)
    #expect(error.position == "test:4")
  }

  @Test func tooDeepRecursionIsADepthError() throws {
    let error = try failure(lua, "local function f() return 1 + f() end f()")
    #expect(error.kind == .depth)
    #expect(error.isLimit)
    let c = try failure(
      lua,
      "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x"
    )
    #expect(c.kind == .depth)
    #expect(try eval(lua, "return 1") == 1)
  }

  @Test(arguments: [
    "local function f() return (('x'):gsub('x', f)) end f()",
    "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x",
    "local function f() assert(pcall(f)) end f()",
    "return (select(2, pcall(load('local function f() return (string.gsub([[x]], [[x]], f)) end f()'))))",
    "return select(2, load('return ' .. ('('):rep(300) .. '1' .. (')'):rep(300)))",
  ])
  func whatNestsTooDeepIsToldWithTheLimit(_ code: String) throws {
    let message =
      if code.hasPrefix("return") {
        try eval(lua, code).stringValue?.description
      } else {
        try failure(lua, code).message
      }
    #expect(message?.contains("nested too deep: Lua allows about 200 calls") == true)
    #expect(message?.contains("200") == true && message?.hasSuffix("(C stack overflow)") == true)
    if !code.hasPrefix("return") { #expect(message?.hasPrefix("test:1: ") == true) }
  }

  @Test func aRaisedNameOfALimitIsNotTheLimit() throws {
    #expect(try failure(lua, "error('stack overflow')").kind == .runtime)
    #expect(try failure(lua, "error('C stack overflow', 0)").message == "C stack overflow")
  }
}
