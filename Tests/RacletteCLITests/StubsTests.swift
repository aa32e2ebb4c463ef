import Testing

@Suite("the definitions for editors")
struct StubsTests {
  @Test("are Lua that its compiler accepts, and name every function of the library")
  func stubs() async {
    let run = await raclette("stubs")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("---@meta"))
    #expect(run.output.contains("function rac.exec("))
    let folder = Folder()
    folder.write(run.output, to: "rac.lua")
    let check = await shell("luac5.4 -p rac.lua", in: folder)
    #expect(check.errors == "")
    #expect(check.status == 0)
  }

  @Test("have annotations that a language server understands")
  func annotations() async {
    let stubs = LuaCATS(await raclette("stubs").output)
    #expect(stubs.problems == [])
    #expect(stubs.functions > 100)
    #expect(stubs.defined.isSuperset(of: ["rac.Signal", "rac.Command", "rac.Execution"]))
  }

  @Test(
    "are found wrong where they are",
    arguments: [
      ("---@param a string\nfunction f(b) end", "@param names"),
      ("---@param a strnig\nfunction f(a) end", "nothing defines 'strnig'"),
      ("---@return fun(a: string\nfunction f() end", "')' is expected"),
      ("---@field a table<string\n---@class x", "'>' is expected"),
      ("---@parm a string\nfunction f(a) end", "'@parm' is no annotation"),
    ])
  func mistakes(text: String, problem: String) {
    #expect(LuaCATS(text + "\n").problems.first?.contains(problem) == true)
  }

  @Test("take no arguments")
  func surplus() async {
    let run = await raclette("stubs", "x")
    #expect(run.errors == "raclette: error: unexpected argument 'x'; usage: raclette :stubs\n")
    #expect(run.status == 2)
  }
}

@Suite("the files for editors")
struct EditorFileTests {
  @Test("are JSON, and the snippets are Lua that loads")
  func snippets() async throws {
    let folder = Folder([
      "expand.lua": """
      local function read(path)
        local file <close> = assert(io.open(path))
        return rac.json.decode(file:read("a"))
      end
      assert(read("settings.json")["Lua.runtime.version"] == "Lua 5.4")
      local text = {"local rac = rac"}
      for name, snippet in pairs(read(".vscode/raclette.code-snippets")) do
        local body = table.concat(snippet.body, "\\n")
        text[#text + 1] = body:gsub("%${%d:(.-)}", "%1"):gsub("%$0", "")
          :gsub('name = "name"', ('name = "%s"'):format(name)) .. "\\n"
      end
      io.open("commands.lua", "w"):write(table.concat(text, "\\n")):close()
      """
    ])
    for block in try GuidePage("Sources/RacletteCLI/RacletteCLI.docc/Editors").blocks {
      if case .file(let path) = block.kind { folder.write(block.text, to: path) }
    }
    let start = await shell("mkdir p && raclette init p 2>&- && cat p/.luarc.json", in: folder)
    let settings = try GuidePage("Sources/RacletteCLI/RacletteCLI.docc/Editors").blocks.first {
      if case .file(".luarc.json") = $0.kind { true } else { false }
    }
    #expect(start.output == settings?.text)
    // The source that a snippet names.
    folder.write("", to: "src/main.c")
    let run = await shell("raclette expand.lua && raclette check && raclette list", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(run.lines.count == 3, "\(run)")
  }
}

@Suite("what several commands of a call need")
struct SharedNeedsTests {
  @Test("is executed once, and its values come first")
  func once() async {
    let folder = Folder(
      commands: """
        rac.command{name = "fetch", run = function() return "fetched" end}
        rac.command{name = "build", needs = {"fetch"}, run = function() return "built" end}
        rac.command{name = "test", needs = {"fetch"}, run = function() return "tested" end}
        """)
    let run = await raclette("run", "build", ":::", "test", in: folder)
    #expect(run.output == "fetched\nbuilt\ntested\n")
    #expect(run.status == 0)
  }
}
