import Testing

/// The output of the command `sends`.
private let sent = "{\"a\":1}\n2\nthree\n"
/// The output of the command `many`.
private let hundred = (1...100).map { "\($0)\n" }.joined()

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
      command("collected", function(_, emit)
        local executions = {rac.commands.compile:execute(), rac.commands.sends:execute()}
        while executions[1].state ~= "completed" do rac.sleep(0.001) end
        for _, execution in ipairs(executions) do emit(execution:last()) end
        executions[1]:wait()
      end)
      command("waited", function()
        local executions = {rac.commands.compile:execute(), rac.commands.sends:execute()}
        while executions[1].state ~= "completed" do rac.sleep(0.001) end
        for _, execution in ipairs(executions) do execution:wait() end
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
        local shown <close> = server:subscribe()
        rac.sh("touch stop"):wait()
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
      command("then-returned", function()
        local execution = rac.commands.compile:execute()
        execution:wait()
        return execution
      end)
      command("then-concat", function()
        local first, second = rac.commands.compile:execute(), rac.commands.sends:execute()
        second:wait()
        return rac.concat(first, second)
      end)
      command("then-mapped", function()
        local execution = rac.commands.compile:execute()
        execution:wait()
        return execution:map(string.upper)
      end)
      command("then-table", function()
        local execution = rac.commands.sends:execute()
        execution:wait()
        return execution:to_table().n
      end)
      command("half", function()
        local execution = rac.commands.sends:execute()
        execution:first()
        execution:wait()
        return execution
      end)
      command("concat", function()
        return rac.concat(rac.commands.compile:execute(), rac.commands.sends:execute())
      end)
      command("nested", function() return rac.commands["then-returned"]:execute() end)
      command("counted", function()
        return rac.commands["then-returned"]:execute():to_table().n
      end)
      command("emits", function(_, emit)
        local execution = rac.commands.compile:execute()
        execution:wait()
        execution:subscribe(emit)
        emit("emitted")
      end)
      rac.command{name = "many", replay = 10, run = "seq 100"}
      command("beyond", function()
        local execution = rac.commands.many:execute()
        execution:wait()
        return execution
      end)
      rac.command{name = "open", run = "printf open"}
      command("open-returned", function()
        local execution = rac.commands.open:execute()
        execution:wait()
        return rac.concat(execution, rac.just("end"))
      end)
      command("statement", function()
        rac.commands.serve:execute()
        rac.file_exists("go"):filter(function(is) return is end):first()
        rac.sh("touch stop"):wait()
        return "tested"
      end)
      rac.command{name = "recorded", fingerprint = function() return 1 end,
        run = function()
          local execution = rac.commands.compile:execute()
          execution:wait()
          return execution
        end}
      command("beside", function(_, emit)
        local name <close> = rac.sh("printf 'Name? '; while [ ! -e go ]; do sleep 0.01; done; echo you"):subscribe()
        rac.file_exists("begun"):filter(function(is) return is end):first()
        emit("emitted")
        rac.sh("touch go; while [ ! -e end ]; do sleep 0.01; done"):wait()
      end)
      command("two", function()
        return rac.merge(
          rac.sh("printf 'A? '; while [ ! -e go ]; do sleep 0.01; done; echo a; touch gone"),
          rac.sh("while [ ! -e begun ]; do sleep 0.01; done; printf 'B? '; while [ ! -e gone ]; do sleep 0.01; done; echo b"))
      end)
      command("question", function() return rac.commands.wait:execute():to_table().n end)
      """#)

  @Test(
    "is shown in order, once",
    arguments: [
      ("wait", "generated\ncompiled\n"), ("collected", "generated\ncompiled\nthree\n"),
      ("waited", "generated\ncompiled\n\(sent)"),
      ("outer", "generated\ncompiled\n"), ("values", sent),
      ("sh", "line\nrestend\n"), ("step", "generated\ncompiled\ndone\n"),
      ("passed", "merged\ntried\n"), ("returned", "generated\ncompiled\n"),
      ("taken", "generated\ncompiled seen heard three\n"), ("masked", "open ***\n"),
      ("then-returned", "generated\ncompiled\n"),
      ("then-concat", #"{"a":1}"# + "\n2\nthree\ngenerated\ncompiled\n"),
      ("then-mapped", "generated\ncompiled\nCOMPILED\n"),
      ("then-table", "\(sent)3\n"), ("half", sent),
      ("concat", "generated\ncompiled\n\(sent)"),
      ("nested", "generated\ncompiled\n"), ("counted", "generated\ncompiled\n1\n"),
      ("emits", "generated\ncompiled\ncompiled\nemitted\n"),
      ("beyond", hundred), ("open-returned", "openend\n"),
      (
        "-o prefix -j 1 wait ::: sh",
        "wait | generated\nwait | compiled\nsh   | line\nsh   | restend\n"
      ), ("question", "generated\ncompiled\n0\n"),
    ] as [(String, String)])
  func shown(_ call: String, _ output: String) async {
    let run = await shell("raclette \(call)", in: folder)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(run.output == output)
  }

  @Test("is shown once where several are executed at once")
  func several() async {
    let lines = ["compiled", "generated", "three", "2", #"{"a":1}"#].sorted()
    for call in ["merged", "subscribed"] {
      let run = await raclette(call, in: folder)
      #expect(run.lines.sorted() == lines, "\(run)")
    }
  }

  @Test("is shown at once", arguments: ["server", "background", "statement"])
  func atOnce(_ call: String) async {
    let folder = folder
    let outcome = await onThread {
      let run = Running(Launch(arguments: [call], folder: folder.path))
      run.waitForOutput("serving\n")
      folder.write("", to: "go")
      return run.finish()
    }
    let lines = outcome.lines.filter { $0 != "stopped" }
    // After a second a run says what it waits for.
    let errors = outcome.errorLines.filter { !$0.contains(" has returned, and waits for ") }
    #expect(lines == ["serving", "tested"] && errors == [], "\(outcome)")
  }

  @Test("is shown when nothing takes it any more")
  func after() async {
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

  @Test("is shown once beside a line that has not ended")
  func beside() async {
    for (call, begun, output) in [
      ("beside", "Name? ", "Name? emitted\nyou\n"), ("two", "A? ", "A? B? a\nb\n"),
    ] {
      for file in ["begun", "go", "gone", "end"] { folder.remove(file) }
      let folder = folder
      let outcome = await onThread {
        let run = Running(Launch(arguments: [call], folder: folder.path))
        run.waitForOutput(begun)
        folder.write("", to: "begun")
        run.waitForOutput(call == "two" ? "A? B? " : "Name? emitted\n")
        folder.write("", to: "go")
        if call == "beside" {
          run.waitForOutput("you\n")
          folder.write("", to: "end")
        }
        return run.finish()
      }
      #expect(outcome.output == output && outcome.errors == "", "\(outcome)")
    }
  }

  @Test("is recorded as a value where it is one")
  func recorded() async {
    #expect(await raclette("recorded", in: folder).output == "generated\ncompiled\n")
    #expect(await raclette("recorded", in: folder).output == "compiled\n")
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
    for call in ["wait", "then-returned"] {
      folder.write(#"{"command": "\#(call)"}"# + "\n", to: "plan.jsonl")
      let batch = await shell(
        "rm -f j.db; raclette batch -q --journal j.db plan.jsonl; raclette replay --journal j.db 1",
        in: folder)
      #expect(batch.output == "generated\ncompiled\ngenerated\ncompiled\n", "\(batch)")
    }
    let json = await shell("raclette --json then-returned | grep -c '\"next\"'", in: folder)
    #expect(json.output == "2\n")
  }

  @Test("is shown by a job of the REPL")
  func job() async {
    let run = await raclette(
      "repl", in: folder, input: ":run then-returned\nrac.commands.values:execute() &\n:wait\n")
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
