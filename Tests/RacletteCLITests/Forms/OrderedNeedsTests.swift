import Testing

@Suite("needs in order", .timeLimit(.minutes(5)))
struct OrderedNeedsTests {
  private let folder = Folder(
    commands: #"""
      local function step(name, needs, more)
        local t = {name = name, needs = needs, run = "sleep 0.0" .. #name .. "; echo " .. name}
        for k, v in pairs(more or {}) do t[k] = v end
        rac.command(t)
      end
      step("install") step("db") step("migrate", "db") step("x")
      step("setup", {"install", "migrate", "x", in_order = true})
      step("other", "db")
      step("all", {"other", "setup"})
      step("broken", nil, {run = "exit 4"})
      step("stop", {"broken", "migrate", in_order = true})
      step("asked", function() return {"x", "db", in_order = true} end)
      step("nested", {"setup", "y", in_order = true}) step("y")
      step("own", {"migrate", "db", in_order = true})
      rac.command{name = "lua", params = {}, run = function()
        return rac.merge(rac.commands.setup:execute(), rac.commands.asked:execute())
      end}
      rac.commands.db.execution_signals:flatten():subscribe(print)
      """#)

  @Test(
    "are executed one after the other, with what each needs",
    arguments: [
      ("setup", ["install", "db", "migrate", "x", "setup"]),
      ("asked", ["x", "db", "asked"]),
      ("nested", ["install", "db", "migrate", "x", "setup", "y", "nested"]),
      // What another need wants as well waits, too.
      ("all", ["install", "db", "other", "migrate", "x", "setup", "all"]),
      // What comes before anyway stays there.
      ("own", ["db", "migrate", "own"]),
    ])
  func order(name: String, expected: [String]) async {
    let run = await raclette("-j", "8", name, in: folder)
    #expect(run.errors == "" && run.status == 0, "\(run)")
    let lines = run.lines.enumerated().filter { index, line in
      line != "db" || index == run.lines.firstIndex(of: "db")
    }.map(\.element)
    if name == "all" {
      #expect(lines.filter { $0 != "other" } == expected.filter { $0 != "other" }, "\(run)")
    } else {
      #expect(lines == expected, "\(run)")
    }
  }

  @Test("stop at the first failure", arguments: [[], ["-k"]])
  func failure(options: [String]) async {
    let run = await onThread { [folder] in
      Running(Launch(arguments: options + ["stop"], folder: folder.path)).finish()
    }
    #expect(run.output == "" && run.status == 4)
    #expect(
      run.errors.firstMatch(of: /not executed: (.*)/)?.1.split(separator: ", ").sorted()
        == ["db", "migrate", "stop"], "\(run)")
    #expect(run.errorLines.last == "raclette: error: broken: 'exit 4' exited with status 4")
  }

  @Test("show in the plan and in what tells of the command")
  func shown() async {
    let plan = await raclette("-n", "setup", in: folder)
    #expect(
      plan.lines.filter { !$0.hasPrefix("     ") } == [
        "  1. install", "  2. db       after install", "  3. migrate  after db",
        "  4. x        after migrate", "  5. setup    after install, migrate, x",
      ], "\(plan)")
    #expect(
      await raclette("show", "setup", in: folder).output.contains(
        "Needs:   install, migrate, x, in order\n"))
    let json = await raclette("show", "--json", "setup", in: folder)
    #expect(
      json.output.contains(#""needs":["install","migrate","x"],"needs_in_order":true"#), "\(json)")
  }

  @Test("hold in batches and for executions that Lua starts")
  func elsewhere() async {
    folder.write("{\"command\": \"setup\"}\n", to: "plan.jsonl")
    let batch = await raclette("batch", "plan.jsonl", in: folder)
    #expect(
      batch.lines.filter { $0 != "db" } == ["install", "migrate", "x", "setup"], "\(batch)")
    folder.write("{\"command\": \"stop\"}\n", to: "plan.jsonl")
    let stopped = await raclette("batch", "plan.jsonl", in: folder)
    #expect(stopped.output == "" && stopped.status == 1, "\(stopped)")
    let lua = await raclette("lua", in: folder)
    #expect(lua.status == 0 && lua.lines.suffix(2).sorted() != [], "\(lua)")
  }

  @Test("come after what the user, or an outer order, has put before them")
  func outerOrder() async {
    let folder = Folder(
      commands: """
        rac.command{name = "build", run = "echo build"}
        rac.command{name = "test", needs = {"build"}, run = "echo test; exit 4"}
        rac.command{name = "tag", run = "echo tag"}
        rac.command{name = "release", needs = {"tag", "build", in_order = true}, run = "echo release"}
        rac.command{name = "ship", needs = {"test", "release", in_order = true}, run = "echo ship"}
        rac.command{name = "asked", needs = function()
          return {"test", "release", in_order = true}
        end}
        """)
    for words in [["test", "::", "release"], ["ship"], ["asked"]] {
      let run = await onThread {
        Running(Launch(arguments: words, folder: folder.path)).finish()
      }
      #expect(run.output == "build\ntest\n" && run.status == 4, "\(run)")
    }
    #expect(await raclette("release", in: folder).output == "tag\nbuild\nrelease\n")
    // The order that a user names first holds.
    let other = await raclette("-k", "release", "::", "test", in: folder)
    #expect(other.output == "tag\nbuild\nrelease\ntest\n", "\(other)")
  }

  @Test("are checked")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = "true"}
        rac.command{name = "b", needs = {"a", in_order = 1}}
        rac.command{name = "c", needs = {"a", in_ordr = true}}
        """)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:2: 'in_order' of field 'needs' must be a boolean, got number",
        "commands.lua:3: field 'needs' has 'in_ordr' outside a need: "
          + "{{\"name\", in_ordr = …}} gives it to one",
      ])
  }
}
