import Testing

@Suite("needs with an input", .timeLimit(.minutes(5)))
struct NeedsInputTests {
  private static let commands = #"""
    rac.command{name = "build", params = {{name = "target", choices = {"debug", "release"}, default = "debug"}},
      run = function(input) rac.sleep(0.01) return "build " .. input.target end}
    rac.command{name = "lint", run = function() return "lint" end}
    rac.command{name = "pack", needs = {{"build", target = "release"}, "lint"}, run = function() return "pack" end}
    rac.command{name = "test", needs = "build", run = function() return "test" end}
    rac.command{name = "ship", params = {{name = "kind", default = "release"}},
      needs = function(input) return input.kind ~= "none" and {{"build", target = input.kind}, "lint"} or nil end,
      run = function(input) return "ship " .. input.kind end}
    rac.command{name = "nested", needs = "pack", run = function(_, emit)
      emit(rac.commands.ship:execute{kind = "release"}:last())
      emit(rac.commands.ship:execute{kind = "debug"}:last())
      emit(rac.commands.ship:execute({kind = "debug"}, {needs = false}):last())
    end}
    rac.command{name = "both", run = function()
      return rac.merge(rac.commands.pack:execute(), rac.commands.test:execute())
    end}
    rac.command{name = "count", params = {{name = "n", type = "integer", default = 3}},
      needs = function(input) return input.n > 0 and {{"count", n = input.n - 1}} or {} end,
      run = function(input) return "count " .. input.n end}
    rac.command{name = "endless", params = {{name = "n", type = "integer", default = 0}},
      needs = function(input) return {{"endless", n = input.n + 1}} end, run = print}
    rac.command{name = "broken", needs = function() error("no needs", 0) end, run = print}
    rac.command{name = "odd", needs = function() return {5} end, run = print}
    rac.command{name = "wrong", needs = function() return {{"build", target = "x"}} end, run = print}
    rac.command{name = "twice", needs = {{"build", target = "release"}, "build"}, run = function() return "twice" end}
    rac.command{name = "outer", run = function() return rac.commands.twice:execute() end}
    rac.command{name = "crashing", needs = function() error("no needs") end, run = print}
    """#
  private let folder = Folder(commands: NeedsInputTests.commands)

  private func starts(_ words: String...) async -> [String] {
    let run = await onThread { [folder] in
      Running(Launch(arguments: ["run", "--json"] + words, folder: folder.path)).finish()
    }
    return run.lines.compactMap { line in
      line.firstMatch(of: /execution_started","command":"(\w+)".*"input":(.*)}/).map {
        "\($0.1) \($0.2)"
      }
    }
  }

  @Test("are executed once for each input, also across :::")
  func once() async {
    let build = #"build {"target":"release"}"#
    #expect(Set(await starts("pack")) == [build, "lint {}", "pack {}"])
    let all = await starts("pack", ":::", "ship", ":::", "test", ":::", "lint")
    #expect(all.count { $0 == build } == 1)
    #expect(all.count { $0 == #"build {"target":"debug"}"# } == 1)
    #expect(all.count { $0 == "lint {}" } == 1)
    #expect(all.count == 6)
  }

  @Test("may be all that a command has")
  func alone() async {
    let folder = Folder(
      commands: """
        rac.command{name = "one", run = "echo one"}
        rac.command{name = "two", needs = "good", run = "echo two; exit 4"}
        rac.command{name = "good", needs = "one", summary = "All that is good"}
        rac.command{name = "all", needs = {"good", "two"}}
        """)
    let good = await raclette("good", in: folder)
    #expect(good.output == "one\n" && good.errors == "" && good.status == 0, "\(good)")
    #expect(await raclette("good", "x", in: folder).status == 2, "nothing takes an argument")
    let all = await raclette("all", in: folder)
    #expect(
      all.errorLines == [
        "raclette: not executed: all",
        "raclette: error: two: 'echo two; exit 4' exited with status 4",
      ], "\(all)")
    #expect(all.output == "one\ntwo\n" && all.status == 4)
    let plan = await raclette("run", "-n", "good", in: folder)
    #expect(plan.lines == ["  1. one", "     $ echo one", "  2. good  after one"])
    let script = await raclette(
      "exec", "-e",
      "rac.command{name = 'a', run = function() print('a') end} "
        + "rac.command{name = 'b', needs = 'a'}:execute():wait() print('b')", in: folder)
    #expect(script.output == "a\nb\n" && script.status == 0, "\(script)")
  }

  @Test("are the same as a request with that input")
  func requested() async {
    let starts = await starts("pack", ":::", "build", "release")
    #expect(starts.count { $0.hasPrefix("build") } == 1)
    #expect(await self.starts("test", ":::", "build", "--target", "debug").count == 2)
  }

  @Test("are honoured by executions that Lua starts, unless it says otherwise")
  func nested() async {
    let run = await raclette("run", "nested", in: folder)
    #expect(run.lines.last(where: { $0.hasPrefix("ship") }) == "ship debug")
    let starts = await starts("nested")
    #expect(starts.count { $0 == #"build {"target":"release"}"# } == 1)
    let wrong = Folder(
      commands: """
        rac.command{name = "c", run = function() rac.commands.c:execute(nil, {need = false}) end}
        """)
    #expect(
      await raclette("run", "c", in: wrong).errors.contains(
        "bad argument #2 to 'execute' (unknown key 'need'; did you mean 'needs'?)"))
  }

  @Test("with other inputs wait for each other when executions side by side need them")
  func sideBySide() async {
    let run = await raclette("run", "both", in: folder)
    #expect(run.lines.sorted() == ["build debug", "build release", "lint", "pack", "test"])
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("of one execution that Lua starts take turns, too")
  func turnsInside() async {
    let run = await raclette("run", "outer", in: folder)
    #expect(run.output == "build release\nbuild debug\ntwice\n", "\(run)")
    #expect(run.status == 0)
  }

  @Test("may be the same command with other inputs, but not without an end")
  func recursion() async {
    #expect(await raclette("count", in: folder).lines == (0...3).map { "count \($0)" })
    let run = await raclette("endless", in: folder)
    #expect(
      run.errors == """
        raclette: error: commands.lua:20: 'endless' needs itself with other inputs more than 1000 times in a row

