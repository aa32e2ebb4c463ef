import LuaRuntime
import Platform
import Testing

@Suite struct LoadingTests {
  let lua: LuaInterpreter
  init() throws { lua = try LuaInterpreter() }

  @Test func aSyntaxErrorTellsItsPlace() throws {
    let error = try failure { () throws(LuaError) in
      _ = try lua.load("x = = 1", chunkName: "@a.lua")
    }
    #expect(error.kind == .syntax(incomplete: false))
    #expect(error.message.hasPrefix("a.lua:1: "))
    #expect(error.position == "a.lua:1")
  }

  @Test(arguments: ["for i = 1, 2 do", "x = {", "f(", "[[", "if x then", "x = 'a\\\n"])
  func anIncompleteChunkIsRecognised(code: String) throws {
    let error = try failure { () throws(LuaError) in _ = try lua.load(code, chunkName: "=t") }
    #expect(error.isIncompleteChunk == true)
  }

  @Test(arguments: ["x = }", "end", "x = 'a\n'"])
  func aWrongChunkIsNotIncomplete(code: String) throws {
    let error = try failure { () throws(LuaError) in _ = try lua.load(code, chunkName: "=t") }
    #expect(!error.isIncompleteChunk)
  }

  @Test(arguments: [
    "#!/usr/bin/env raclette\nreturn debug.getinfo(1, 'l').currentline",
    "\u{FEFF}#!x\nreturn debug.getinfo(1, 'l').currentline",
    "\u{FEFF}\nreturn debug.getinfo(1, 'l').currentline",
  ])
  func aFirstLineForTheShellIsSkippedAndLinesKeepTheirNumbers(text: String) throws {
    try withFile(Array(text.utf8)) { path in
      let function = try lua.loadFile(path)
      #expect(try lua.call(function) == [2])
    }
  }

  @Test func aFileOfOnlyAShebangIsEmpty() throws {
    try withFile(Array("#!x".utf8)) { path in
      let function = try lua.loadFile(path)
      #expect(try lua.call(function) == [])
    }
  }

  @Test func whatCannotBeReadIsNamed() throws {
    let missing = try failure { () throws(LuaError) in _ = try lua.loadFile("/nonexistent/x.lua") }
    #expect(missing.kind == .file)
    #expect(missing.message == "/nonexistent/x.lua: no such file or directory")
    let directory = try failure { () throws(LuaError) in _ = try lua.loadFile("/tmp") }
    #expect(directory.message == "/tmp: is a directory")
    try withFile([0x1B, 0x4C, 0x75, 0x61]) { path in
      let binary = try failure { () throws(LuaError) in _ = try lua.loadFile(path) }
      #expect(binary.message == "\(path): is a compiled chunk, not Lua text")
    }
  }

  @Test func requireFindsPreloadedModules() throws {
    lua.preload("answer", .reference(try lua.load("return 42", chunkName: "=m")))
    #expect(try eval(lua, "return require('answer')") == 42)
    lua.packagePath = "/nowhere/?.lua"
    #expect(try eval(lua, "return package.path") == "/nowhere/?.lua")
    lua.packageCPath = ""
    #expect(lua.packageCPath == "")
  }

  @Test func loadIsLuasOwn() throws {
    let lines = try eval(
      lua,
      """
      local lines = {}
      local function note(...)
        local values = table.pack(...)
        for i = 1, values.n do values[i] = tostring(values[i]) end
        lines[#lines + 1] = table.concat(values, " ")
      end
      local function pieces(...)
        local left = {...}
        return function() return table.remove(left, 1) end
      end
      note(load("return x", "c", "t", {x = 1})(), load("return ...")(2), load(5))
      note(load(pieces("return ", 3, "")) ())
      note(load(pieces("x"), "=name"))
      note(load("return 1", "c", "b"))
      note(load(function() return {} end))
      note(load(function() error("inner", 0) end))
      note(load(string.dump(function() return 4 end), nil, "b")())
      note(pcall(load), pcall(load, {}), pcall(load, "", {}))
      note(load("x =", "line one\\nline two"))
      note(load("return _ENV", "c", "t", nil)())
      return table.concat(lines, "\\n")
      """)
    #expect(
      lines.stringValue?.description == """
        1 2 nil [string "5"]:1: unexpected symbol near '5'
        3
        nil name:1: syntax error near <eof>
        nil attempt to load a text chunk (mode is 'b')
        nil test:15: reader function must return a string
        nil inner
        4
        false false false bad argument #2 to 'load' (string expected, got table)
        nil [string "line one..."]:1: unexpected symbol near <eof>
        nil
        """)
  }

  private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    var template = Array("/tmp/raclette-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    defer { unlink(path) }
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    try body(path)
  }
}
