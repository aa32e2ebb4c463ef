import Testing

@testable import Scripting

@Suite("The sandbox", .timeLimit(.minutes(5))) struct SandboxTests {
  private func run(_ code: String, limit: Int? = nil) throws -> ScriptResult {
    let script = try Script(memoryLimit: limit, sandbox: Sandbox())
    defer { script.finish() }
    return script.run(code)
  }

  @Test(arguments: [
    "io", "debug", "dofile", "loadfile", "os.execute", "os.exit", "os.remove", "os.rename",
    "os.tmpname", "os.getenv", "os.setlocale", "package.loadlib", "package.searchers",
    "package.searchpath", "string.dump", "package.loaded.io", "package.loaded.debug",
    "package.loaded.os.execute", "package.loaded.package.loadlib", "rac.env.PATH",
  ])
  func hides(_ name: String) throws {
    let lines = try run("print(\(name))").output
    #expect(lines == ["nil"])
  }

  @Test(arguments: [
    ("rac.exec{'true'}", "'rac.exec' is not available in the sandbox"),
    ("rac.sh('true')", "'rac.sh' is not available in the sandbox"),
    ("rac.watch('/')", "'rac.watch' is not available in the sandbox"),
    ("rac.file_exists('/')", "'rac.file_exists' is not available in the sandbox"),
    ("setmetatable({}, {__gc = print})", "'__gc' is not available in the sandbox"),
    ("getmetatable('').__index = print", "attempt to index"),
    ("setmetatable(1, {})", "bad argument #1 to 'setmetatable' (table expected, got number)"),
    ("getmetatable(rac.tuple(1)).__gc = print", "attempt to index a string"),
    ("getmetatable(select(2, pcall(rac.error('x').wait, rac.error('x')))).__gc = print", "attempt"),
    ("getmetatable(rac.env).__gc = print", "attempt"),
    ("require 'io'", "module 'io' not found"),
    ("require 'lpeg'", "module 'lpeg' not found"),
  ])
  func refuses(_ code: String, _ problem: String) throws {
    let message = try run(code).failure?.message
    #expect(message?.contains(problem) == true, "\(message ?? "none")")
  }

  @Test func whatIsLeftWorks() throws {
    let result = try run(
      """
      print(load("return 1 + 1")(), load("return x", "c", "bt", {x = 3})())
      print(load(("\\27Lua"), "c", "b"))
      print(setmetatable({}, {__index = {a = 4}}).a, ("x"):upper(), getmetatable(""))
      print(os.time{year = 2000, month = 1, day = 2, hour = 12} > 0, #require("rac").version > 0)
      package.path = "/etc/?"
      print(pcall(require, "passwd"))
      print(rac.range(1, 3):to_table().n)
      """)
    #expect(result.failure == nil)
    #expect(result.output[0] == "2\t3")
    #expect(result.output[1].contains("attempt to load a binary chunk (mode is 't')"))
    #expect(result.output[2] == "4\tX\tstring")
    #expect(result.output[3] == "true\ttrue")
    #expect(result.output[4].hasPrefix("false\tmodule 'passwd' not found"))
    #expect(result.output.last == "3")
  }

  @Test(arguments: [
    "local t = {} while true do t[#t + 1] = {} end",
    "local s = 'x' while true do s = s .. s end",
    "return ('x'):rep(1 << 30)",
    "local t = {} for i = 1, 1e9 do t[i] = rac.just(i) end",
  ])
  func memoryIsLimited(_ code: String) throws {
    let result = try run(code, limit: 16 << 20)
    #expect(result.failure?.kind == .limit)
    #expect(result.failure?.message == "test:1: the memory limit of 16 MiB is reached")
  }

  @Test func aScriptThatRanIntoTheMemoryLimitMayGoOnWithLess() throws {
    let result = try run(
      """
      local ok = pcall(function() local t = {} while true do t[#t + 1] = {} end end)
      print(ok, rac.range(1, 10):to_table().n)
      """, limit: 16 << 20)
    #expect(result.output == ["false\t10"])
  }
}
