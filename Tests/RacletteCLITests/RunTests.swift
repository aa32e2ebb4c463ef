import Testing

@Suite("raclette run", .timeLimit(.minutes(5)))
struct RunTests {
  /// The text of a float is the shortest that reads back to the same one, wherever it is written.
  @Test func floatsKeepAllTheirDigits() async {
    let folder = Folder(
      commands: """
        rac.command{name = "sum", run = function() return 0.1 + 0.2 end}
        rac.command{name = "table", run = function() return {0.1 + 0.2, 2^53} end}
        rac.command{name = "word", run = function() return rac.exec{"echo", 0.1 + 0.2, 2^53} end}
        rac.command{name = "variable", params = {{name = "x", type = "number"}}, run = "echo $x"}
        rac.command{name = "print", run = function() print(0.1 + 0.2) end}
        """)
    for (words, output) in [
      (["sum"], "0.30000000000000004\n"), (["table"], "[0.30000000000000004,9007199254740992.0]\n"),
      (["word"], "0.30000000000000004 9007199254740992.0\n"),
      (["variable", "x=0.30000000000000004"], "0.30000000000000004\n"),
      (["print"], "0.3\n"),
    ] {
      let launch = Launch(arguments: ["run"] + words, folder: folder.path)
      let run = await onThread { Running(launch).finish() }
      #expect(run.output == output)
      #expect(run.errors == "")
    }
    let run = await raclette("run", "--json", "sum", in: folder)
    #expect(run.lines.contains { $0.hasSuffix(#""value":0.30000000000000004}"#) }, "\(run)")
  }

  @Test(
    "prints each value on a line: strings as they are, tables as compact JSON, floats in full"
  )
  func values() async {
    let folder = Folder(
      commands: """
        rac.command{name = "values", run = function(_, emit)
          emit("text") emit("") emit("a\\nb") emit({b = {1, 2}, a = "x"}) emit({1, "2", true}) emit({})
          emit(1) emit(-2.5) emit(3.0) emit(2^53) emit(true) emit(false) emit(nil)
          return "last"
        end}
        """)
    let run = await raclette("run", "values", in: folder)
    #expect(
      run.output == """
        text

        a
        b
        {"a":"x","b":[1,2]}
        [1,"2",true]
        {}
        1
        -2.5
        3.0
        9007199254740992.0
        true
        false
        nil
        last

        """)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("keeps the order between values and what the script writes itself")
  func order() async {
    let folder = Folder(
      commands: """
        rac.command{name = "mixed", run = function(_, emit)
          io.write("one ") emit("two") io.write("three ") print("four") emit("five")
        end}
        """)
    let run = await raclette("run", "mixed", in: folder)
    #expect(run.output == "one two\nthree four\nfive\n")
  }

  @Test("a line break in what a message quotes begins no other message")
  func brokenMessage() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", params = {{name = "n", type = "integer"}}, run = function() end}
        rac.command{name = "fail", run = function() error("no\\n\\n  raclette: x\\nraclette: done") end}
        """)
    let wrong = await raclette("run", "c", "x\nraclette: done", in: folder)
    #expect(
      wrong.errors == """
        raclette: error: c: parameter 'n' takes an integer, got 'x
          raclette: done'

        """)
    #expect(wrong.status == 2)
    let failed = await raclette("run", "fail", in: folder)
    #expect(
      failed.errors == """
        raclette: error: fail: commands.lua:2: no

          raclette: x
          raclette: done

        """)
    #expect(failed.status == 1)
    let unknown = await raclette("run", "-f", "x\nraclette: done", in: folder)
    #expect(
      unknown.errors == """
        raclette: error: x
          raclette: done: no such file or directory

