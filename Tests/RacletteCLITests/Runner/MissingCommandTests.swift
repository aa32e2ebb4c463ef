import Testing

/// `rac.commands.x` is nil for a command that does not exist, so that a script can ask; a use of it says
/// what was probably meant.
@Suite("rac.commands with a name that does not exist", .timeLimit(.minutes(5)))
struct MissingCommandTests {
  @Test(
    "is told where it is used",
    arguments: [
      (#"rac.commands.flsh:execute()"#, "field 'flsh'", "flsh"),
      (#"rac.commands["fl" .. "sh"]:execute()"#, "field '?'", "flsh"),
      (#"return rac.commands.flsh.executing"#, "field 'flsh'", "flsh"),
      (#"local c = rac.commands.flsh return c:execute()"#, "local 'c'", "flsh"),
    ])
  func used(line: String, what: String, name: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "flash", run = "true"}
        rac.command{name = "a", run = function()
          \(line)
        end}
        """)
    let run = await raclette("run", "a", in: folder)
    #expect(
      run.errors
        == "raclette: error: a: commands.lua:3: attempt to index a nil value (\(what)); "
        + "there is no command '\(name)'; did you mean 'flash'?\n")
    #expect(run.status == 1)
  }

  @Test("can be asked for, and changes no other message")
  func asked() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = function(_, emit)
          if rac.commands.b then emit("b") end
          emit(tostring(rac.commands.b))
          local none
          return none.field
        end}
        """)
    let run = await raclette("run", "a", in: folder)
    #expect(run.output == "nil\n")
    #expect(
      run.errors
        == "raclette: error: a: commands.lua:5: attempt to index a nil value (local 'none')\n")
  }

  @Test(
    "is a hint to what lists show",
    arguments: [
      ("wipe", ""), ("_wip", "; did you mean '_wipe'?"), ("fre", "; did you mean 'free'?"),
      ("keys", "; it is a namespace, with keys:make, keys:show"),
      ("keys:_dro", "; did you mean 'keys:_drop'?"),
      ("keys:drop", "; did you mean 'keys:show'?"),
    ])
  func hint(name: String, hint: String) async {
    let folder = Folder(
      commands: """
        for _, name in ipairs{"_wipe", "free", "keys:_drop", "keys:make", "keys:show"} do
          rac.command{name = name, run = "true"}
        end
        """)
    let run = await raclette(name, in: folder)
    #expect(run.errors == "raclette: error: unknown command '\(name)' in commands.lua\(hint)\n")
    #expect(run.status == 2)
  }

  @Test("is told at the top level of a file")
  func top() async {
    let folder = Folder(
      commands: "rac.command{name = 'flash', run = 'true'}\nrac.commands.Flash:execute()")
    #expect(
      await raclette("list", in: folder).errors
        == "raclette: error: commands.lua:2: attempt to index a nil value (field 'Flash'); "
        + "there is no command 'Flash'; did you mean 'flash'?\n")
  }
}
