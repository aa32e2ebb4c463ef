import Testing
import TextFiles

/// The variables of a session: their scope, their lists, and keeping them.
@Suite(.timeLimit(.minutes(5)))
struct ReplSessionTests {
  private func repl(_ lines: String..., in folder: Folder = Folder()) async -> Outcome {
    await raclette(
      "repl", in: folder, input: lines.joined(separator: "\n") + "\n",
      environment: ["XDG_STATE_HOME": folder["state"]])
  }

  @Test func aLocalThatIsDeclaredAgainLeavesOlderFunctionsTheirOwn() async {
    let run = await repl(
      "local a, b = 1, 10", "function f() a = a + 1 return a + b end", "local a = 5", "f()", "a",
      "b = 20", "f()", "local a = a + 1", "a", "local print = print", "print(f())", "local a", "a")
    #expect(run.lines == ["12", "5", "23", "6", "24", "nil"], "\(run)")
  }

  @Test func aConstantStaysOne() async {
    let run = await repl(
      "local c <const> = 5", "c = 6", "c", "function f() c = 7 end", "f()", "local c = 8", "c = 9",
      "c",
      "local d <const> = 1; d = 2")
    #expect(run.lines == ["5", "9"])
    #expect(
      run.errorLines.filter { $0.hasPrefix("error") } == [
        "error: stdin:2: attempt to assign to const variable 'c'",
        "error: stdin:4: attempt to assign to const variable 'c'",
        "error: stdin:9: attempt to assign to const variable 'd'",
      ], "\(run.errors)")
  }

  @Test func manyDeclarationsOfOneNameKeepOneOfThem() async {
    let lines = (1...20_000).map { "local x = {\($0), ('y'):rep(10000)}" }
    let run = await repl(
      lines.joined(separator: "\n"), "collectgarbage()", "x[1], collectgarbage('count') < 20000")
    #expect(run.lines == ["0", "20000\ttrue"])
  }

  @Test func variablesAreKeptForAnotherSession() async throws {
    let folder = Folder()
    let lines = await onThread {
      let session = TerminalSession(in: folder, columns: 100)
      session.waitForPrompt()
      for entry in [
        "local list = {1.5, 'a\\xff', x = {deep = true}}", "list.self, shared = list, list.x",
        "function add(a, b) return a + b end", "local big <const> = math.mininteger",
        "s = rac.subject()", "do local up = 1 function closed() return up end end",
        ":session save work",
      ] { session.enter(entry) }
      session.wait(for: "4 variables written")
      return session.screen.lines
    }
    #expect(lines.contains("left out: s: a subject cannot be kept"), "\(lines)")
    #expect(lines.contains("left out: closed: it uses locals of the code around it"), "\(lines)")
    let run = await repl(
      ":session restore work", "list", "list.self == list, list.x == shared", "add(1, 2)",
      "big == math.mininteger", "rawget(_G, 'list')", ":session restore nosuch", in: folder)
    #expect(
      run.lines == [
        #"{1.5, "a\xff", self = <cycle>, x = {deep = true}}"#, "true\ttrue", "3", "true", "nil",
      ], "\(run)")
    #expect(run.errors.contains("no such file or directory"))
  }

  @Test func whatIsSavedCanBeLoaded() async throws {
    let folder = Folder()
    let lines = await onThread {
      let session = TerminalSession(in: folder, columns: 100)
      session.waitForPrompt()
      for entry in [
        "x = 20", "x", "y = = 2", "local z = x + 1", "return z", ":vars", "rac.sleep(0) &",
        "goto nowhere", ":save session.lua", "x = nil z = nil", ":load session.lua", "x + z",
      ] {
        session.enter(entry)
        session.waitForPrompt()
      }
      return session.screen.lines
    }
    #expect(try TextFile(folder["session.lua"]).lines == ["x = 20", "local z = x + 1", ""])
    #expect(lines.contains("left out: 5 entries that are not statements"), "\(lines)")
    #expect(lines.contains("2 entries written to session.lua"), "\(lines)")
  }

  @Test func subscriptionsAreListedAndEnded() async {
    let lines = await atPrompt(columns: 100) { session in
      session.enter("s = rac.subject()")
      session.enter("_ = s:named('ticks'):subscribe(print)")
      session.enter(":subscriptions")
      session.wait(for: "1  [2]:1 'ticks'  _ = s:named('ticks'):subscribe(print)")
      session.enter(":unsubscribe 1")
      session.enter(":subscriptions")
      session.wait(forLine: "no subscriptions")
      session.enter(":unsubscribe 1")
      session.wait(for: "there is no subscription '1'")
      return session.screen.lines
    }
    #expect(lines.contains("no subscriptions"))
  }

  @Test func aShortEvaluationIsRepeatedInSilence() async {
    let run = await repl(
      ":time print('once')", "n = 0", ":time (function() n = n + 1 return n end)()", "n > 100",
      ":time rac.just(1)", ":time {1, 2, 3}")
    #expect(run.lines.count { $0 == "once" } == 1)
    #expect(run.lines.contains("true"))
    #expect(
      run.errorLines.count { $0.contains(" ± ") && $0.contains(" evaluations; ") } == 3, "\(run)")
    #expect(run.errors.contains("bytes allocated"))
  }

  @Test func anExecutionInTheBackgroundIsOneJob() async {
    let run = await repl(
      "local c = rac.command{name = 'x', run = function() return rac.from{1, 2} end}",
      "rac.commands.x:execute() &", ":wait", ":jobs")
    #expect(run.lines.count == 3, "\(run)")
    #expect(run.lines.prefix(2) == ["[1] 1", "[1] 2"])
  }

  @Test func theScriptOfASessionIsLoadedAgain() async {
    let folder = Folder(["script.lua": "n = (n or 0) + 1; print('loaded')"])
    let run = await raclette(
      "exec", "-i", "script.lua", in: folder, input: "n = 5\n:reload\nn\n")
    #expect(
      run.lines == ["loaded", "loaded", "reloaded; the commands are the same", "1"], "\(run)")
  }

  @Test func errorsOfFinalisersAreShown() async {
    let run = await repl(
      "do local x = setmetatable({}, {__gc = function() error('unswept') end}) end collectgarbage()"
    )
    #expect(run.errors.contains("error in __gc"), "\(run)")
    #expect(run.errors.contains("stdin:1: unswept"))
  }

  @Test func errorsOfFinalisersAreShownToFilesUntilOneTurnsThemOff() async {
    let fail = """
      do local x = setmetatable({}, {__gc = function() error("%") end}) end collectgarbage()
      """
    let run = await repl(
      fail.replacing("%", with: "of the entry"),
      in: Folder(commands: fail.replacing("%", with: "of the file") + "\nwarn('@off')"))
    #expect(run.errors.contains("of the file"), "\(run)")
    #expect(!run.errors.contains("of the entry"), "\(run)")
  }

  @Test func theBannerNamesTheCommandFile() async {
    let isThere = await atPrompt(["commands.lua": ""]) { session in
      session.wait(for: "raclette 0.1.0, Lua 5.4; commands.lua; :help explains")
    }
    #expect(isThere)
  }
}
