import Platform
import Testing

/// Services that only the work of a command needs, not the look whether it is up to date.
@Suite("services of commands that may be up to date", .timeLimit(.minutes(5)))
struct UnneededServiceTests {
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "up"},
      run = "echo begins >>log; echo up; exec sleep 600"}
    rac.command{name = "generate", needs = "db", sources = {"in"}, outputs = {"out"},
      run = "cp in out; echo generated"}
    rac.command{name = "check", needs = {"db", "generate"}, sources = {"in"}, outputs = {"checked"},
      run = "cp in checked; echo checked"}
    rac.command{name = "all", needs = "generate"}
    rac.command{name = "stepped", steps = {{command = "generate"}}}
    rac.command{name = "lua", run = function() rac.commands.generate:execute():wait() end}
    rac.command{name = "bad", service = true, ready = {line = "up"}, run = "echo no space; exit 3"}
    rac.command{name = "broken", needs = "bad", sources = {"in"}, outputs = {"broken"}, run = "touch broken"}
    rac.command{name = "late", service = true, ready = {path = "late.ready"},
      run = "touch late.ready; while [ ! -e used ]; do sleep 0.01; done; exit 4"}
    rac.command{name = "loses", needs = "late", sources = {"in"}, outputs = {"lost"},
      run = "touch used; exec sleep 600"}
    """#

  private static func folder() -> HubFolder {
    let folder = HubFolder(commands: commands)
    folder.folder.write("1", to: "in")
    folder.folder.write(#"{"command": "generate"}"# + "\n", to: "plan.jsonl")
    return folder
  }

  @Test(
    "are not started while it is, and are started once it is not",
    arguments: [
      "raclette generate", "raclette all", "raclette stepped", "raclette lua",
      "raclette batch --progress never plan.jsonl", "echo :run generate | raclette repl",
      "raclette attach $(raclette run -d generate)",
    ])
  func upToDate(_ line: String) async {
    let folder = Self.folder()
    _ = await folder.call("generate")
    #expect(folder.log == "begins\n")
    let skipped = await shell(line, in: folder.folder)
    #expect(skipped.status == 0, "\(skipped)")
    #expect(!skipped.errors.contains("db"), "\(skipped)")
    #expect(folder.log == "begins\n", "\(skipped)")
    folder.folder.write("2", to: "in")
    let executed = await shell(line, in: folder.folder)
    #expect(executed.status == 0, "\(executed)")
    #expect(executed.output.contains("generated\n"), "\(executed)")
    #expect(folder.log == "begins\nbegins\n", "\(executed)")
  }

  @Test("are not started in the rounds of a watch that are up to date")
  func watched() async {
    let folder = Self.folder()
    _ = await folder.call("generate")
    let run = await onThread {
      let watch = Running(folder.launch("--watch", "generate"))
      watch.waitForErrors("done; watching ")
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.errorLines.first == "raclette: generate is up to date", "\(run)")
    #expect(!run.errors.contains("db"), "\(run)")
    #expect(folder.log == "begins\n")
  }

  @Test("are not started for a result of the cache")
  func restored() async {
    let folder = Self.folder()
    folder.folder.write(
      Self.commands.replacing(
        #"outputs = {"out"},"#,
        with: #"outputs = {"out"}, cache = true, fingerprint = function() return "1" end,"#),
      to: "commands.lua")
    let first = await shell("raclette generate", in: folder.folder)
    folder.folder.remove("out")
    let second = await shell("raclette generate && cat out", in: folder.folder)
    #expect(first.output == "generated\n", "\(first)")
    #expect(second.output == "generated\n1", "\(second)")
    #expect(folder.log == "begins\n")
  }

  @Test("are shared by the commands of a run whose work needs them")
  func shared() async {
    let folder = Self.folder()
    let run = await folder.call("check")
    #expect(run.lines == ["generated", "checked"], "\(run)")
    #expect(run.errors == "raclette: db is starting\nraclette: db is ready\n", "\(run)")
    #expect(folder.log == "begins\n")
  }

  @Test("fail the work that needs them, which has not begun")
  func failed() async {
    let folder = Self.folder()
    let run = await folder.call("broken")
    #expect(
      run.errors == """
        raclette: bad is starting
        raclette: error: broken: 'bad' failed: the service has ended before it was ready: \
        'echo no space; exit 3' exited with status 3
          no space

        """, "\(run)")
    #expect(run.status == 3)
  }

  @Test("end the work that uses them when they end")
  func lost() async {
    let folder = Self.folder()
    let run = await folder.call("loses")
    #expect(
      run.errors == """
        raclette: late is starting
        raclette: late is ready
        raclette: error: loses: 'late' failed: the service has ended while it was used: \
        'touch late.ready; while [ ! -e used ]; do sleep 0.01; done; …' exited with status 4

        """, "\(run)")
    #expect(run.status == 4)
  }
}
