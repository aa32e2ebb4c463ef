import Testing

@Suite("exit statuses of raclette run", .timeLimit(.minutes(5)))
struct StatusTests {
  @Test(
    "tell what became of the command",
    arguments: [
      ("return 'fine'", 0, ""),
      ("return rac.sh('exit 7')", 7, "c: 'exit 7' exited with status 7"),
      ("rac.sh('exit 7'):wait()", 7, "c: 'exit 7' exited with status 7"),
      ("return rac.sh('kill -TERM $$')", 143, "c: 'kill -TERM $$' was ended by SIGTERM"),
      ("return rac.exec{'true', success_codes = {3}}", 1, "c: 'true' exited with status 0"),
      ("return rac.exec{'/none'}", 1, "c: cannot start '/none': no such file or directory"),
      ("error('boom')", 1, "c: commands.lua:1: boom"),
      ("local x = {} + 1", 1, "c: commands.lua:1: attempt to perform arithmetic on a table value"),
      ("return rac.error('sent')", 1, "c: sent"),
      (
        "return rac.exec{'sleep', '1000', timeout = 0.01}", 124,
        "c: 'sleep' took longer than 0.01 s"
      ),
      ("return rac.never()", 1, "c: waits for something that nothing can send"),
      ("return rac.subject()", 1, "c: waits for something that nothing can send"),
      (
        "local d = rac.command(rac.just(false), rac.just) return d:execute()", 75,
        "the command is not enabled: its condition is false"
      ),
      (
        "rac.command(function() end):execute():wait()", 1,
        "c: commands.lua:1: the signal block returned nil, expected a signal"
      ),
    ])
  func status(body: String, status: Int32, message: String) async {
    let folder = Folder(commands: "rac.command{name = 'c', run = function() \(body) end}")
    let run = await raclette("run", "c", in: folder)
    #expect(run.status == status)
    #expect(run.errors == (message.isEmpty ? "" : "raclette: error: \(message)\n"))
  }

  @Test(
    "75 for a command whose condition is false, whatever its form",
    arguments: [
      "rac.just(false)", "function() return false end", "rac.behavior_subject(false)",
    ])
  func notEnabled(condition: String) async {
    let folder = Folder(
      commands: "rac.command{name = 'c', enabled = \(condition), run = function() return 1 end}")
    let run = await raclette("run", "c", in: folder)
    #expect(
      run.errors == "raclette: error: the command 'c' is not enabled: its condition is false\n")
    #expect(run.output == "")
    #expect(run.status == 75)
  }

  @Test("75 for a second execution of a serial command")
  func busy() async {
    let folder = Folder(
      commands: "rac.command{name = 'c', run = function() rac.sleep(0.01) return 'once' end}")
    let run = await raclette("run", "c", ":::", "c", in: folder)
    #expect(run.output == "once\n")
    #expect(
      run.errors.hasPrefix(
        "raclette: error: the command 'c' is not enabled: it is executing; in its definition, when_busy"
      ))
    #expect(run.status == 75)
  }

  @Test("1 when the command succeeds but something that it started fails unnoticed")
  func unhandled() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function()
          rac.error("lost"):subscribe()
          return "done"
        end}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(run.output == "done\n")
    #expect(run.errors == "raclette: error: lost\n")
    #expect(run.status == 1)
  }

  @Test("what a process said is shown when it was captured")
  func captured() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function()
          return rac.exec{"sh", "-c", "echo one >&2; echo two >&2; exit 3", stderr = "capture"}
        end}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == "raclette: error: c: 'sh' exited with status 3\n  one\n  two\n")
    #expect(run.status == 3)
  }

  @Test(
    "75 for a condition that a process decides, whose first value is waited for",
    arguments: ["echo no", "sleep 0.2; echo no"])
  func conditionOfProcess(line: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function() return "executed" end,
          enabled = rac.sh("\(line)"):map(function(line) return line == "yes" end)}
        rac.command{name = "d", run = function() return "executed" end,
          enabled = rac.sh("sleep 0.05; echo yes"):map(function(line) return line == "yes" end)}
        """)
    #expect(await raclette("run", "c", in: folder).status == 75)
    #expect(await raclette("run", "d", in: folder).output == "executed\n")
    let list = await raclette("list", in: folder)
    #expect(list.output == "  c  (not enabled: its condition is false)\n  d\n")
  }

  @Test(
    "75 for a condition that fails, and why",
    arguments: [
      (#"rac.error("cannot tell")"#, "cannot tell"),
      (#"rac.exec{"false"}"#, "'false' exited with status 1"),
      (#"function() error("cannot tell", 0) end"#, "cannot tell"),
    ])
  func failingCondition(condition: String, message: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", enabled = \(condition), run = function() return "executed" end}
        rac.command{name = "other", run = function() return "fine" end}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(
      run.errors == """
        raclette: error: the command 'c' is not enabled: its condition fails: \(message)

        """)
    #expect(run.output == "")
    #expect(run.status == 75)
    let other = await raclette("run", "other", in: folder)
    #expect(other.output == "fine\n")
    #expect(other.status == 0)
  }

  @Test("a function may say why it does not enable its command")
  func reason() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = print,
          enabled = function() return false, "there is nothing to deploy" end}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(
      run.errors
        == "raclette: error: the command 'c' is not enabled: there is nothing to deploy\n")
    #expect(run.status == 75)
    let list = await raclette("list", in: folder)
    #expect(list.output == "  c  (not enabled: there is nothing to deploy)\n")
  }
}
