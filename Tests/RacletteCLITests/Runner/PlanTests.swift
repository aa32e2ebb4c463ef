import Testing

@Suite("what commands need", .timeLimit(.minutes(5)))
struct PlanTests {
  private let folder = Folder(
    commands: """
      local function command(name, needs, body, more)
        local definition = {name = name, needs = needs, run = body or function() return name end}
        for key, value in pairs(more or {}) do definition[key] = value end
        rac.command(definition)
      end
      command("base")
      command("left", {"base"})
      command("right", {"base"})
      command("all", {"left", "right"})
      command("broken", {"base"}, function() return rac.sh("exit 7") end)
      command("fragile", {"broken", "right"})
      command("closed", nil, nil, {enabled = rac.just(false)})
      command("shut", {"closed"})
      command("slow", nil, function() rac.sleep(1000) end)
      command("doomed", {"slow", "broken"})
      command("steady", nil, function() rac.sleep(0.05) return "steady" end)
      command("patient", {"broken", "steady"})
      command("lost", {"al"})
      command("one", {"two"}) command("two", {"three"}) command("three", {"one"})
      command("asking", nil, nil, {params = {{name = "what", required = true}}})
      command("hopeless", {"asking"})
      """)

  @Test("is executed once a run, before those that need it")
  func order() async {
    let run = await raclette("run", "all", ":::", "left", in: folder)
    #expect(run.lines.first == "base")
    #expect(run.lines.sorted() == ["all", "base", "left", "right"])
    #expect(run.lines.last == "all")
  }

  @Test("is left out by --no-deps")
  func noDeps() async {
    #expect(await raclette("run", "--no-deps", "all", in: folder).output == "all\n")
  }

  @Test("fails those that need it, with the status of its process")
  func failure() async {
    let run = await raclette("run", "fragile", in: folder)
    #expect(!run.lines.contains("fragile"))
    #expect(
      run.errorLines.suffix(2) == [
        "raclette: not executed: fragile", "raclette: error: broken: 'exit 7' exited with status 7",
      ])
    #expect(run.status == 7)
  }

  @Test("is 75 when it is not enabled")
  func notEnabled() async {
    #expect(await raclette("run", "shut", in: folder).status == 75)
  }

  @Test("is cancelled when nobody needs it any more, and goes on with --keep-going")
  func others() async {
    let run = await raclette("run", "doomed", in: folder)
    #expect(run.errorLines.contains("raclette: slow was cancelled"))
    #expect(run.status == 7)
    let kept = await raclette("run", "--keep-going", "patient", in: folder)
    #expect(kept.lines.contains("steady"))
    #expect(!kept.lines.contains("patient"))
    #expect(kept.status == 7)
  }

  @Test(
    "that is wrong is told before anything starts",
    arguments: [
      ("lost", "'lost' needs 'al', which is not defined; did you mean 'all'?", 2),
      ("one", "the needs of 'one' form a cycle: one -> two -> three -> one", 2),
      ("hopeless", "'hopeless' needs 'asking': parameter 'what' is required", 2),
    ])
  func wrong(command: String, message: String, status: Int32) async {
    let run = await raclette("run", "base", ":::", command, in: folder)
    #expect(run.output == "")
    #expect(
      run.errors.wholeMatch(of: /raclette: error: commands\.lua:\d+: (.*)\n/)?.1 ?? "" == message)
    #expect(run.status == status)
  }

  @Test("--jobs 1 executes one at a time")
  func jobs() async {
    let folder = Folder(
      commands: """
        local running = 0
        local function work()
          running = running + 1
          if running > 1 then error("two at a time") end
          rac.sleep(0.005)
          running = running - 1
        end
        for i = 1, 5 do rac.command{name = "w" .. i, run = work} end
        rac.command{name = "all", needs = {"w1", "w2", "w3", "w4", "w5"}, run = function() end}
        """)
    #expect(await raclette("run", "--jobs", "1", "all", ":::", "w1", in: folder).status == 0)
    #expect(await raclette("run", "-j", "2", "all", in: folder).status == 1)
  }

  @Test("may be a chain of ten thousand")
  func chain() async {
    let folder = Folder(
      commands: """
        for i = 1, 10000 do
          rac.command{name = "c" .. i, needs = i > 1 and {"c" .. i - 1} or nil, run = function()
            if i == 10000 then return "end" end
          end}
        end
        """)
    #expect(await raclette("run", "c10000", in: folder).output == "end\n")
  }

  @Test("--timeout limits each execution, and is 124")
  func timeout() async {
    let run = await raclette("run", "--timeout", "20ms", "slow", in: folder)
    #expect(run.errors == "raclette: error: slow: the execution took longer than 0.02 s\n")
    #expect(run.status == 124)
  }

  @Test("takes its turn when the command is asked for with other arguments as well")
  func turns() async {
    let folder = Folder(
      commands: """
        rac.command{name = "compile", params = {{name = "mode", default = "debug"}},
          run = function(i) return rac.sh("echo begin " .. i.mode .. "; sleep 0.05; echo end " .. i.mode) end}
        rac.command{name = "deploy", needs = {"compile"}, run = function() return "deployed" end}
        """)
    let run = await raclette("run", "deploy", ":::", "compile", "release", in: folder)
    #expect(run.status == 0)
    #expect(run.errors == "")
    let (debug, release) = (["begin debug", "end debug"], ["begin release", "end release"])
    let compiled = run.lines.filter { $0 != "deployed" }
    #expect(compiled == debug + release || compiled == release + debug)
    #expect(run.lines.contains("deployed"))
  }

  @Test("is executed once a run, also for what commands execute themselves")
  func fromLua() async {
    let folder = Folder(
      commands: """
        rac.command{name = "fetch", run = function() return rac.sh("sleep 0.05; echo fetched") end}
        rac.command{name = "x1", needs = {"fetch"}, run = function() return "x1" end}
        rac.command{name = "x2", needs = {"fetch"}, run = function() return "x2" end}
        rac.command{name = "both", run = function()
          return rac.merge(rac.commands.x1:execute(), rac.commands.x2:execute()):ignore_values()
        end}
        rac.command{name = "all", needs = {"fetch"}, run = function() return rac.commands.x1:execute() end}
        rac.command{name = "round", run = function() return rac.commands.trip:execute() end}
        rac.command{name = "trip", needs = {"round"}, run = print}
        rac.command{name = "tripper", needs = {"round"}, run = print}
        rac.commands.fetch.execution_signals:flatten():subscribe(print)
        """)
    // The subscription prints it, and it is shown as the output of a need.
    #expect(await raclette("run", "both", in: folder).lines == ["fetched", "fetched"])
    #expect(await raclette("run", "all", in: folder).lines == ["fetched", "fetched", "x1"])
    let round = await raclette("run", "tripper", in: folder)
    #expect(round.status != 0)
    #expect(round.errors.contains("'trip' needs 'round', whose own work waits for it"))
    #expect(round.errors.contains("not executed: tripper"))
  }
}
