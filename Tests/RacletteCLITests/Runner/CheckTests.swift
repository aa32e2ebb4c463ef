import Testing

@Suite("raclette check", .timeLimit(.minutes(5)))
struct CheckTests {
  @Test("reports all that is wrong in one definition")
  func definition() async {
    let folder = Folder(
      commands: """
        rac.command{name = "", run = print}
        rac.command{
          name = "many", need = {"x"}, timeout = "x", when_busy = "rstart", run = 5,
          params = {{name = "a", type = "int"}, {tpye = "string"}}, aliases = 1,
        }
        """)
    let run = await raclette("check", in: folder)
    #expect(
      run.lines == [
        "commands.lua:1: field 'name' must not be empty",
        "commands.lua:2: unknown key 'need'; did you mean 'needs'?",
        "commands.lua:2: field 'run' must be a function, a line for the shell or a list of words, got number",
        "commands.lua:2: field 'aliases' must be a list of strings",
        "commands.lua:2: parameter 'a' has type 'int'; did you mean 'integer'?",
        "commands.lua:2: params[2] has an unknown key 'tpye'; did you mean 'type'?",
        "commands.lua:2: params[2] needs a name",
        #"commands.lua:2: field 'when_busy' must be "reject", "queue", "restart" or "join""#,
        #"commands.lua:2: field 'timeout' must be a number of seconds from 0 up, or a text such as "30s""#,
      ])
    #expect(run.status == 3)
  }

  @Test("reports statements that make a signal and drop it, by reading")
  func discarded() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        local parts = require "parts"
        -- rac.sh("a comment")
        for i = 1, 2 do rac.just("not in a function") end
        rac.command{name = "a", run = function()
          local text = [[
            rac.sh("text")]]
          rac.sh("make test")
          rac.exec{"touch", "made"}
          rac.sh"ls":map(function(line)
            rac.sh("inner") return line
          end):take(1)
          if text then rac.just(1) else rac.merge(rac.sh("a"), rac.sh("b")) end
        end}
        rac.command{name = "b", run = function(input, emit)
          rac.sh("a"):wait()
          rac.sh("a"):map(print):subscribe()
          rac.sh("a"):replay():map(print)
          rac.log.info("a")
          rac.sleep(0)
          local x, y = 1, rac.sh("a")
          emit(y)
          for _, s in ipairs{rac.sh("a")} do emit(s) end
          if x then return rac.sh("a") end
          return
            rac.sh("a")
        end}
        """)
    folder.write("return function()\n  rac.sh('module')\nend\n", to: "parts.lua")
    let run = await raclette("check", in: folder)
    let problem =
      "the signal made here was neither returned nor subscribed, so it did nothing; "
      + "is 'return' missing before it, or ':wait()' after it?"
    let outside =
      "the signal made here was not subscribed, so it did nothing; "
      + "is ':wait()' missing after it, or the command around it?"
    #expect(
      run.lines
        == ["commands.lua:4: \(outside)"]
        + [8, 9, 10, 11, 13, 13].map { "commands.lua:\($0): \(problem)" }
        + ["./parts.lua:2: \(problem)"])
    #expect(run.status == 1)
  }

  @Test("reports a name in front of the definition")
  func nameInFront() async {
    let folder = Folder(commands: #"rac.command("build", {run = "make"})"#)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:1: bad argument #1 to 'command' (table expected, got string; did you mean "
          + #"rac.command{name = "build", …}?)"#
      ])
  }

  @Test("reports parameters and choices without the braces of their lists")
  func shapes() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", params = {name = "target", required = true}, run = print}
        rac.command{name = "b", params = {{name = "c", choices = "red"}, {name = "d", choices = {}}},
          run = print}
        """)
    let run = await raclette("check", in: folder)
    #expect(
      run.lines == [
        "commands.lua:1: field 'params' has 'name' outside a parameter: params = {{name = …}}",
        "commands.lua:2: the choices of parameter 'c' must be a list of at least one",
        "commands.lua:2: the choices of parameter 'd' must be a list of at least one",
      ])
    #expect(run.status == 3)
  }

  @Test("reports what loads but cannot be used")
  func use() async {
    let folder = Folder(
      commands: """
        rac.command{name = "-x", run = print}
        rac.command{name = ":::", run = print}
        rac.command{name = "a", run = print, cwd = "none", env_file = ".env", params = {
          {name = "bad name"}, {name = "help"}, {name = "n", type = "integer", choices = {1, "x"}}}}
        rac.command{name = "b", needs = {"a"}, cwd = "made by a", run = print}
        """)
    let run = await raclette("check", in: folder)
    #expect(
      run.lines == [
        "commands.lua:1: '-x': the name '-x' would be an option",
        "commands.lua:2: ':::': the name ':::' separates commands",
        "commands.lua:3: 'a': no command line can name the parameter 'bad name'",
        "commands.lua:3: 'a': the parameter 'help' is hidden by --help",
        "commands.lua:3: 'a': parameter 'n' is of type 'integer', its choice 'x' is not",
      ])
    #expect(
      run.notes == [
        "commands.lua:3: 'a': cwd 'none': no such file or directory",
        "commands.lua:3: 'a': env_file '.env': no such file or directory",
      ])
    #expect(run.status == 1)
  }

  @Test("a file of variables that is here and has a mistake fails, as each run does")
  func variables() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "a", env_file = ".env", run = "true"}
      rac.command{name = "b", env_file = {".env", "none", {"other", optional = true}}, run = "true"}
      rac.command{name = "c", needs = "a", env_file = "bad", run = "true"}
      rac.command{name = "d", needs = "a", env_file = "made by a", run = "true"}
      """, ".env": "A=\"open\n", "bad": "=\n",
    ])
    let check = await raclette("check", in: folder)
    #expect(
      check.lines == [
        "commands.lua:1: 'a': .env:1: the quote \" is not closed",
        "commands.lua:3: 'c': bad:1: '' is not the name of a variable",
      ], "\(check)")
    #expect(check.notes == ["commands.lua:2: 'b': env_file 'none': no such file or directory"])
    #expect(check.status == 1)
    #expect(await raclette("c", in: folder).status == 2)
  }

  @Test("a plan does not claim to know a condition that would have to ask a process")
  func unasked() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = print,
          enabled = rac.sh("echo yes"):map(function(line) return line == "yes" end)}
        """)
    #expect(
      await raclette("run", "-n", "c", in: folder).output
        == "  1. c  enabled depends on a process, which is not started\n")
  }

  @Test("a time is limited to what was asked for")
  func durations() async {
    let folder = Folder(commands: "rac.command{name = 'c', run = function() rac.sleep(1000) end}")
    let run = await raclette("run", "--timeout", "7ms", "c", in: folder)
    #expect(run.errors == "raclette: error: c: the execution took longer than 0.007 s\n")
    let eternal = Folder(
      commands: "rac.command{name = 'c', timeout = math.huge, run = function() return 1 end}")
    #expect(await raclette("run", "c", in: eternal).output == "1\n")
  }

  @Test("a variable of a file is the bytes that stand there")
  func bytes() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", env_file = ".env", run = function()
          return rac.sh("printf '%s' \\"$V\\" | od -An -tx1")
        end}
        """)
    folder.write(Array("V=caf".utf8) + [0xE9, 0xA0, 10], to: ".env")
    #expect(await raclette("run", "c", in: folder).output == " 63 61 66 e9 a0\n")
  }

  @Test(
    "--color is what children are told",
    arguments: [("always", "1,-,1"), ("never", "-,1,-")])
  func colors(option: String, told: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function()
          return rac.sh("echo ${FORCE_COLOR:--},${NO_COLOR:--},${CLICOLOR_FORCE:--}")
        end}
        """)
    let given = option == "always" ? ["NO_COLOR": "1"] : ["FORCE_COLOR": "1"]
    let run = await raclette("--color", option, "run", "c", in: folder, environment: given)
    #expect(run.output == told + "\n")
  }

  @Test("an option that no command has is input only behind --")
  func options() async {
    let folder = Folder(
      commands: "rac.command{name = 'c', params = 'any', run = function(i) return i end}")
    let run = await raclette("run", "c", "-x", in: folder)
    #expect(run.errors == "raclette: error: c: unknown option '-x'; after -- it is an argument\n")
    #expect(run.status == 2)
    #expect(await raclette("run", "c", "--", "-x", in: folder).output == #"["-x"]"# + "\n")
  }

  @Test("says what a value without a key, a system and a need were meant to be")
  func meant() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{"x", run = "true"}
      rac.command{name = "y", "true"}
      rac.command{name = "z", function() end}
      rac.command{name = "d", os = "darwin", run = "true", params = {{"target"}}}
      rac.command{name = "s", needs = "export:csv", run = "true"}
      rac.command{name = "test1", needs = "test2", run = "true"}
      rac.include("pipeline", "pipeline.lua")
      """,
      "pipeline.lua": """
      rac.command{name = "export:csv", run = "true"}
      rac.command{name = "q", needs = "csv", run = "true"}
      """,
    ])
    let run = await raclette("check", in: folder)
    let work = "field 'run' must be a function, a line for the shell or a list of words, got nil"
    #expect(
      run.lines == [
        #"commands.lua:1: unnamed value "x"; write name = "x""#,
        #"commands.lua:2: unnamed value "true"; write run = "true""#,
        "commands.lua:2: \(work)",
        "commands.lua:3: unnamed function; write run = function…",
        "commands.lua:3: \(work)",
        #"commands.lua:4: params[1] has an unnamed value "target"; write name = "target""#,
        "commands.lua:4: params[1] needs a name",
        "commands.lua:4: field 'os' has no system 'darwin'; did you mean 'macos'?",
        "commands.lua:5: 's' needs 'export:csv', which is not defined; did you mean 'pipeline:export:csv'?",
        "commands.lua:6: 'test1' needs 'test2', which is not defined",
        "pipeline.lua:2: 'pipeline:q' needs 'pipeline:csv', which is not defined; did you mean 'export:csv'?",
      ])
    #expect(run.status == 3)
  }

  @Test("an unknown key is answered with all keys, however many there are")
  func allKeys() async {
    let folder = Folder(commands: #"rac.command{name = "a", zzzzzz = 1, run = "true"}"#)
    let run = await raclette("list", in: folder)
    #expect(run.errors.hasPrefix("raclette: error: commands.lua:1: bad argument #1 to 'command' ("))
    #expect(run.errors.hasSuffix("timeout, tty, uses, watch, when_busy)\n"), "\(run)")
    #expect(run.status == 3)
  }
}
