import Testing

/// What is started inside an execution and whose output its function does not take.
@Suite("output that a function does not take", .timeLimit(.minutes(5)))
struct UntakenOutputTests {
  private let folder = Folder(
    commands: #"""
      rac.command{name = "gen", run = "echo generated"}
      rac.command{name = "compile", needs = "gen", run = "echo compiled"}
      rac.command{name = "sends", run = function(_, emit) emit{a = 1} emit(2) return "three" end}
      local function command(name, run) rac.command{name = name, run = run} end
      command("wait", function() rac.commands.compile:execute():wait() end)
      command("alone", function()
        local execution = rac.commands.compile:execute()
        while execution.state ~= "completed" do rac.sleep(0.001) end
      end)
      command("subscribed", function()
        local execution = rac.commands.compile:execute()
        execution:subscribe()
        rac.commands.sends:execute():subscribe{completed = function() end}
        execution:wait()
      end)
      command("outer", function() rac.commands.wait:execute():wait() end)
      command("values", function() rac.commands.sends:execute():wait() end)
      command("sh", function()
        rac.sh("echo line; printf rest"):wait()
        return "end"
      end)
      command("passed", function()
        rac.merge(rac.sh("echo merged"), rac.interval(60):take_until(rac.sh("true"))):wait()
        rac.sh("echo tried"):retry(2):timeout(60):catch_to(rac.empty()):finally(function() end):wait()
        rac.commands.sends:execute():timeout(60):wait()
      end)
      command("returned", function() return rac.commands.compile:execute() end)
      command("merged", function()
        return rac.merge(rac.commands.compile:execute(), rac.commands.sends:execute())
      end)
      command("taken", function()
        local lines = rac.commands.compile:execute():to_table()
        rac.sh("echo seen"):do_next(function(line) lines[#lines + 1] = line end):wait()
        rac.sh("echo heard"):subscribe(function(line) lines[#lines + 1] = line end)
        while #lines < 3 do rac.sleep(0.001) end
        lines[#lines + 1] = rac.commands.sends:execute():last()
        rac.commands.sends:execute():ignore_values():wait()
        rac.sh("echo ignored"):ignore_values():wait()
        rac.range(1, 3):wait()
        rac.just("just"):wait()
        return table.concat(lines, " ")
      end)
      rac.command{name = "step", steps = {{command = "compile"}, "echo done"}}
      rac.command{name = "serve",
        run = "echo serving; while [ ! -e stop ]; do sleep 0.01; done; echo stopped"}
      command("server", function()
        local server <close> = rac.commands.serve:execute():subscribe()
        rac.file_exists("go"):filter(function(is) return is end):first()
        return "tested"
      end)
      command("background", function()
        local server <close> = rac.sh("echo serving; sleep 1000"):subscribe()
        rac.file_exists("go"):filter(function(is) return is end):first()
        return "tested"
      end)
      command("first", function()
        local server = rac.commands.serve:execute()
        local line = server:first()
        server:wait()
        return line .. ", as it said"
      end)
      command("begun", function()
        rac.sh("printf 'Name? '; while [ ! -e go ]; do sleep 0.01; done; echo you"):wait()
      end)
      rac.command{name = "masked", secrets = {"WORD"}, env = {WORD = "sesame"},
        run = function() rac.sh("echo open $WORD"):wait() end}
      rac.command{name = "kept", fingerprint = function() return 1 end,
        run = function() rac.sh("echo kept"):wait() return "value" end}
      command("joined", function()
        rac.sh("for i in 1 2 3; do echo out $i; echo err $i >&2; done"):wait()
      end)
      command("question", function() return rac.commands.wait:execute():to_table().n end)
      """#)

  @Test(
    "is shown in order, once",
    arguments: [
      ("wait", "generated\ncompiled\n"), ("alone", "generated\ncompiled\n"),
      ("outer", "generated\ncompiled\n"), ("values", #"{"a":1}"# + "\n2\nthree\n"),
      ("sh", "line\nrestend\n"), ("step", "generated\ncompiled\ndone\n"),
      ("passed", "merged\ntried\n"), ("returned", "generated\ncompiled\n"),
      ("taken", "generated\ncompiled seen heard three\n"), ("masked", "open ***\n"),
      ("-o prefix wait ::: sh", ""), ("question", "generated\ncompiled\n0\n"),
    ])
  func shown(_ call: String, _ output: String) async {
    let run = await shell("raclette \(call)", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    guard call.hasPrefix("-o") else { return #expect(run.output == output) }
    #expect(
      run.lines.sorted() == [
        "sh   | line", "sh   | restend", "wait | compiled", "wait | generated",
      ])
  }

  @Test("is shown once where several are executed at once")
  func several() async {
    let lines = ["compiled", "generated", "three", "2", #"{"a":1}"#].sorted()
    for call in ["merged", "subscribed"] {
      let run = await raclette(call, in: folder)
      #expect(run.lines.sorted() == lines, "\(run)")
    }
  }

  @Test("is shown at once", arguments: ["server", "background"])
  func atOnce(_ call: String) async {
    let folder = folder
    let outcome = await onThread {
      let run = Running(Launch(arguments: [call], folder: folder.path))
      run.waitForOutput("serving\n")
      folder.write("", to: "go")
      return run.finish()
    }
    #expect(outcome.output == "serving\ntested\n" && outcome.errors == "", "\(outcome)")
  }

  @Test("is shown when nothing takes it any more")
  func after() async {
    folder.write("", to: "stop")
    let run = await raclette("first", in: folder)
    #expect(run.output == "stopped\nserving, as it said\n" && run.errors == "", "\(run)")
  }

  @Test("is shown before its line has ended")
  func unfinished() async {
    let folder = folder
    let outcome = await onThread {
      let run = Running(Launch(arguments: ["begun"], folder: folder.path))
      run.waitForOutput("Name? ")
      folder.write("", to: "go")
      return run.finish()
    }
    #expect(outcome.output == "Name? you\n", "\(outcome)")
  }

  @Test("keeps the order of output and errors")
  func order() async {
    let run = await shell("raclette joined 2>&1", in: folder)
    #expect(run.output == "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n")
  }

  @Test("is no value of the command")
  func noValue() async {
    #expect(await raclette("kept", in: folder).output == "kept\nvalue\n")
    #expect(await raclette("kept", in: folder).output == "value\n")
  }

  @Test("is printed as JSON, and recorded")
  func events() async {
    let run = await shell(
      "raclette --json wait | grep next | sed 's/.*\"type\"/\"type\"/'", in: folder)
    #expect(
      run.lines == [
        #""type":"next","command":"wait","execution":2,"value":"generated"}"#,
        #""type":"next","command":"wait","execution":2,"value":"compiled"}"#,
      ])
    folder.write(#"{"command": "wait"}"# + "\n", to: "plan.jsonl")
    let batch = await shell(
      "raclette batch -q --journal j.db plan.jsonl; raclette replay --journal j.db 1", in: folder)
    #expect(batch.output == "generated\ncompiled\ngenerated\ncompiled\n", "\(batch)")
  }

  @Test("is shown by a job of the REPL")
  func job() async {
    let run = await raclette(
      "repl", in: folder, input: ":run wait\nrac.commands.values:execute() &\n:wait\n")
    #expect(
      run.output == """
        generated
        compiled
        [4] {a = 1}
        [4] 2
        [4] three

        """, "\(run)")
  }
}
