import Testing

/// What the function of a command has started and not waited for.
@Suite("work that a function has started", .timeLimit(.minutes(5)))
struct StartedWorkTests {
  private let folder = Folder(
    commands: #"""
      local function command(name, run) rac.command{name = name, run = run} end
      command("pack", "while [ ! -e go ]; do sleep 0.01; done; echo packed")
      command("let", "touch go")
      command("fail", "while [ ! -e go ]; do sleep 0.01; done; exit 3")
      command("statement", function() rac.commands.pack:execute() rac.commands.let:execute() end)
      command("kept", function()
        local execution = rac.commands.pack:execute()
        rac.commands.let:execute()
      end)
      command("subscribed", function()
        rac.sh("while [ ! -e go ]; do sleep 0.01; done; echo seen"):subscribe(print)
        rac.commands.let:execute()
      end)
      rac.command{name = "steps", steps = {{command = "statement"}, "echo next"}}
      command("failing", function() rac.commands.fail:execute() rac.commands.statement:execute() end)
      command("handled", function()
        rac.commands.fail:execute():subscribe{error = function(e) print(e.code) end}
        rac.commands.let:execute()
      end)
      command("process", function()
        rac.sh("while [ ! -e go ]; do sleep 0.01; done; exit 3"):subscribe(print)
        rac.commands.let:execute()
      end)
      command("cancelled", function() rac.commands.pack:execute():cancel() end)
      rac.command{name = "again", when_busy = "queue", run = function(_, emit)
        if rac.env.AGAIN == "1" then return "second" end
        rac.env.AGAIN = "1"
        rac.commands.again:execute()
        return "first"
      end}
      rac.command{name = "db", service = true, ready = {line = "up"}, run = "echo up; sleep 600"}
      command("use", function()
        local use = rac.commands.db:execute()
        rac.commands.db.ready:filter(function(is) return is end):first()
        return "used"
      end)
      command("closed", function()
        local pack <close> = rac.commands.waits:execute():subscribe()
        return "closed"
      end)
      command("fast", "touch failed; exit 3")
      rac.command{name = "early", steps = {function()
        rac.commands.fast:execute()
        rac.sh("while [ ! -e failed ]; do sleep 0.01; done"):wait()
        rac.sh("true"):wait()
      end, "echo never"}}
      command("server", "while [ ! -e go ]; do sleep 0.01; done; echo line; sleep 1000")
      command("let-go", function()
        rac.commands.server:execute():take(1):subscribe(print)
        rac.commands.let:execute()
      end)
      command("back", function() return rac.commands.queued:execute():wait() end)
      rac.command{name = "queued", when_busy = "queue", run = function(_, emit)
        if rac.env.BACK == "1" then return "second" end
        rac.env.BACK = "1"
        rac.commands.back:execute()
        return "first"
      end}
      command("told", function()
        rac.commands.waits:execute()
        return "returned"
      end)
      command("waits", "while [ ! -e go ]; do sleep 0.01; done")
      """#)

  @Test(
    "is waited for",
    arguments: [
      ("statement", "packed\n"), ("kept", "packed\n"), ("subscribed", "seen\n"),
      ("steps", "packed\nnext\n"), ("handled", "3\n"), ("cancelled", ""),
    ])
  func waited(_ name: String, _ output: String) async {
    let run = await raclette("-q", name, in: folder)
    #expect(run.output == output && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test("fails the command with its failure")
  func failing() async {
    let run = await raclette("-q", "failing", in: folder)
    #expect(run.output == "packed\n")
    let failure = "'while [ ! -e go ]; do sleep 0.01; done; exit 3' exited with status 3"
    #expect(run.errors == "raclette: error: failing: fail: \(failure)\n")
    #expect(run.status == 3)
    folder.remove("go")
    let process = await raclette("-q", "process", in: folder)
    #expect(process.errors == "raclette: error: \(failure)\n")
    #expect(process.status == 1)
  }

  @Test("is not waited for where it waits itself, or is a service")
  func excepted() async {
    let again = await raclette("again", in: folder)
    #expect(again.output.hasPrefix("first\n") && again.errors == "", "\(again)")
    #expect(again.status == 0)
    let queued = await raclette("-q", "queued", in: folder)
    #expect(queued.output.hasPrefix("first\n") && queued.status == 0, "\(queued)")
    let closed = await raclette("closed", in: folder)
    #expect(closed.output == "closed\n" && closed.errors == "" && closed.status == 0, "\(closed)")
    let use = await raclette("-q", "use", in: folder)
    #expect(use.output == "used\n" && use.errors == "" && use.status == 0, "\(use)")
  }

  @Test("fails the command whether it fails before the function returns or after")
  func early() async {
    let run = await raclette("-q", "early", in: folder)
    #expect(run.output == "" && run.status == 3, "\(run)")
  }

  @Test("is not waited for once it is followed no longer")
  func letGo() async {
    let run = await raclette("-q", "let-go", in: folder)
    #expect(run.output == "line\n" && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test("is named after a second")
  func told() async {
    let folder = folder
    let run = await onThread {
      let running = Running(Launch(arguments: ["told"], folder: folder.path))
      running.waitForErrors(
        "raclette: 'told' has returned, and waits for the end of 'waits', which it has started\n")
      folder.write("", to: "go")
      return running.finish()
    }
    #expect(run.output == "returned\n" && run.status == 0, "\(run)")
  }
}
