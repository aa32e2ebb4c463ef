import Testing

@Suite("the forms of a command's work", .timeLimit(.minutes(5)))
struct FormTests {
  private let folder = Folder(
    commands: #"""
      rac.command{name = "line", run = "echo $((6 * 7)); exit 3"}
      rac.command{name = "lines", run = [[
      echo one
      false
      echo two
      ]]}
      rac.command{name = "words", run = {"printf", "<%s>\n", "a b", 5}}
      rac.command{name = "input", run = 'printf "<%s>\n" "$target" "$jobs" "$dry_run" "${none-unset}" "$0"',
        env = {target = "outer", none = "outer"},
        params = {{name = "target"}, {name = "jobs", type = "integer", default = 2},
          {name = "dry-run", type = "boolean", default = false}, {name = "none"}}}
      rac.command{name = "steps", cwd = "sub", env = {WHO = "me"}, steps = {
        "echo $WHO in ${PWD##*/}", {"printf", "%s\n", "it's", ""},
        function(input, emit) emit("in Lua") return rac.exec{"echo", "from", "Lua"} end,
      }}
      rac.command{name = "stops", steps = {"echo one", "exit 4", "echo three"}}
      rac.command{name = "raises", steps = {"echo one", function() error("no") end}}
      rac.command{name = "sends", steps = {function() error({code = 7}) end}}
      rac.command{name = "catches", run = function()
        local ok, e = pcall(function() rac.commands.sends:execute():wait() end)
        local _, exit = pcall(function() rac.commands.stops:execute():wait() end)
        return {code = e.code, kind = exit.kind, status = exit.code}
      end}
      rac.command{name = "slow", timeout = "20ms", run = "sleep 1000"}
      rac.command{name = "many", steps = (function()
        local steps = {}
        for i = 1, 3000 do steps[i] = function(_, emit) if i == 3000 then emit(i) end end end
        return steps
      end)()}
      rac.command{name = "secret", secrets = {"key"}, params = {{name = "key"}},
        steps = {{"echo", "key"}, function(input) return rac.exec{"echo", input.key} end}}
      rac.command{name = "shells", run = function()
        os.execute("true a")
        io.popen("echo b"):close()
        rac.sh("true c"):wait()
      end}
      """#)

  init() { folder.makeFolder("sub") }

  @Test("fails when a function returns nil and a message, as Lua's own functions do")
  func returnedMessage() async {
    let folder = Folder(
      commands: """
        rac.command{name = "remove", run = function() return os.remove("nosuch") end}
        rac.command{name = "steps", steps = {function() return os.remove("nosuch") end, "echo next"}}
        rac.command{name = "nothing", run = function() return nil end}
        rac.command{name = "code", run = function() return nil, 3 end}
        """)
    let remove = await raclette("remove", in: folder)
    #expect(remove.errors == "raclette: error: remove: nosuch: No such file or directory\n")
    #expect(remove.status == 1)
    let steps = await raclette("steps", in: folder)
    #expect(steps.output.isEmpty)
    #expect(
      steps.errors == "raclette: error: steps: step 1 of 2: nosuch: No such file or directory\n")
    for name in ["nothing", "code"] {
      let run = await raclette(name, in: folder)
      #expect(run.output.isEmpty && run.errors.isEmpty && run.status == 0, "\(run)")
    }
  }

  @Test(
    "does what a line, a program and steps say",
    arguments: [
      (["line"], ["42"], 3), (["lines"], ["one"], 1), (["words"], ["<a b>", "<5>"], 0),
      (
        ["input", "x; echo $(id)"], ["<x; echo $(id)>", "<2>", "<>", "<unset>", "<input>"], 0
      ),
      (["input", "--dry-run"], ["<>", "<2>", "<true>", "<unset>", "<input>"], 0),
      (["steps"], ["me in sub", "it's", "in Lua", "from Lua"], 0),
      (["stops"], ["one"], 4), (["raises"], ["one"], 1), (["many"], ["3000"], 0),
      (["catches"], ["one", #"{"code":7,"kind":"exit","status":4}"#], 0), (["slow"], [], 124),
    ] as [([String], [String], Int32)])
  func does(words: [String], lines: [String], status: Int32) async {
    let run = await onThread { [folder] in
      Running(Launch(arguments: ["run"] + words, folder: folder.path)).finish()
    }
    #expect(run.lines == lines, "\(run)")
    #expect(run.status == status, "\(run)")
  }

  @Test("names the step that has failed")
  func failure() async {
    #expect(
      await raclette("run", "stops", in: folder).errors
        == "raclette: error: stops: step 2 of 3: 'exit 4' exited with status 4\n")
    #expect(
      await raclette("run", "raises", in: folder).errors
        == "raclette: error: raises: step 2 of 2: commands.lua:17: no\n")
    #expect(
      await raclette("run", "line", in: folder).errors
        == "raclette: error: line: 'echo $((6 * 7)); exit 3' exited with status 3\n")
  }

  @Test("takes no arguments but those that are declared")
  func arguments() async {
    let run = await raclette("run", "line", "more", in: folder)
    #expect(
      run.errors
        == "raclette: error: line: unexpected argument 'more'; the command takes no parameters; "
        + "'line :: COMMAND' executes both in order, 'line ::: COMMAND' side by side\n")
    #expect(run.status == 2)
  }

  @Test("is echoed with -v as it could be typed, on standard error")
  func echo() async {
    let run = await raclette("-v", "run", "steps", in: folder)
    #expect(run.lines == ["me in sub", "it's", "in Lua", "from Lua"])
    #expect(
      run.errorLines
        == [
          "raclette: steps starts", "raclette: steps: $ echo $WHO in ${PWD##*/}",
          #"raclette: steps: $ printf '%s\n' 'it'\''s' ''"#,
          "raclette: steps: $ function at commands.lua:14", "raclette: steps: $ echo from Lua",
          "raclette: steps is done",
        ].map { $0.replacing(#"'%s\n'"#, with: #"$'%s\012'"#) })
    #expect(await raclette("run", "steps", in: folder).errors == "")
    let shells = await raclette("-v", "run", "shells", in: folder)
    #expect(
      shells.errorLines.filter { $0.contains("$ ") }.map { $0.suffix(6) } == [
        "true a", "echo b", "true c",
      ])
  }

  @Test("shows in the plan and in what tells of the command")
  func plan() async {
    #expect(
      await raclette("-n", "steps", ":::", "lines", ":::", "secret", "hunter2", in: folder).lines
        == [
          "  1. steps", "     $ echo $WHO in ${PWD##*/}", #"     $ printf $'%s\012' 'it'\''s' ''"#,
          "     $ function at commands.lua:14", "  2. lines", "     $ echo one", "       false",
          "       echo two", "  3. secret key=***", "     $ echo key",
          "     $ function at commands.lua:31",
        ])
    #expect(
      await raclette("-n", "--json", "stops", in: folder).output.contains(
        #""steps":["echo one","exit 4","echo three"]"#))
    #expect(
      await raclette("show", "line", in: folder).output.contains(
        "Runs:    echo $((6 * 7)); exit 3\n"))
  }

  @Test("is echoed without secrets")
  func secrets() async {
    let run = await raclette("-v", "run", "secret", "hunter2", in: folder)
    #expect(run.lines == ["key", "***"])
    #expect(run.errors.contains("raclette: secret: $ echo ***\n"))
    #expect(!run.errors.contains("hunter2"))
  }

  @Test("is bytes from end to end")
  func bytes() async {
    let folder = Folder()
    folder.write(
      Array(#"rac.command{name = "c", run = "printf %s caf"#.utf8) + [0xE9]
        + Array(#" | od -An -tx1"}"#.utf8), to: "commands.lua")
    #expect(await raclette("run", "c", in: folder).output == " 63 61 66 e9\n")
  }

  @Test("is checked with file and line")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a"}
        rac.command{name = "b", run = print, steps = {"x"}}
        rac.command{name = "c", steps = {}}
        rac.command{name = "d", steps = {"x", true, {}, {"y", cwd = "z"}}}
        rac.command{name = "e", run = {{"a"}, {"b"}}}
        rac.command{name = "f", run = "  "}
        rac.command{name = "g", step = {"x"}}
        rac.command{name = "h", run = print, timeout = "10 parsecs", retry = {times = 1, delay = "1s"}}
        rac.command{name = "i", steps = {{"x"}}, params = {{name = "args", rest = true}}}
        """)
    let run = await raclette("check", in: folder)
    let what = "must be a function, a line for the shell or a list of words, got"
    #expect(
      run.lines == [
        "commands.lua:1: field 'run' \(what) nil",
        "commands.lua:2: the fields 'run' and 'steps' exclude each other",
        "commands.lua:3: field 'steps' must not be empty",
        "commands.lua:4: steps[2] must be a function, a line for the shell, a list of words "
          + "or a {command = …}, got boolean",
        "commands.lua:5: field 'run' has the words of one program; several go into 'steps'",
        "commands.lua:6: field 'run' must not be empty",
        "commands.lua:7: unknown key 'step'; did you mean 'steps'?",
        "commands.lua:7: field 'run' \(what) nil",
        "commands.lua:8: field 'timeout' must be a number of seconds from 0 up, "
          + #"or a text such as "30s""#,
        "commands.lua:9: parameter 'args' reaches no step: a list of words takes no arguments "
          + #"in 'steps'; a line has them in "$@""#,
      ])
    #expect(run.status == 3)
  }

  @Test("starts nothing in a sandbox or a rehearsal")
  func confined() async {
    let confined = Folder(commands: "rac.command{name = 'words', run = {'echo', 'x'}}")
    let run = await raclette("run", "--sandbox", "words", in: confined)
    #expect(run.errors.contains("'run' is not available in the sandbox"))
    #expect(run.output == "" && run.status == 1)
    #expect(
      await raclette("run", "-n", "words", in: confined).output == "  1. words\n     $ echo x\n")
  }

  @Test("ends with its process group when it is cancelled")
  func cancelled() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", steps = {"sleep 1000 & trap 'echo cleaned; exit' TERM; echo ready; wait", "echo never"}}
        """)
    let run = await onThread {
      let running = Running(Launch(arguments: ["run", "c"], folder: folder.path))
      running.waitForOutput("ready\n")
      running.get(signal: 2)
      return running.finish()
    }
    #expect(run.status == 130)
    #expect(run.errors.contains("cleaned"))
    #expect(!run.output.contains("never"))
  }
}
