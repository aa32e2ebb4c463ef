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

  @Test("take no arguments")
  func surplus() async {
    let run = await raclette("stubs", "x")
    #expect(run.errors == "raclette: error: unexpected argument 'x'; usage: raclette stubs\n")
    #expect(run.status == 2)
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