        """)
    let checked = await raclette("check", "x\nx: 1 command, no problems", in: folder)
    #expect(checked.output == "x\n  x: 1 command, no problems: no such file or directory\n")
  }

  @Test("a value that JSON cannot say is an error that names the reason")
  func unprintable() async {
    let folder = Folder(
      commands: "rac.command{name = 'bad', run = function(_, emit) emit({print}) emit('next') end}")
    let problem =
      "raclette: error: bad: cannot print a value: a function cannot be encoded as JSON, at [1]"
    let run = await raclette("run", "bad", in: folder)
    #expect(run.output == "next\n" && run.errorLines == [problem] && run.status == 1)
    let json = await raclette("--json", "run", "bad", in: folder)
    #expect(json.errorLines == [problem] && json.status == 1, "\(json)")
    #expect(json.output.contains(#""value":"next""#) && json.output.contains(#""value":"table: "#))
    #expect(json.lines.last?.contains(#""exit_code":1"#) == true)
  }

  @Test("side by side, an execution is joined with equal input, and others take their turn")
  func joining() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", params = {{name = "x"}}, when_busy = "join", run = function(input)
          print("starts " .. input.x)
          rac.sleep(0.01)
          return "value " .. input.x
        end}
        """)
    let run = await raclette("run", "c", "1", ":::", "c", "1", ":::", "c", "2", in: folder)
    #expect(run.lines == ["starts 1", "value 1", "starts 2", "value 2"], "\(run)")
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("an unhandled error is an event too")
  func unhandled() async {
    let folder = Folder(
      commands: """
        rac.command{name = "leak", run = function()
          rac.error("boom"):subscribe(print)
          return rac.just(1)
        end}
        """)
    let run = await raclette("--json", "leak", in: folder)
    #expect(run.errorLines == ["raclette: error: boom"] && run.status == 1, "\(run)")
    let events = run.lines.filter { $0.contains(#""type":"unhandled""#) }
    #expect(events.count == 1 && events[0].contains(#""message":"boom""#), "\(run)")
    #expect(run.lines.last?.contains(#""type":"run_finished""#) == true)
  }

  @Test("standard error of children goes to standard error, their output to standard output")
  func streams() async {
    let folder = Folder(
      commands:
        "rac.command{name = 'both', run = function() return rac.sh('echo out; echo err >&2') end}")
    let run = await raclette("run", "both", in: folder)
    #expect(run.output == "out\n")
    #expect(run.errors == "err\n")
  }

  @Test("::: separates commands that run side by side")
  func several() async {
    let folder = Folder(
      commands: """
        -- Each waits for the other.
        local arrived = {a = rac.replay_subject(1), b = rac.replay_subject(1)}
        local other = {a = "b", b = "a"}
        rac.command{name = "meet", concurrency = 2, params = {{name = "as"}}, run = function(input)
          arrived[input.as]:send_next(true)
          arrived[other[input.as]]:first()
          return input.as .. " met " .. other[input.as]
        end}
        """)
    let run = await raclette("run", "meet", "a", ":::", "meet", "as=b", in: folder)
    #expect(run.lines.sorted() == ["a met b", "b met a"])
    #expect(run.status == 0)
  }

  @Test("of several commands, one that fails makes the status 1 and the others still finish")
  func severalFail() async {
    let folder = Folder(
      commands: """
        rac.command{name = "fail", run = function() return rac.sh("exit 7") end}
        rac.command{name = "good", run = function() rac.sleep(0.01) return "done" end}
        """)
    let run = await raclette("run", "fail", ":::", "good", in: folder)
    #expect(run.output == "done\n")
    #expect(run.errors == "raclette: error: fail: 'exit 7' exited with status 7\n")
    #expect(run.status == 1)
  }

  @Test("nothing starts when one of several commands is unknown")
  func allOrNothing() async {
    let folder = Folder(
      commands: "rac.command{name = 'hello', run = function() return 'hello' end}")
    let run = await raclette("run", "hello", ":::", "helo", in: folder)
    #expect(run.output == "")
    #expect(
      run.errors
        == "raclette: error: unknown command 'helo' in commands.lua; did you mean 'hello'?\n")
    #expect(run.status == 2)
  }

  @Test("finds a command by an alias")
  func alias() async {
    let folder = Folder(
      commands: "rac.command{name = 'build', aliases = {'b'}, run = function() return 'built' end}")
    let run = await raclette("run", "b", in: folder)
    #expect(run.output == "built\n")
  }

  @Test("without a command says what is missing", arguments: [[], [":::"], ["hello", ":::"]])
  func missingCommand(words: [String]) async {
    let folder = Folder(commands: "rac.command{name = 'hello', run = function() end}")
    let launch = Launch(arguments: ["run"] + words, folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect(run.errors.hasPrefix("raclette: error: COMMAND is missing; usage: raclette run "))
    #expect(run.status == 2)
  }

  @Test("-v tells what starts and ends, -q silences the log")
  func talk() async {
    let folder = Folder(
      commands: """
        rac.command{name = "talk", run = function()
          rac.log.debug("debugging") rac.log.info("informing") rac.log.warn("warning", 1)
        end}
        """)
    let verbose = await raclette("-v", "run", "talk", in: folder)
    #expect(
      verbose.errorLines == [
        "raclette: talk starts", "debug: debugging", "informing", "warning: warning 1",
        "raclette: talk is done",
      ])
    let plain = await raclette("run", "talk", in: folder)
    #expect(plain.errorLines == ["informing", "warning: warning 1"])
    let quiet = await raclette("run", "-q", "talk", in: folder)
    #expect(quiet.errorLines == ["warning: warning 1"])
  }

  @Test("much output arrives as it was written, whoever else looks at it")
  func muchOutput() async {
    let folder = Folder(
      commands: """
        rac.command{name = "lines", run = function() return rac.exec{"seq", "200000"} end}
        rac.command{name = "looked", run = function()
          local execution = rac.commands.lines:execute()
          local first = execution:take(3):to_table()
          execution:ignore_values():wait()
          local latest = execution:to_table()
          return rac.from{first[3], latest.n, latest[1], latest[latest.n]}
        end}
        """)
    let expected = (1...200_000).map { "\($0)\n" }.joined()
    #expect(await raclette("run", "lines", in: folder).output == expected)
    #expect(await raclette("run", "-o", "group", "lines", in: folder).output == expected)
    let prefixed = await raclette("run", "-o", "prefix", "lines", in: folder).output
    #expect(prefixed == (1...200_000).map { "lines | \($0)\n" }.joined())
    let looked = await raclette("run", "looked", in: folder)
    #expect(looked.lines == ["3", "100000", "100001", "200000"])
    let events = await raclette("run", "--json", "lines", in: folder)
    #expect(events.lines.count { $0.contains(#""type":"next""#) } == 200_000)
  }
}
