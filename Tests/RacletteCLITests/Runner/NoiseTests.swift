import Testing

@Suite("what a run says of many executions", .timeLimit(.minutes(5)))
struct NoiseTests {
  @Test("is one line for those that are up to date, and each with -v")
  func upToDate() async {
    let folder = Folder(
      commands: """
        local all = {}
        for i = 1, 20 do
          rac.command{name = "c" .. i, sources = "commands.lua", run = "true"}
          all[i] = "c" .. i
        end
        rac.command{name = "all", needs = all}
        rac.command{name = "two", needs = {"c1", "c2"}, run = "echo two"}
        rac.command{name = "one", needs = {"c1"}, run = "echo one"}
        """)
    #expect(await raclette("all", in: folder).errors == "")
    #expect(
      await raclette("-j", "1", "all", in: folder).errors
        == "raclette: 20 are up to date: c1, c2, c3, c4, c5, c6, c7, c8 and 12 more\n")
    #expect(
      await raclette("-j", "1", "two", in: folder).errors == "raclette: 2 are up to date: c1, c2\n")
    #expect(await raclette("one", in: folder).errors == "raclette: c1 is up to date\n")
    #expect(await raclette("c3", in: folder).errors == "raclette: c3 is up to date\n")
    let verbose = await raclette("-v", "two", in: folder)
    #expect(verbose.errorLines.count { $0.hasSuffix("is up to date") } == 2, "\(verbose)")
    #expect(!verbose.errors.contains("are up to date"))
    let events = await raclette("--json", "two", in: folder)
    #expect(events.lines.count { $0.contains(#""type":"up_to_date""#) } == 2)
  }

  @Test("says that output is old before it is replayed")
  func replayed() async {
    let folder = Folder(
      commands: """
        rac.command{name = "gen", sources = "commands.lua", run = "echo generated"}
        rac.command{name = "build", sources = "commands.lua", needs = "gen", run = "echo built"}
        """)
    #expect(await shell("raclette -j 1 build 2>&1", in: folder).output == "generated\nbuilt\n")
    #expect(
      await shell("raclette -j 1 build 2>&1", in: folder).output
        == "raclette: gen is up to date\ngenerated\nraclette: build is up to date\nbuilt\n")
  }

  @Test("does not call a command cancelled that has failed with another")
  func failedTogether() async {
    let folder = Folder(
      commands: """
        local go = rac.subject()
        rac.command{name = "a", run = function() go:first() error("wrong", 0) end}
        rac.command{name = "b", run = function()
          rac.sleep(0.01)
          go:send_next(true)
          error("wrong", 0)
        end}
        rac.command{name = "all", needs = {"a", "b"}}
        """)
    let run = await raclette("-j", "2", "all", in: folder)
    #expect(
      run.errorLines.sorted() == [
        "raclette: error: a: wrong", "raclette: error: b: wrong", "raclette: not executed: all",
      ], "\(run)")
    #expect(run.status == 1)
  }

  @Test("does not call a process cancelled that had failed before its failure could be seen")
  func failedBeforeLooking() async {
    let folder = Folder(
      commands: """
        local function read(path)
          local file <close> = io.open(path)
          return file and file:read("a") or ""
        end
        rac.command{name = "a",
          run = "echo $$ >pid; while ! [ -e go ]; do sleep 0.01; done; printf left; exit 4"}
        rac.command{name = "b", run = function()
          local pid
          repeat pid = read("pid"):match("%d+") until pid
          -- Runs in the turn in which this failure is to cancel the other command.
          rac.scheduler.main:schedule(function()
            io.open("go", "w"):close()
            repeat until read("/proc/" .. pid .. "/stat"):find(") Z")
          end)
          error("wrong", 0)
        end}
        rac.command{name = "all", needs = {"a", "b"}}
        """)
    let run = await raclette("-j", "2", "all", in: folder)
    #expect(
      run.errorLines.sorted() == [
        "raclette: error: a: "
          + "'echo $$ >pid; while ! [ -e go ]; do sleep 0.01; done; printf…' exited with status 4",
        "raclette: error: b: wrong", "raclette: not executed: all",
      ], "\(run)")
    #expect(run.output == "left")
  }

  @Test("tells what was cancelled and what had not begun apart, and the cause last")
  func cancelled() async {
    let folder = Folder(
      commands: """
        rac.command{name = "fail", run = "echo wrong >&2; while ! [ -e a -a -e b ]; do sleep 0.01; done; exit 3"}
        rac.command{name = "a", run = "touch a; exec sleep 1000"}
        rac.command{name = "b", run = "touch b; exec sleep 1000"}
        rac.command{name = "c", needs = "a", run = "true"}
        local needs = {"fail", "a", "b", "c"}
        for i = 1, 30 do
          rac.command{name = "w" .. i, run = "exec sleep 1000"}
          needs[#needs + 1] = "w" .. i
        end
        rac.command{name = "all", needs = needs}
        """)
    let run = await raclette("-j", "3", "all", in: folder)
    #expect(run.status == 3)
    #expect(run.errorLines.first == "wrong")
    #expect(
      ["a, b", "b, a"].map { "raclette: 2 were cancelled: \($0)" }.contains(
        run.errorLines.dropFirst().first), "\(run)")
    #expect(
      run.errorLines.suffix(2) == [
        "raclette: not executed: all, c, w1, w2, w3, w4, w5, w6 and 24 more",
        "raclette: error: fail: "
          + "'echo wrong >&2; while ! [ -e a -a -e b ]; do sleep 0.01; don…' exited with status 3",
      ], "\(run)")
    folder.remove("a")
    folder.remove("b")
    let events = await raclette("--json", "-j", "3", "all", in: folder)
    #expect(events.lines.count { $0.contains(#""type":"cancelled""#) } == 33, "\(events)")
  }

  @Test("a failure is told at once while others go on")
  func goingOn() async {
    let folder = Folder(
      commands: """
        rac.command{name = "api", run = "exit 3"}
        rac.command{name = "web", run = "sleep 1000 & trap 'exit 0' TERM; echo serving; wait"}
        """)
    let run = await onThread {
      let running = Running(Launch(arguments: ["api", ":::", "web"], folder: folder.path))
      running.waitForErrors("raclette: error: api: 'exit 3' exited with status 3\n")
      running.get(signal: 15)
      return running.finish()
    }
    #expect(run.status == 143, "\(run)")
  }
}
