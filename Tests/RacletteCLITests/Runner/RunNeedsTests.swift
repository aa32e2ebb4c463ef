import Testing

@Suite("what executions of one run need", .timeLimit(.minutes(5)))
struct RunNeedsTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "fetch", run = function() rac.sleep(0.01) return "fetched" end}
      rac.command{name = "build", needs = {"fetch"}, run = function() return "built" end}
      rac.command{name = "pack", needs = {"fetch"}, run = function() return "packed" end}
      rac.command{name = "all", needs = {"fetch"}, run = function()
        return rac.commands.build:execute()
      end}
      rac.command{name = "both", run = function()
        return rac.merge(rac.commands.build:execute(), rac.commands.pack:execute())
      end}
      local tries = 0
      rac.command{name = "flaky", run = function()
        tries = tries + 1
        if tries == 1 then error("first", 0) end
        return "second"
      end}
      rac.command{name = "user", needs = {"flaky"}, run = function() return "used" end}
      rac.command{name = "again", run = function()
        pcall(function() rac.commands.user:execute():wait() end)
        return rac.commands.user:execute()
      end}
      rac.command{name = "head", run = function() return rac.commands.tail:execute() end}
      rac.command{name = "tail", needs = {"head"}, run = function() return "never" end}
      """)

  @Test("is not executed again for what a command executes in its work")
  func nested() async {
    let run = await raclette("run", "--json", "all", in: folder)
    #expect(run.output.matches(of: /execution_started","command":"fetch"/).count == 1)
    #expect(await raclette("run", "all", in: folder).lines == ["fetched", "built"])
  }

  @Test("is waited for by all who need it at the same time")
  func concurrent() async {
    let run = await raclette("run", "both", in: folder)
    #expect(run.lines.sorted() == ["built", "fetched", "packed"])
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("may be tried again when it has failed")
  func retried() async {
    #expect(await raclette("run", "again", in: folder).output == "second\nused\n")
  }

  @Test("cannot be what waits for it")
  func ownWork() async {
    let run = await raclette("run", "head", in: folder)
    #expect(run.errors.contains("'tail' needs 'head', whose own work waits for it\n"))
    #expect(run.status == 1)
  }

  @Test("is named once as the cause, with what was not executed for it")
  func causes() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = function() return rac.sh("exit 4") end}
        rac.command{name = "b", needs = {"a"}, run = print}
        rac.command{name = "c", needs = {"b"}, run = print}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(
      run.errors == """
        raclette: not executed: b, c
        raclette: error: a: 'exit 4' exited with status 4

        """)
    #expect(run.status == 4)
  }

  @Test("is not executed when a file of variables is missing that is wanted later")
  func variables() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = function() return "executed" end}
        rac.command{name = "b", needs = {"a"}, env_file = ".env", run = print}
        """)
    let run = await raclette("run", "b", in: folder)
    #expect(run.output == "")
    #expect(run.errors == "raclette: error: b: env_file '.env': no such file or directory\n")
    #expect(run.status == 2)
    let events = await raclette("run", "--json", "b", in: folder)
    #expect(events.lines.count == 3)
    #expect(events.lines.last?.hasSuffix(#""exit_code":2}"#) == true)
  }
}
