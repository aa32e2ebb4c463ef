import Testing

/// Where `env`, `env_file` and `cwd` of a command are in force.
@Suite("The environment of a command", .timeLimit(.minutes(5)))
struct CommandEnvironmentTests {
  private static func folder(_ fields: String) -> Folder {
    let folder = Folder([
      ".env": "FILED=filed\n",
      "commands.lua": """
      rac.command{name = "it", cwd = "sub", env = {GIVEN = "given"}, env_file = ".env", \(fields)}
      """,
    ])
    folder.write("", to: "sub/here")
    return folder
  }

  private static let test = "rac.sh('test -e here && test $GIVEN-$FILED = given-filed && echo yes')"

  @Test(
    "is in force in its conditions, as functions and as signals",
    arguments: [
      "enabled = function() return \(test):first() == 'yes' end",
      "precondition = function() return \(test):first() == 'yes' end",
      "enabled = \(test):map(function(line) return line == 'yes' end)",
      "precondition = \(test):map(function(line) return line == 'yes' end)",
      "enabled = rac.timer(0.01):flat_map(function() return \(test) end):map(function(line) return line == 'yes' end)",
      "enabled = function() return rac.env.GIVEN == 'given' and rac.env.FILED == 'filed' end",
      "precondition = function() return os.execute('test -e here -a $GIVEN = given') end",
    ])
  func conditions(field: String) async {
    let run = await raclette("it", in: Self.folder(field + ", run = 'echo ran'"))
    #expect(run.output == "ran\n")
    #expect(run.errors == "")
  }

  @Test("a file of variables that cannot be read is the reason of a condition")
  func unreadable() async {
    let folder = Folder(
      commands: """
        rac.command{name = "it", env_file = "no.env", enabled = function() return true end, run = "echo ran"}
        """)
    let list = await raclette("list", in: folder)
    #expect(
      list.output
        == "  it  (not enabled: its condition fails: env_file 'no.env': no such file or directory)\n"
    )
    let run = await raclette("it", in: folder)
    #expect(run.errors == "raclette: error: it: env_file 'no.env': no such file or directory\n")
    #expect(run.output == "")
  }

  @Test(
    "is in force in the functions of its work, of needs, and of what counts for being up to date")
  func functions() async {
    let folder = Self.folder(
      #"""
      needs = function() return rac.env.GIVEN == "given" and "need" or {} end,
      params = {{name = "who", default = "me"}},
      sources = function() return rac.sh("pwd >&2; echo her$(test $who$GIVEN = megiven && echo e)"):first() end,
      outputs = function() return rac.env.FILED end,
      fingerprint = function() return rac.sh("echo $FILED") end,
      run = function() os.execute('touch $FILED') return rac.env.GIVEN .. rac.env.FILED end}
      rac.command{name = "need", run = "echo needed"
      """#)
    let run = await raclette("it", in: folder)
    #expect(run.lines == ["needed", "givenfiled"])
    #expect(run.errors == "\(folder["sub"])\n")
    #expect(Folder.isThere(folder["sub/filed"]))
    let again = await raclette("it", in: folder)
    #expect(again.errors == "\(folder["sub"])\nraclette: it is up to date\n")
    let explained = await raclette("explain", "it", in: folder)
    #expect(explained.output == "it who=me: up to date\n")
  }

  @Test("sources, outputs and depfiles are relative to the folder that it works in")
  func patterns() async {
    let folder = Folder(
      commands: """
        rac.command{name = "it", cwd = "sub", sources = "src/*", outputs = "out", depfile = "*.d",
          watch = "src/**", run = "cat src/* >out; echo 'out: src/a' >o.d; echo ran"}
        """)
    folder.write("a", to: "sub/src/a")
    #expect(await raclette("check", in: folder).status == 0)
    #expect(await raclette("it", in: folder).output == "ran\n")
    let again = await raclette("it", in: folder)
    #expect(again.errors == "raclette: it is up to date\n")
    folder.write("b", to: "sub/src/a")
    let explained = await raclette("explain", "it", in: folder)
    #expect(explained.output.contains("sub/src/a"))
    #expect(await raclette("show", "it", in: folder).output.contains("sub/src/**"))
  }

  @Test("an included file may work in the folder above, with its patterns there")
  func included() async {
    let folder = Folder([
      "commands.lua": "rac.include('tasks', 'tasks/commands.lua')",
      "tasks/commands.lua": """
      rac.command{name = "it", cwd = "..", sources = "src/*", outputs = "out", run = "cat src/* >out; echo ran"}
      """,
      "src/a": "a",
    ])
    #expect(await raclette("tasks:it", in: folder).output == "ran\n")
    let again = await raclette("tasks:it", in: folder)
    #expect(again.errors == "raclette: tasks:it is up to date\n")
    #expect(await raclette("check", in: folder).status == 0)
    #expect(Folder.isThere(folder["out"]))
  }

  @Test("rac.env outside of a command is the program's")
  func outside() async {
    let folder = Folder(
      commands: #"""
        rac.env.OUTER = "outer"
        local function seen() return tostring(rac.env.GIVEN) .. tostring(rac.env.OUTER) end
        local before = seen()
        rac.command{name = "it", env = {GIVEN = "given", OUTER = false}, run = function()
          return before .. seen()
        end}
        rac.command{name = "other", run = seen}
        """#)
    #expect(await raclette("it", in: folder).output == "nilouter" + "givennil\n")
    #expect(await raclette("other", in: folder).output == "nilouter\n")
  }
}
