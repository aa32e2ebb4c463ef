import Platform
import Testing

@Suite("what is up to date: a command that names nothing that it reads", .timeLimit(.minutes(5)))
struct ImpliedSourceTests {
  private static let commands = """
    rac.command{name = "gen", sources = "in", outputs = "mid", run = "cp in mid"}
    rac.command{name = "pack", needs = "gen", outputs = "out", run = "cp mid out"}
    """

  /// The commands whose programs a call has executed, in order.
  private func executed(_ words: String, in folder: Folder) async -> [String] {
    let run = await shell("raclette run -v \(words)", in: folder)
    #expect(run.status == 0, "\(run)")
    return run.notes.filter { $0.contains(": $ ") }.map { String($0.prefix { $0.isLetter }) }
  }

  @Test("depends on what its needs make")
  func content() async {
    let folder = Folder(["commands.lua": Self.commands, "in": "1"])
    #expect(await executed("pack", in: folder) == ["gen", "pack"])
    #expect(await executed("pack", in: folder) == [])
    folder.write("2", to: "in")
    #expect(await executed("pack", in: folder) == ["gen", "pack"])
    #expect(lines(of: folder["out"]) == ["2"])
    // In another run, and without needs.
    folder.write("3", to: "in")
    #expect(await executed("gen", in: folder) == ["gen"])
    let explained = await raclette("explain", "pack", in: folder)
    #expect(
      explained.output == "gen: up to date\npack: not up to date\n  the source 'mid' has changed\n")
    #expect(await executed("--no-deps pack", in: folder) == ["pack"])
    #expect(lines(of: folder["out"]) == ["3"])
    // The need makes the same again.
    folder.remove("mid")
    #expect(await executed("pack", in: folder) == ["gen"])
    folder.remove("mid")
    let alone = await raclette("run", "--no-deps", "pack", in: folder)
    #expect(alone.status == 1 && !alone.errors.contains("warning"), "\(alone)")
  }

  @Test("on what needs of needs make where those between make nothing, and on outputs of an input")
  func indirect() async {
    let folder = Folder([
      "in": "1",
      "commands.lua": """
      rac.command{name = "gen", params = {{name = "to"}}, sources = "in", run = 'cp in "$to"',
        outputs = function(input) return input.to end}
      rac.command{name = "test", needs = {{"gen", to = "b"}}, sources = "in", run = "true"}
      rac.command{name = "all", needs = {{"gen", to = "a"}, "test"}}
      rac.command{name = "pack", needs = "all", outputs = "out", run = "cat a b >out"}
      """,
    ])
    #expect(await executed("-j1 pack", in: folder) == ["gen", "gen", "test", "pack"])
    #expect(await executed("pack", in: folder) == [])
    for name in ["a", "b"] {
      folder.write("other", to: name)
      #expect(await raclette("run", "--no-deps", "pack", in: folder).errors == "")
      #expect(await executed("--no-deps pack", in: folder) == [])
    }
    #expect(lines(of: folder["out"]) == ["otherother"])
  }

  @Test("on each output of a need, also where another need leaves such files out of its own")
  func excluded() async {
    let folder = Folder([
      "d.in": "1", "s.in": "1",
      "commands.lua": """
      rac.command{name = "docs", sources = "d.in", outputs = {"out/*.txt"},
        run = "mkdir -p out; cp d.in out/readme.txt"}
      rac.command{name = "site", sources = "s.in", outputs = {"out/*.md", "!out/readme.*"},
        run = "mkdir -p out; cp s.in out/index.md"}
      rac.command{name = "pack", needs = {"docs", "site"}, outputs = "pack",
        run = "cat out/readme.txt out/index.md >pack"}
      """,
    ])
    #expect(await executed("-j1 pack", in: folder) == ["docs", "site", "pack"])
    #expect(await executed("pack", in: folder) == [])
    folder.write("2", to: "d.in")
    #expect(await executed("pack", in: folder) == ["docs", "pack"])
    #expect(lines(of: folder["pack"]) == ["21"])
  }

  @Test("on what is made behind a chain of many needs")
  func longChain() async {
    let folder = Folder([
      "in": "1",
      "commands.lua": """
      rac.command{name = "c0", sources = "in", outputs = "mid", run = "cp in mid"}
      for n = 1, 1100 do rac.command{name = "c" .. n, needs = "c" .. n - 1} end
      rac.command{name = "pack", needs = "c1100", outputs = "out", run = "cp mid out"}
      """,
    ])
    #expect(await executed("pack", in: folder) == ["c", "pack"])
    folder.write("2", to: "in")
    #expect(await executed("pack", in: folder) == ["c", "pack"])
    #expect(lines(of: folder["out"]) == ["2"])
  }

  @Test("'list' asks each command for its own needs only, however many these need in turn")
  func chain() async {
    let folder = Folder([
      "commands.lua": """
      local asked = 0
      for n = 1, 20 do
        rac.command{name = "c" .. n, outputs = "o" .. n, run = "true", needs = function()
          asked = asked + 1
          io.open("asked", "w"):write(asked):close()
          return n > 1 and {"c" .. n - 1} or {}
        end}
      end
      """
    ])
    #expect(await raclette("list", in: folder).status == 0)
    let asked = Int(lines(of: folder["asked"]).first ?? "") ?? 0
    #expect(asked > 0 && asked < 100, "\(asked)")
  }

  @Test("and before the first execution, 'explain' says that these do not exist")
  func explained() async {
    let folder = Folder(["commands.lua": Self.commands, "in": "1"])
    folder.write(
      Self.commands.replacing(#"outputs = "mid""#, with: #"outputs = "mi*""#), to: "commands.lua")
    #expect(
      await raclette("explain", "pack", in: folder).output == """
        gen: not up to date
          it was not executed with this input yet
        pack: not up to date
          it was not executed with this input yet
          the outputs of its needs do not exist yet

        """)
  }

  @Test(
    "and not where the definition tells what it reads",
    arguments: [#"sources = "own""#, #"fingerprint = function() return 1 end"#, #"depfile = "d""#])
  func named(field: String) async {
    let folder = Folder(["in": "1", "own": "", "d": "out: own"])
    folder.write(
      Self.commands.replacing(#"needs = "gen","#, with: #"needs = "gen", \#(field),"#),
      to: "commands.lua")
    #expect(await executed("pack", in: folder) == ["gen", "pack"])
    folder.write("2", to: "in")
    #expect(await executed("pack", in: folder) == ["gen"])
  }

  @Test("a cached result of another input is not restored")
  func cached() async {
    let folder = Folder(["in": "1"])
    folder.write(
      Self.commands.replacing(#"needs = "gen","#, with: #"needs = "gen", cache = true,"#),
      to: "commands.lua")
    let run = await shell(
      """
      export XDG_CACHE_HOME=$PWD/cache
      raclette -q pack; rm -rf .raclette out mid; printf 2 >in; raclette -q pack; cat out; echo
      rm -rf .raclette out mid; printf 1 >in; raclette pack; cat out
      """, in: folder)
    #expect(run.output == "2\n1", "\(run)")
    #expect(
      run.errors.hasPrefix("raclette: pack is restored from the cache in place of "), "\(run)")
  }
}
