import Testing

@Suite("commands as steps", .timeLimit(.minutes(5)))
struct CommandStepTests {
  private let folder = Folder(
    commands: #"""
      rac.command{name = "fetch", run = "echo fetch"}
      rac.command{name = "install", needs = "fetch", params = {{name = "target", default = "debug"}},
        sources = "commands.lua", run = "echo install $target"}
      rac.command{name = "release", params = {}, steps = {
        {command = "install", target = "release"}, "echo done",
        function() return "in Lua" end, {command = "install"}}}
      rac.command{name = "fail", run = "exit 4"}
      rac.command{name = "stops", steps = {"echo one", {command = "fail"}, "echo three"}}
      rac.command{name = "outer", steps = {{command = "stops"}}}
      rac.command{name = "closed", enabled = function() return false, "it is night" end, run = "true"}
      rac.command{name = "waits", steps = {{command = "closed"}}}
      rac.command{name = "x", steps = {"echo x", {command = "slow"}}}
      rac.command{name = "y", steps = {"echo y", {command = "slow"}}}
      rac.command{name = "slow", run = "sleep 0.1; echo slow"}
      rac.command{name = "ask", confirm = "Really?", run = "echo asked"}
      rac.command{name = "asks", steps = {"echo first", {command = "ask"}}}
      rac.command{name = "needy", needs = "fail", run = "true"}
      rac.command{name = "uses", steps = {{command = "needy"}}}
      rac.command{name = "sleeper", run = "sleep 1000 & trap 'echo ended >&2; exit' TERM; echo ready; wait"}
      rac.command{name = "cancels", steps = {{command = "sleeper"}}}
      """#)

  @Test("are executed after what they need, with their output")
  func executed() async {
    let run = await raclette("release", in: folder)
    #expect(run.errors == "" && run.status == 0, "\(run)")
    #expect(run.lines == ["fetch", "install release", "done", "in Lua", "install debug"])
    let again = await raclette("-v", "release", in: folder)
    #expect(again.lines == run.lines, "what is up to date sends its values: \(again)")
    #expect(!again.errors.contains("echo install"), "\(again)")
    let starts = again.errorLines.filter { $0.contains("$ raclette") }
    #expect(
      starts == [
        "raclette: release: $ raclette install target=release",
        "raclette: release: $ raclette install target=debug",
      ])
  }

  @Test("stop the steps where they fail")
  func failure() async {
    let run = await raclette("stops", in: folder)
    #expect(run.output == "one\n" && run.status == 4)
    #expect(
      run.errors == """
        raclette: error: stops: step 2 of 3: fail: 'exit 4' exited with status 4

        """)
    let outer = await raclette("--json", "outer", in: folder)
    #expect(outer.output.contains(#""command":"fail""#) && outer.status == 4, "\(outer)")
    let needs = await raclette("uses", in: folder)
    #expect(
      needs.errors == """
        raclette: error: uses: step 1 of 1: needy: 'fail' failed: 'exit 4' exited with status 4

        """)
    #expect(needs.status == 4)
  }

  @Test("follow their conditions, and take turns")
  func policies() async {
    let closed = await raclette("waits", in: folder)
    #expect(closed.errors.contains("the command 'closed' is not enabled: it is night"), "\(closed)")
    #expect(closed.status == 75)
    let turns = await raclette("x", ":::", "y", in: folder)
    #expect(turns.lines.sorted() == ["slow", "slow", "x", "y"] && turns.status == 0, "\(turns)")
  }

  @Test("ask for confirmation before anything is executed")
  func confirmation() async {
    let run = await raclette("asks", in: folder)
    #expect(run.output == "" && run.status == 2, "\(run)")
    #expect(
      run.errors
        == "raclette: error: ask: it asks \"Really?\", which only --yes answers without a terminal\n"
    )
    #expect(await raclette("--yes", "asks", in: folder).lines == ["first", "asked"])
  }

  @Test("end with the execution")
  func cancelled() async {
    let run = await onThread { [folder] in
      let running = Running(Launch(arguments: ["cancels"], folder: folder.path))
      running.waitForOutput("ready\n")
      running.get(signal: 2)
      return running.finish()
    }
    #expect(run.status == 130 && run.errors.contains("ended"), "\(run)")
  }

  @Test("show in the plan and in what tells of the command")
  func shown() async {
    let steps = [
      "raclette install target=release", "echo done", "function at commands.lua:6",
      "raclette install",
    ]
    #expect(
      await raclette("-n", "release", in: folder).lines.filter { $0.hasPrefix("     $") }
        == steps.map { "     $ \($0)" })
    #expect(
      await raclette("show", "release", in: folder).output.contains(
        "Runs:    \(steps.joined(separator: "; "))\n"))
    let list = "\"steps\":[\(steps.map { "\"\($0)\"" }.joined(separator: ","))]"
    #expect(await raclette("show", "--json", "release", in: folder).output.contains(list))
    #expect(await raclette("-n", "--json", "release", in: folder).output.contains(list))
  }

  @Test("are checked with file and line, before anything is executed")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "install", run = "true", params = {{name = "mode", choices = {"a"}}}}
        rac.command{name = "a", steps = {"echo a", {command = "instal"}}}
        rac.command{name = "b", steps = {{command = "install", mode = "x"}}}
        rac.command{name = "c", steps = {{command = "d"}}}
        rac.command{name = "d", needs = "c", run = "true"}
        rac.command{name = "e", steps = {{command = 5}, {"x", command = "install"}}}
        rac.command{name = "f", run = {command = "install"}}
        """)
    let run = await raclette("check", in: folder)
    #expect(
      run.lines == [
        "commands.lua:6: 'command' of steps[1] must be a name, got number",
        "commands.lua:7: field 'run' executes no command; steps = {{command = …}} does",
        "commands.lua:2: 'a' executes 'instal', which is not defined; did you mean 'install'?",
        "commands.lua:3: 'b' executes 'install': parameter 'mode' cannot be 'x'; it is one of a",
        "commands.lua:4: the needs and steps of 'c' form a cycle: c -> d -> c",
      ], "\(run)")
    let usable = Folder(
      commands: """
        rac.command{name = "install", run = "true"}
        rac.command{name = "a", steps = {"echo a", {command = "instal"}}}
        rac.command{name = "c", steps = {{command = "d"}}}
        rac.command{name = "d", steps = {{command = "c"}}}
        """)
    let wrong = await raclette("a", in: usable)
    #expect(wrong.output == "" && wrong.status == 2)
    #expect(
      wrong.errors
        == "raclette: error: commands.lua:2: 'a' executes 'instal', which is not defined; did you mean 'install'?\n"
    )
    #expect(
      await raclette("c", in: usable).errors
        == "raclette: error: commands.lua:3: the needs and steps of 'c' form a cycle: c -> d -> c\n"
    )
  }

  @Test("are unfolded by a dry run, each once, with what they need")
  func rehearsal() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "fetch", run = "echo fetch"}
        rac.command{name = "install", needs = "fetch", params = {{name = "target", default = "debug"}},
          sources = "commands.lua", timeout = 9, run = "echo install $target"}
        rac.command{name = "closed", enabled = function() return false, "it is night" end, run = "true"}
        rac.command{name = "release", steps = {{command = "install", target = "release"},
          {command = "closed"}, {command = "install", target = "release"}}}
        rac.command{name = "all", steps = {"echo all", {command = "release"}}}
        """#)
    let run = await raclette("-n", "all", in: folder)
    #expect(
      run.output == """
          1. all
             $ echo all
             $ raclette release
               1. release
                  $ raclette install target=release
                    1. fetch
                       $ echo fetch
                    2. install target=release  after fetch; timeout 9 s; up to date or not: this is decided when its turn comes
                       $ echo install $target
                  $ raclette closed
                    1. closed  not enabled: it is night
                       $ true
                  $ raclette install target=release

        """, "\(run)")
    let json = await shell(
      """
      raclette -n --json all | python3 -c '
      import json, sys
      def names(plan, depth=0):
          for step in plan:
              print(" " * depth + step["command"], step["enabled"])
              for inner in step.get("executes", []): names(inner, depth + 1)
      names(json.load(sys.stdin))'
      """, in: folder)
    #expect(
      json.output == """
        all True
         release True
          fetch True
          install True
          closed False

        """, "\(json)")
  }

  @Test("mean the namespace of their file")
  func namespaces() async {
    let folder = Folder([
      "commands.lua": """
      rac.include("py", "py.lua")
      rac.command{name = "lint", run = "echo lint"}
      """,
      "py.lua": """
      rac.command{name = "install", run = "echo install"}
      rac.command{name = "all", steps = {{command = "install"}, {command = ":lint"}}}
      """,
    ])
    let run = await raclette("py:all", in: folder)
    #expect(run.lines == ["install", "lint"], "\(run)")
  }
}
