import Testing

@Suite("definitions tell what was meant", .timeLimit(.minutes(5)))
struct DefinitionMistakeTests {
  private static func check(_ commands: String) async -> Outcome {
    await raclette("check", in: Folder(commands: commands))
  }

  @Test("every boolean is one")
  func booleans() async {
    let run = await Self.check(
      """
      rac.command{name = "a", private = "no", run = "true", params = {
        {name = "x", required = "no"}, {name = "y", rest = 0}, {name = "z", required = true, default = "1"}}}
      """)
    #expect(
      run.lines == [
        "commands.lua:1: field 'private' must be a boolean, got string",
        "commands.lua:1: 'required' of parameter 'x' must be a boolean, got string",
        "commands.lua:1: 'rest' of parameter 'y' must be a boolean, got number",
        "commands.lua:1: parameter 'z' is required, so its default is never used; remove one",
      ])
    #expect(run.status == 3)
    let watch = await raclette("-e", "rac.watch('.', {recursive = 'no'})")
    #expect(
      watch.errors.hasSuffix("(option 'recursive' must be a boolean, got string)\n"), "\(watch)")
  }

  @Test("the keys of other tools")
  func keys() async {
    let run = await Self.check(
      """
      rac.command{name = "a", cmd = "true", deps = {}, run = "true"}
      rac.command{name = "b", cmds = {}, dir = ".", generates = "x", ["depends-on"] = {}, run = "true"}
      rac.command{name = "c", desc = "x", internal = true, ["if"] = "x", args = {}, run = "true",
        params = {{name = "x", desc = "y", enum = {"z"}}}}
      """)
    let unknown = { (line: Int, key: String, meant: String) in
      "commands.lua:\(line): unknown key '\(key)'; did you mean '\(meant)'?"
    }
    #expect(
      run.lines == [
        unknown(1, "cmd", "run"), unknown(1, "deps", "needs"),
        unknown(2, "cmds", "steps"), unknown(2, "depends-on", "needs"), unknown(2, "dir", "cwd"),
        unknown(2, "generates", "outputs"),
        unknown(3, "args", "params"), unknown(3, "desc", "summary"), unknown(3, "if", "enabled"),
        unknown(3, "internal", "private"),
        "commands.lua:3: params[1] has an unknown key 'desc'; did you mean 'help'?",
        "commands.lua:3: params[1] has an unknown key 'enum'; did you mean 'choices'?",
      ])
  }

  @Test("conditions, needs and included files")
  func forms() async {
    let run = await Self.check(
      """
      rac.command{name = "a", enabled = false, run = "true"}
      rac.command{name = "b", precondition = "test -f x", run = "true"}
      local c = rac.command{name = "c", run = "true"}
      rac.command{name = "d", needs = {c}, run = "true"}
      rac.command{name = "e", needs = c, run = "true"}
      rac.command{name = "f", needs = "c, h", run = "true"}
      rac.command{name = "g", needs = {"c h"}, run = "true"}
      rac.command{name = "h", run = "true"} rac.include("sub/commands.lua")
      """)
    #expect(
      run.lines == [
        "commands.lua:1: field 'enabled' must be a signal or a function, got boolean; enabled = rac.just(false) never changes",
        "commands.lua:2: field 'precondition' must be a signal or a function, got string; "
          + #"precondition = function() return os.execute("test -f x") == true end asks the shell each time"#,
        #"commands.lua:4: field 'needs'[1] must be a name, got a command; write its name, "c""#,
        #"commands.lua:5: field 'needs' must be a name or a list of names, got a command; write its name, "c""#,
        "commands.lua:8: bad argument #2 to 'include' (the namespace is missing: "
          + #"rac.include("NAME", "sub/commands.lua") defines NAME:COMMAND, "#
          + #"rac.include(nil, "sub/commands.lua") the names as they are)"#,
        #"commands.lua:6: 'f' needs 'c, h', which is not defined; several are a list: needs = {"c", "h"}"#,
        #"commands.lua:7: 'g' needs 'c h', which is not defined; several are a list: needs = {"c", "h"}"#,
      ])
    #expect(run.status == 3)
  }

  @Test("a condition that is a text says how to ask for it")
  func textConditions() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", enabled = rac.env.A or rac.env.B, run = "true"}
        rac.command{name = "b", precondition = rac.which("sh"), run = "true"}
        local text = "x" rac.command{name = "c", enabled = text, run = "true"}
        """)
    let run = await raclette("check", in: folder, environment: ["A": "secret"])
    let problem = "must be a signal or a function, got string"
    #expect(
      run.lines == [
        "commands.lua:1: field 'enabled' \(problem); enabled = function() return (rac.env.A or rac.env.B) ~= nil end asks each time",
        #"commands.lua:2: field 'precondition' \#(problem); precondition = function() return rac.which("sh") ~= nil end asks each time"#,
        "commands.lua:3: field 'enabled' \(problem)",
      ])
  }

  @Test("the results of os.execute are the end of a program")
  func programEnds() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = function() return os.execute("exit 3") end}
        rac.command{name = "b", run = function() return os.execute("kill -TERM $$") end}
        rac.command{name = "c", enabled = function() return os.execute("exit 4") end, run = "true"}
        """)
    let exited = await raclette("a", in: folder)
    #expect(exited.errors == "raclette: error: a: the program exited with status 3\n")
    #expect(exited.status == 3)
    let killed = await raclette("b", in: folder)
    #expect(killed.errors == "raclette: error: b: the program was ended by SIGTERM\n")
    #expect(killed.status == 1)
    let refused = await raclette("c", in: folder)
    #expect(
      refused.errors
        == "raclette: error: the command 'c' is not enabled: the program exited with status 4\n")
  }

  @Test("a file with nearly the name of the command file")
  func misnamed() async {
    let folder = Folder(["Commands.lua": #"rac.command{name = "a", run = "true"}"#])
    let hint = "'Commands.lua' is here: rename it, or name it with -f"
    #expect(
      await raclette("run", "a", in: folder).errors
        == "raclette: error: no commands.lua here or in a folder above; \(hint); "
        + "'raclette init' writes one, -f FILE names another\n")
    #expect(
      await raclette("a", in: folder).errors
        == "raclette: error: 'a' is neither a subcommand nor a script; no commands.lua here or in a "
        + "folder above defines it as a command; \(hint)\n")
    #expect(
      await raclette(in: folder).errors.hasPrefix(
        "There is no commands.lua here or in a folder above; \(hint). Usage:\n"))
  }

  @Test("a name of one or two letters is not taken for another one")
  func shortNames() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = "true"}
        rac.command{name = "ls", run = "true"}
        """)
    let lines = { (name: String) in await raclette("run", name, in: folder).errors }
    #expect(await lines("1") == "raclette: error: unknown command '1' in commands.lua\n")
    #expect(await lines("xs") == "raclette: error: unknown command 'xs' in commands.lua\n")
    #expect(
      await lines("sl")
        == "raclette: error: unknown command 'sl' in commands.lua; did you mean 'ls'?\n")
    #expect(
      await lines("A")
        == "raclette: error: unknown command 'A' in commands.lua; did you mean 'a'?\n")
  }
}
