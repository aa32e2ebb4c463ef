import Testing

/// Lines from a pipe: no prompts, and a status that tells of the first error.
struct ReplPipeTests {
  private func repl(
    _ lines: String..., commands: String = "", files: [String: String] = [:]
  ) async -> Outcome {
    let folder = Folder(files.merging(["commands.lua": commands]) { $1 })
    return await raclette(
      "repl", in: folder, input: lines.joined(separator: "\n") + "\n",
      environment: ["XDG_CONFIG_HOME": folder["config"]])
  }

  @Test func anExpressionIsShownAndAStatementIsNot() async {
    let run = await repl("1 + 1", "x = 5", "x * 2, 'a'")
    #expect(run.lines == ["2", "10\t\"a\""])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: [
    "repl.bind('C-t', 'transpose-words')", "repl.bind('C-t', function() end)", "repl.keys('vi')",
    "repl.bind('C-t', 'a command of a later version')",
  ])
  func aStartUpFileThatSetsKeysDoesNothingWithoutAnEditor(_ line: String) async {
    let folder = Folder(["config/raclette/repl.lua": line, "script.lua": ""])
    let settings = ["XDG_CONFIG_HOME": folder["config"]]
    for words in [["repl"], ["exec", "-i", "script.lua"]] {
      let launch = Launch(
        arguments: words, folder: folder.path, environment: settings, input: .text("1 + 1\n"))
      let run = await onThread { Running(launch).finish() }
      #expect(run.output == "2\n")
      #expect(run.errors == "")
      #expect(run.status == 0)
    }
  }

  @Test(arguments: [":doc :watch", ":watch?", ":help watch", ":help :watch"])
  func aCommandOfTheSessionIsExplained(_ line: String) async {
    let run = await repl(line)
    #expect(run.output == ":watch EXPR\n  show what a signal sends in a pane above the prompt\n")
    #expect(run.errors == "")
  }

  @Test func chunksOfAJobAreShownByLines() async {
    let run = await repl(
      "rac.exec{'printf', 'a\\nb\\n\\nc', output = 'bytes'} &", ":wait",
      "rac.exec{'sh', '-c', 'printf \"at 1\\\\rat 2\\\\n\"', output = 'bytes'} &", ":wait")
    #expect(run.lines == ["[1] a", "[1] b", "[1] ", "[1] c", "[2] at 2"], "\(run)")
  }

  @Test func theFailureOfAJobIsToldOnce() async {
    let run = await repl(
      "rac.commands.bad:execute():subscribe()", ":wait",
      commands: "rac.command{name = 'bad', run = 'exit 3'}")
    #expect(run.errors.ranges(of: "exited with status 3").count == 1, "\(run)")
    #expect(run.status != 0)
  }

  private let gated = """
    rac.command{name = "need", run = "echo needed; touch ok"}
    rac.command{name = "deploy", confirm = "Sure?", needs = "need", run = "echo deployed",
      enabled = function() return rac.stat("ok") ~= nil end}
    rac.command{name = "ask", confirm = "Sure?", run = "echo deployed"}
    rac.command{name = "gate", needs = "need", run = "echo no",
      precondition = function() return false, "no gate" end}
    rac.command{name = "user", needs = "fails", run = "echo no"}
    rac.command{name = "fails", run = "exit 3"}
    """

  @Test func aCommandThatAsksIsNotExecutedWithoutAnAnswer() async {
    let asked = #"it asks "Sure?", which only 'raclette repl --yes' answers without a terminal"#
    for line in [":run deploy", ":run deploy &", "rac.commands.ask:execute()"] {
      let run = await repl(line, commands: gated)
      #expect(run.errors.contains(asked), "\(run)")
      #expect(!run.output.contains("deployed") && !run.output.contains("needed"), "\(run)")
      #expect(run.status == 2)
    }
    let folder = Folder(commands: gated)
    let run = await shell(
      "raclette run -i deploy </dev/null; raclette run -y -i deploy </dev/null", in: folder)
    #expect(run.lines == ["[1] needed", "deployed"], "\(run)")
  }

  @Test func aRunExecutesNeedsBeforeItAsksTheCondition() async {
    let folder = Folder(commands: gated)
    let run = await raclette("repl", "-y", in: folder, input: ":run deploy\n:run deploy &\n:wait\n")
    #expect(run.lines == ["[1] needed", "deployed", "[3] needed", "[4] deployed"], "\(run)")
    #expect(run.status == 0)
  }

  @Test func aRunSaysThatACommandIsUpToDate() async {
    let run = await repl(
      ":run build", ":run build", ":run all", "rac.commands.build:execute()",
      commands: """
        rac.command{name = "build", sources = "a.txt", outputs = "b.txt", run = "cp a.txt b.txt"}
        rac.command{name = "all", needs = "build", run = "echo all"}
        """, files: ["a.txt": "a"])
    #expect(
      run.errorLines.filter { $0.contains("up to date") }
        == [2, 3, 5].map { "[\($0)] build is up to date" }, "\(run)")
    #expect(run.status == 0)
  }

  @Test func aRunWhosePreconditionFailsExecutesNothing() async {
    let run = await repl(":run gate", ":run user", commands: gated)
    #expect(run.output == "", "\(run)")
    #expect(run.errorLines.first == "error: stdin:1: the command 'gate' is not enabled: no gate")
    #expect(run.errors.contains("'fails' failed: 'exit 3' exited with status 3"))
  }

  @Test func aRunWhoseNeedNothingCanEndFails() async {
    let run = await repl(
      ":run user", "1 + 1",
      commands: """
        rac.command{name = "need", run = function() return rac.never() end}
        rac.command{name = "user", needs = "need", run = "echo no"}
        """)
    #expect(run.lines == ["2"], "\(run)")
    #expect(run.errors.contains("the run waits for something that nothing can send"), "\(run)")
    #expect(!run.errors.contains("still running"), "\(run)")
    #expect(run.status == 1)
  }

  @Test func aReaderThatHasSeenEnoughEndsTheSessionWithoutAnError() async {
    let run = await shell(
      "{ echo 'for i = 1, 1e6 do print(i) end'; echo 'print(2)'; } | raclette repl | head -n 1",
      in: Folder())
    #expect(run.output == "1\n")
    #expect(run.errors == "")
  }

  @Test func anIncompleteChunkContinuesOnTheNextLine() async {
    let run = await repl(
      "for i = 1, 2 do", "print(i)", "end", "1 +", "2", "f = function()", "return 7 end", "f()")
    #expect(run.lines == ["1", "2", "3", "7"])
  }

  @Test func anUnfinishedChunkAtTheEndIsAnError() async {
    let run = await repl("for i = 1, 2 do")
    #expect(run.errorLines == ["error: stdin:1: the chunk is not complete"])
    #expect(run.status == 1)
  }

  @Test func errorsNameTheLineAndTheNextLinesExecute() async {
    let run = await repl("print(1)", "error('boom')", "x = = 2", "nosuch.field", "print(2)")
    #expect(run.lines == ["1", "2"])
    #expect(run.errorLines.count == 3)
    #expect(run.errorLines[0] == "error: stdin:2: boom")
    #expect(run.errorLines[1].hasPrefix("error: stdin:3: "))
    #expect(run.errorLines[2].hasPrefix("error: stdin:4: attempt to index a nil value"))
    #expect(run.status == 1)
  }

  @Test func localsStayForTheNextLines() async {
    let run = await repl(
      "local a, b = 1, 2", "local function sum() return a + b end", "a = 10", "sum()",
      "local c <const> = 5; local d", "c, d", "do local a = 99 end", "a", "rawget(_G, 'a')")
    #expect(run.lines == ["12", "5\tnil", "10", "nil"])
  }

  @Test func aVariableToCloseIsClosedAtTheEndOfItsLine() async {
    let run = await repl(
      "local x <close> = setmetatable({}, {__close = function() print('closed') end}) print('in')",
      "x")
    #expect(run.lines == ["in", "closed", "nil"])
  }

  @Test func aSignalIsSubscribedAndItsValuesStream() async {
    let run = await repl("rac.from{1, 'two', {3}}", "_", "rac.error('no')", "_error")
    #expect(run.lines == ["1", "\"two\"", "{3}", "{3}", "\"no\""])
    #expect(run.errorLines == ["error: no"])
  }

  @Test func aLineMayWait() async {
    let run = await repl(
      "rac.timer(0.01):first()", "local t = rac.exec{'printf', 'a\\nb'}:to_table()", "t[2]")
    #expect(run.lines.last == "\"b\"")
    #expect(run.status == 0)
  }

  @Test func commandsRunByNameWithTheirArguments() async {
    let run = await repl(
      ":run greet who='the world'", ":run greet", ":run gret", ":run greet --wo x",
      commands: """
        rac.command {name = "greet", params = {{name = "who", required = true}},
          run = function(input) return "hello " .. input.who end}
        """)
    #expect(run.lines == ["hello the world"])
    #expect(run.errorLines[0].contains("who"))
    #expect(run.errorLines[1] == "error: stdin:3: unknown command 'gret'; did you mean 'greet'?")
    #expect(run.errorLines[2].contains("unknown parameter 'wo'"))
    #expect(run.status == 2)
  }

  @Test func aNameThatWasMeantIsNoPrivateOne() async {
    let run = await repl(
      ":run _hiden", ":run hiden", ":run db",
      commands: """
        rac.command{name = "_hidden", run = "true"}
        rac.command{name = "db:up", run = "true"}
        """)
    #expect(
      run.errorLines == [
        "error: stdin:1: unknown command '_hiden'; did you mean '_hidden'?",
        "error: stdin:2: unknown command 'hiden'",
        "error: stdin:3: unknown command 'db'; it is a namespace, with db:up",
      ])
  }

  @Test func jobsRunInTheBackgroundAndCanBeWaitedForAndReplayed() async {
    let run = await repl(
      "rac.timer(0.01):and_then(rac.from{'a', 'b'}) &", ":wait", ":replay 1", ":jobs", ":kill 1",
      ":replay 7", ":wait x")
    #expect(run.lines.filter { $0.hasPrefix("[1] ") } == ["[1] a", "[1] b"])
    #expect(run.lines.suffix(3).prefix(2) == ["a", "b"])
    #expect(run.lines.last?.contains("completed") == true)
    #expect(run.errors.contains("has ended already"))
    #expect(run.errors.contains("there is no job 7; see :jobs"))
  }

  @Test func anEndedInputCancelsTheJobsThatRun() async {
    let run = await repl("rac.exec{'sleep', '1000'} &")
    #expect(run.errors.contains("1 job still running: cancelled"))
    #expect(run.status == 0)
  }

  @Test func executionsShowTheirIdAndState() async {
    let run = await repl(
      "local e = rac.commands.one:execute()", "e:wait()", "tostring(e):match('completed')",
      "{e}", "rac.commands.one", "rac.commands.one:execute()",
      commands: "rac.command {name = 'one', run = function() return 1 end}")
    #expect(run.lines.contains("\"completed\""))
    #expect(run.lines.contains("{execution 1 of one (completed)}"))
    #expect(run.lines.contains("command one (enabled)"))
    #expect(run.lines.last == "1")
  }

  @Test func aSignalThatCannotEndIsToldAndTheNextLineExecutes() async {
    let run = await repl("rac.never()", "rac.never():wait()", "1")
    #expect(run.lines == ["1"])
    #expect(run.errorLines.count == 2)
    #expect(run.errors.contains("nothing can send"))
  }

  @Test func valuesAreShownWithBoundedDepthAndWidth() async throws {
    let run = await repl(
      "local t = {}; t.self = t", "t", "{{{{{{1}}}}}}",
      "local big = {} for i = 1, 1000000 do big[i] = i end",
      "big", "('x'):rep(100000)", "setmetatable({1}, {})", "{['a b'] = 1, [2] = 'q\"\\n\\0'}")
    #expect(run.lines[0] == "{self = <cycle>}")
    #expect(run.lines[1] == "{{{{{…}}}}}")
    #expect(run.output.contains("… 999950 or more"))
    #expect(run.output.utf8.count < 20_000)
    #expect(run.output.contains("(100000 bytes)"))
    #expect(run.lines.contains("{1} <metatable>"))
    #expect(run.lines.last == "{[\"a b\"] = 1, [2] = \"q\\\"\\n\\x00\"}")
  }

  @Test func aTextThatFailsIsToldInItsPlace() async {
    let run = await repl(
      "setmetatable({}, {__tostring = function() error('bad') end})",
      "error(setmetatable({}, {}))",
      "error(setmetatable({}, {__tostring = function() return 1 end}))",
      "error({code = 4})", "error()", "1")
    #expect(run.lines.count == 2)
    #expect(run.lines[0].contains("__tostring fails: stdin:1: bad"))
    #expect(run.lines[1] == "1")
    #expect(run.errors.contains("{code = 4}"))
    #expect(run.status == 1)
  }

  @Test func bytesThatAreNoTextSurvive() async {
    let folder = Folder()
    folder.write(
      Array("x = '".utf8) + [0xFF, 0xFE] + Array("'\n#x\n1".utf8) + [0] + Array("2\n3\n".utf8),
      to: "input")
    let run = await shell("raclette repl < input", in: folder)
    #expect(run.lines == ["2", "3"])
    #expect(run.status == 1)
  }

  @Test func aLineOfAMegabyteExecutes() async {
    let run = await repl("#'\(String(repeating: "y", count: 1 << 20))'")
    #expect(run.lines == ["1048576"])
  }

  @Test func theInitialisationFileComesFirst() async {
    let run = await repl(
      "greet()", files: ["config/raclette/repl.lua": "function greet() return 'hi' end"])
    #expect(run.lines == ["\"hi\""])
  }

  @Test func aBrokenFileEndsAPipeWithTheStatusOfOne() async {
    let run = await repl("1", commands: "x = = 1")
    #expect(run.status == 3)
    #expect(run.errorLines[0].hasPrefix("error: commands.lua:1:"))
    let missing = await raclette("repl", "nosuch.lua", in: Folder())
    #expect(missing.status == 3)
    #expect(missing.errors.contains("nosuch.lua"))
  }

  @Test func reloadStartsAfreshAndTellsWhatChanged() async {
    let run = await repl(
      "x = 1", "rac.never() &", "local f = io.open('commands.lua', 'w')",
      "f:write('rac.command {name = \"new\", run = function() end}')", "f:close()", ":reload", "x",
      ":jobs", "f = io.open('commands.lua', 'w')", "f:write('x = = 1')", "f:close()", ":reload",
      "rac.commands.new",
      commands: "rac.command {name = 'old', run = function() end}")
    #expect(run.lines.contains("+ new"))
    #expect(run.lines.contains("- old"))
    #expect(run.lines.contains("no jobs"))
    #expect(run.errors.contains("[1] rac.never(): cancelled"))
    #expect(run.errors.contains("commands.lua:1:"))
    #expect(run.errors.contains("the session continues unchanged"))
    #expect(run.lines.last == "command new (enabled)")
  }

  @Test func marblesStandOnOneAxis() async {
    let run = await repl(
      ":marbles rac.from{1, 2}, rac.timer(0.05):map(function() return 'long value' end), rac.error('no')"
    )
    #expect(run.lines.count == 5)
    // How far apart they stand depends on how busy the machine is.
    #expect(run.lines[0].contains(#/ -*\(?1-*2\)?-*\|$/#))
    #expect(run.lines[1].contains(#/-a-*\|$/#))
    #expect(run.lines[2].contains(#/ -*x$/#))
    #expect(run.lines[4] == "  a = long value")
    #expect(run.errorLines == ["error: stdin:1: no"])
  }

  @Test func unknownColonCommandsNameTheNearest() async {
    let run = await repl(":jbos", ":quit", "1")
    #expect(run.errorLines == ["error: stdin:1: there is no ':jbos'; did you mean ':jobs'?"])
    #expect(run.lines.isEmpty)
    #expect(run.status == 2)
  }

  @Test func documentationIsFoundByEitherName() async {
    let run = await repl(":doc rac.timer", ":doc switch_to_latest", ":help run", ":doc nosuchthing")
    #expect(run.output.contains("rac.timer(seconds): signal"))
    #expect(run.output.contains("signal:switch_to_latest"))
    #expect(run.output.contains(":run COMMAND [ARGS] [&]"))
    #expect(run.status == 2)
  }

  @Test func aSessionMayFollowAScriptOrARun() async {
    let folder = Folder([
      "script.lua": "x = rac.args[1]; print('loaded')",
      "commands.lua":
        "rac.command {name = 'count', run = function() n = (n or 0) + 1 return n end}",
    ])
    let script = await raclette("exec", "-i", "script.lua", "given", in: folder, input: "x\n")
    #expect(script.lines == ["loaded", "\"given\""])
    let run = await raclette("run", "-i", "count", in: folder, input: "n + 1\n:run count\n")
    #expect(run.lines == ["1", "2", "2"])
    let several = await raclette(
      "run", "-i", "count", ":::", "nosuch", in: folder, input: "n\n")
    #expect(several.lines.last == "1")
    #expect(several.errors.contains("unknown command 'nosuch'"))
    #expect(several.status == 2)
  }

  @Test func frameworkFramesAreNotInTracebacks() async {
    let run = await repl(
      "function inner() error('deep') end", "function outer() inner() end", "local _ = outer()")
    #expect(
      run.errorLines == [
        "error: stdin:1: deep", "  stdin:1: in function 'inner'", "  stdin:2: in function 'outer'",
        "  stdin:3: in the line",
      ])
  }

  @Test func aFailureInTheBackgroundCountsForTheStatus() async {
    let run = await repl(
      "local _ = rac.timer(0.01):subscribe(function() error('late') end)", "rac.sleep(0.05)",
      "_error")
    #expect(run.lines == ["\"stdin:1: late\""])
    #expect(run.status == 1)
  }

  @Test func aFullDiskIsToldOnceAndEndsTheSession() async {
    let run = await raclette("repl", in: Folder(), input: "1\n2\n", output: .file("/dev/full"))
    #expect(
      run.errorLines == [
        "raclette: error: cannot write to standard output: no space left on device"
      ])
    #expect(run.status == 1)
  }

  @Test func whatAnExecutionExecutesIsAJobThatDoesNotReportItsEnd() async {
    let run = await repl(
      ":run outer",
      "local _ = rac.timer(0.01):subscribe(function() rac.commands.inner:execute() end)",
      // The end of a sleep may come in the turn of the timer, and before the execution goes on.
      "rac.sleep(0.1)", "rac.sleep(0.1)", ":jobs",
      commands: """
        rac.command {name = "inner", run = function() return "from inside" end}
        rac.command {name = "outer", run = function()
          rac.commands.inner:execute():wait()
          return "outer is done"
        end}
        """)
    #expect(run.lines.prefix(3) == ["from inside", "outer is done", "[3] from inside"])
    #expect(run.lines.count { $0.contains("] inner  completed") } == 2)
  }

  @Test func aSandboxedSessionKeepsItsLocals() async {
    let run = await raclette(
      "repl", "--sandbox", in: Folder(), input: "local x = 2\nx + 1\nio\nrac.sh('ls')\n")
    #expect(run.lines == ["3", "nil"])
    #expect(run.errors.contains("sandbox"))
    #expect(run.status == 1)
  }

  @Test func aLocalThatIsNilHidesTheGlobal() async {
    let run = await repl(
      "g = 5", "local g", "g", "local print = print", "print('still')", "local print = nil", "print"
    )
    #expect(run.lines == ["nil", "still", "nil"])
  }

  @Test func aRejectedExecutionIsToldOnce() async {
    let commands = "rac.command {name = 'c', enabled = rac.just(false), run = function() end}"
    for line in [":run c", "rac.commands.c:execute()", ":run c &"] {
      let run = await repl(line, ":errors", commands: commands)
      #expect(run.errorLines.count { $0.contains("not enabled") } == 1, "\(line)")
      #expect(run.lines.count == 1, "\(line)")
      #expect(run.status == 75, "\(line)")
    }
  }

  @Test func aLongKeyIsCut() async {
    let run = await repl("{[('k'):rep(100000)] = 1}")
    #expect(run.output.count < 1_000)
  }

  @Test func anInteractiveCommandIsNotRunInTheBackground() async {
    let run = await repl(
      ":run edit &", ":jobs",
      commands: "rac.command {name = 'edit', interactive = true, run = function() return 1 end}")
    #expect(run.errors.contains("edit is interactive"))
    #expect(run.lines == ["no jobs"])
  }

  @Test func habitsFromOtherShellsAreAnswered() async {
    let run = await repl("quit", "quit = 7", "quit")
    #expect(run.errorLines == ["did you mean :quit?"])
    #expect(run.lines == ["7"])
  }

  @Test func aCommandsNameLeadsToRun() async {
    let run = await repl(
      "up", ":up", "down = 7", "down", ":run",
      commands: "rac.command {name = 'up', run = print} rac.command {name = 'down', run = print}")
    #expect(
      run.errorLines.prefix(2) == [
        "did you mean :run up?", "error: stdin:2: there is no ':up'; did you mean ':run up'?",
      ], "\(run)")
    #expect(run.lines == ["7"])
  }

  @Test func marblesShowEveryMomentAndTheEnd() async {
    let run = await repl(
      ":marbles rac.range(1, 30000):concat(rac.timer(0.1):map_replace('Z'))",
      ":marbles rac.interval(0.0002):take(500)", ":marbles rac.just('日本語')",
      ":marbles rac.interval(0.1):take(1):flat_map(function() return rac.range(1, 5) end)")
    let tracks = run.lines.filter { $0.hasPrefix("rac.") }
    #expect(tracks[0].hasSuffix("Z|"))
    #expect(tracks[1].hasSuffix("|"))
    #expect(tracks[2].hasSuffix("|"))
    // A slow machine sends values of one moment in several.
    #expect(tracks[3].contains(#/-\(?1[-()]*2[-()]*3[-()]*4[-()]*5\)?-*\|$/#), "\(tracks[3])")
    #expect(run.lines.contains("  a = 日本語"))
    #expect(run.lines.allSatisfy { $0.count <= 80 })
  }

  @Test func aLongTableLiteralIsReadLineByLine() async {
    let rows = (1...20_000).map { "  {id = \($0), name = 'row \($0)'}," }
    let run = await repl("t = {", rows.joined(separator: "\n"), "}", "#t")
    #expect(run.lines == ["20000"])
  }

  @Test func aDiagramNamesItsTracksByTheirExpressions() async {
    let run = await repl(
      ":marbles rac.just(2):map(function(n) if n > 1 then return 'b' end return 'a' end), rac.just(1)"
    )
    #expect(run.lines.contains { $0.hasPrefix("rac.just(1)  ") }, "\(run.lines)")
  }
}