        """)
  }

  @Test(
    "that a function does not return as it should are told",
    arguments: [
      ("broken", "broken: commands.lua:22: no needs"),
      ("crashing", "crashing: commands.lua:27: no needs"),
      ("odd", "odd: commands.lua:23: the result of 'needs'[1] must be a name, got number"),
      (
        "wrong",
        "commands.lua:24: 'wrong' needs 'build': parameter 'target' cannot be 'x'; it is one of debug, release"
      ),
    ])
  func functions(name: String, message: String) async {
    let run = await raclette("run", name, in: folder)
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.status == 2)
  }

  @Test("show in the plan, and are known for what they are")
  func plan() async {
    #expect(
      await raclette("run", "-n", "ship", "debug", ":::", "pack", in: folder).lines == [
        "  1. build target=debug", "  2. lint", "  3. ship kind=debug       after build, lint",
        "  4. build target=release", "  5. pack                  after build, lint",
      ])
    #expect(
      await raclette("show", "pack", in: folder).output.contains(
        "Needs:   build target=release, lint\n"))
  }

  @Test("are checked with file and line")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", params = {{name = "t", choices = {"x"}}}, run = print}
        rac.command{name = "b", run = print, needs = {{"a", t = "y"}}}
        rac.command{name = "c", run = print, needs = {{"a", tt = "x"}, "aa"}}
        rac.command{name = "d", run = print, needs = "e"}
        rac.command{name = "e", run = print, needs = "d"}
        """)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:2: 'b' needs 'a': parameter 't' cannot be 'y'; it is one of x",
        "commands.lua:3: 'c' needs 'a': unknown parameter 'tt'; did you mean 't'?",
        "commands.lua:3: 'c' needs 'aa', which is not defined; did you mean 'a'?",
        "commands.lua:4: the needs of 'd' form a cycle: d -> e -> d",
      ])
    let forms = Folder(
      commands: """
        rac.command{name = "a", run = print, needs = {"b", target = "x"}}
        rac.command{name = "b", run = print, needs = {{"a", "c"}}}
        rac.command{name = "c", run = print, needs = {{target = "x"}}}
        rac.command{name = "d", run = print, needs = 5}
        """)
    #expect(
      await raclette("check", in: forms).lines == [
        "commands.lua:1: field 'needs' has 'target' outside a need: "
          + #"{{"name", target = …}} gives it to one"#,
        "commands.lua:2: field 'needs'[1] has one name, and parameters by their names",
        "commands.lua:3: field 'needs'[1] must be a name, got nil",
        "commands.lua:4: field 'needs' must be a name or a list of names, got number",
      ])
  }

  @Test("are executed once in a batch for each input")
  func batch() async {
    let place = BatchFolder(
      Self.commands,
      plan: [
        #"{"command": "ship"}"#, #"{"command": "ship", "input": {"kind": "debug"}}"#,
        #"{"command": "pack"}"#, #"{"command": "ship", "input": {"kind": "none"}}"#,
        #"{"command": "ship", "input": {"kind": "bad"}}"#, #"{"command": "ship"}"#,
      ])
    let outcome = await place.batch("plan.jsonl", "-j2")
    #expect(
      outcome.lines.sorted() == [
        "build debug", "build release", "lint", "pack", "ship debug", "ship none", "ship release",
        "ship release",
      ])
    #expect(outcome.errors.contains("'ship' needs 'build': parameter 'target' cannot be 'bad'"))
    #expect(outcome.errors.contains("6 entries in"))
    #expect(outcome.status == 1)
  }

  @Test("are executed once in a batch, also for what the work of entries executes")
  func batchOfLua() async {
    let place = BatchFolder(
      """
      rac.command{name = "fetch", run = function() rac.sleep(0.01) print("fetched") end}
      rac.command{name = "build", needs = "fetch", concurrency = 9, run = function() return "built" end}
      rac.command{name = "outer", concurrency = 9, run = function() return rac.commands.build:execute() end}
      """,
      plan: ["outer", "build", "outer", "build"].map { #"{"command": "\#($0)"}"# })
    for jobs in ["1", "4"] {
      let outcome = await place.batch("plan.jsonl", "-j", jobs)
      #expect(outcome.lines.sorted() == ["built", "built", "built", "built", "fetched"])
      #expect(outcome.errors.contains("4 completed"))
    }
  }
}
