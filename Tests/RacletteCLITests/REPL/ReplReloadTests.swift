import Testing

/// What a session is made of: the files it began with and those loaded since, and `:reload`.
@Suite(.timeLimit(.minutes(5)))
struct ReplReloadTests {
  private static let good =
    "rac.command {name = 'greet', summary = 'Say hello', run = function() return 'hello' end}"

  private func repl(
    _ lines: String..., in folder: Folder
  ) async -> Outcome {
    await raclette(
      "repl", in: folder, input: lines.joined(separator: "\n") + "\n",
      environment: ["XDG_CONFIG_HOME": folder["config"]])
  }

  @Test func aFileThatFailsAfterItHasStartedSomethingKeepsTheOldSession() async {
    let folder = Folder(["commands.lua": Self.good])
    let bad = """
      local c = rac.command {name = 'w', run = function() return rac.never() end}
      c:execute()
      rac.create(function() return function() error('unswept') end end):subscribe()
      rac.sleep(0.01)
      error('broken')
      """
    let run = await repl(
      "local f = io.open('commands.lua', 'w') f:write([==[\(bad)]==]) f:close()",
      ":reload", ":errors", ":run greet", "1 + 1", in: folder)
    #expect(run.errors.contains("the session continues unchanged"))
    #expect(run.lines.suffix(2) == ["hello", "2"])
    #expect(run.lines.contains { $0.contains("broken") }, "it is among the errors")
    #expect(run.status == 1)
  }

  @Test func aServiceHasEndedBeforeTheNewSessionCanStartIt() async {
    let folder = Folder([
      "services.lua": """
      rac.command{name = "db", service = true, ready = {line = "up"}, linger = 600, run = [[
        mkdir lock || echo twice >>log
        sleep 600 & trap 'sleep 0.2; rmdir lock; exit' TERM; echo up; wait
      ]]}
      rac.command{name = "test", needs = "db", run = "echo tested"}
      """
    ])
    let run = await repl(
      ":load services.lua", ":run test", ":reload", ":run test", in: folder)
    #expect(run.lines.filter { $0 == "tested" }.count == 2, "\(run)")
    #expect(Folder.names(in: folder.path).contains("log") == false)
  }

  @Test func aFileThatIsNotThereIsNotLoadedAgain() async {
    let folder = Folder(["commands.lua": Self.good])
    let run = await repl(":load nosuch.lua", ":reload", "1 + 1", in: folder)
    #expect(
      run.errorLines == ["error: stdin:1: cannot read nosuch.lua: no such file or directory"])
    #expect(run.lines == ["reloaded; the commands are the same", "2"])
  }

  @Test func aFileThatFailedMayBeLoadedOnceItIsMended() async {
    let folder = Folder(["commands.lua": Self.good, "more.lua": "error('not yet')"])
    let run = await repl(
      ":load more.lua", "local f = io.open('more.lua', 'w') f:write('n = 1') f:close()",
      ":load more.lua", ":load ./more.lua", ":reload", "n", in: folder)
    #expect(run.errors.contains("./more.lua is loaded already"))
    #expect(run.lines.last == "1")
  }

  @Test func aBrokenInitialisationFileLosesNoCommands() async {
    let folder = Folder(["commands.lua": Self.good, "config/raclette/repl.lua": "error('mine')"])
    let run = await repl(
      ":run greet", ":reload",
      "local f = io.open('config/raclette/repl.lua', 'w') f:write('n = 1') f:close()", ":reload",
      ":run greet", "n", in: folder)
    #expect(run.lines == ["hello", "reloaded; the commands are the same", "hello", "1"])
    #expect(run.errors.contains("the session continues unchanged"))
  }

  @Test func watchesAreKeptByTheirExpressions() async {
    let folder = Folder(["commands.lua": Self.good])
    let run = await repl(":watch rac.commands.greet.enabled", ":reload", ":unwatch 1", in: folder)
    #expect(run.lines.count { $0 == "1  rac.commands.greet.enabled: true" } == 2)
    #expect(run.errors.isEmpty)
  }
}
