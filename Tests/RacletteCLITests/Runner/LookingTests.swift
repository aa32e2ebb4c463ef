import Testing

@Suite("looking without executing", .timeLimit(.minutes(5)))
struct LookingTests {
  private let folder = Folder([
    "commands.lua": """
    rac.command{name = "fetch", run = function() os.execute("touch executed") end}
    rac.command{
      name = "build", summary = "Compile", description = "At length.", needs = {"fetch"},
      params = {{name = "level", type = "number", default = 1.5}},
      timeout = 30, retry = {times = 2, delay = 1}, when_busy = "queue",
      run = function() return rac.sh("touch executed") end,
    }
    rac.command{name = "deploy", needs = {"build"}, enabled = rac.just(false), run = print}
    local signal = rac.sh("touch executed")
    rac.commands.build:execute{level = 1}
    """
  ])

  private func expectNothing() {
    #expect(!Folder.isThere(folder["executed"]))
  }

  @Test("--dry-run shows the steps in order, with conditions, policies and needs")
  func dryRun() async {
    let run = await raclette("run", "--dry-run", "deploy", ":::", "build", "2", in: folder)
    #expect(
      run.output == """
          1. fetch
          2. build level=1.5  after fetch; queues when busy; timeout 30 s; up to 2 retries after 1 s
          3. deploy           after build; not enabled: its condition is false
          4. build level=2    after fetch; queues when busy; timeout 30 s; up to 2 retries after 1 s

        """)
    #expect(run.status == 0)
    expectNothing()
  }

  @Test("--dry-run --json shows the same to programs")
  func dryRunJSON() async {
    let run = await raclette("run", "-n", "--json", "deploy", in: folder)
    #expect(run.output.hasPrefix(#"[{"command":"fetch","input":{},"needs":[],"requested":false,"#))
    #expect(run.output.contains(#""enabled":false,"reason":"its condition is false""#))
    expectNothing()
  }

  @Test("show tells all about a command")
  func show() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = print}
        rac.command{name = "b", summary = "Works", group = "g", needs = {"a"}, cwd = "x",
          concurrency = 2, timeout = 5, run = print}
        """)
    let run = await raclette("show", "b", in: folder)
    #expect(
      run.output == """
        b: Works

        Usage: raclette run b

        Group:   g
        Needs:   a
        Enabled: yes
        Policy:  concurrency 2; timeout 5 s
        Folder:  x
        Defined: commands.lua:2

        """)
    let json = await raclette("show", "--json", "b", in: folder)
    #expect(json.output.contains(#""needs":["a"],"interactive":false,"concurrency":2,"#))
    let unknown = await raclette("show", "bb", in: folder)
    #expect(unknown.errors.hasSuffix("unknown command 'bb' in commands.lua; did you mean 'b'?\n"))
    #expect(unknown.status == 2)
  }

  @Test("list --json has defaults of their own type")
  func defaults() async {
    let run = await raclette(
      "list", "--json",
      in: Folder([
        "commands.lua": """
        rac.command{name = "a", run = print, params = {{name = "n", type = "number", default = 1.5}}}
        """
      ]))
    #expect(run.output.contains(#""default":1.5"#))
  }

  @Test(
    "a file with nothing but anonymous commands is told so",
    arguments: [
      "rac.command(function() return rac.empty() end)", #"build = rac.command{run = "make"}"#,
    ])
  func anonymous(definition: String) async {
    let folder = Folder(commands: "\n\(definition)")
    #expect(
      await raclette("list", in: folder).errors
        == "raclette: commands.lua defines no commands by name: the one at commands.lua:2 has none\n"
    )
    #expect(
      await raclette("check", in: folder).errors
        == "raclette: commands.lua: 0 commands by name: the one at commands.lua:2 has none, no problems\n"
    )
    #expect(
      await raclette("build", in: folder).errors
        == "raclette: error: unknown command 'build' in commands.lua; the command at commands.lua:2 "
        + "has no name: name = …\n")
    folder.write("rac.command{name = 'test', run = 'true'}\n\(definition)", to: "commands.lua")
    #expect(
      await raclette("build", in: folder).errors
        == "raclette: error: unknown command 'build' in commands.lua\n")
  }

  @Test("check finds nothing wrong with what is right, and executes nothing")
  func checkGood() async {
    let run = await raclette("check", in: folder)
    #expect(run.output == "")
    #expect(run.errors == "raclette: commands.lua: 3 commands, no problems\n")
    #expect(run.status == 0)
    expectNothing()
  }

  @Test("check reports every problem with its place")
  func checkBad() async {
    let folder = Folder([
      "a.lua": """
      rac.command{nmae = "x", run = print}
      rac.command{name = "a", timeout = "soon", run = print}
      rac.command{name = "b", run = print, params = {{name = "p", tpye = "number"}}}
      rac.command{name = "c", needs = {"e", "dd"}, run = print, concurency = 2}
      rac.command{name = "dad", needs = {"c"}, run = print}
      rac.command{name = "e", needs = {"dad"}, run = print}
      rac.command{name = "e", run = print}
      local x = nil + 1
      """,
      "b.lua": "rac.command{name = = 1}", "c.lua/x": "",
    ])
    let run = await raclette("check", "a.lua", "b.lua", "c.lua", "none.lua", in: folder)
    #expect(
      run.lines == [
        "a.lua:1: unknown key 'nmae'; did you mean 'name'?",
        #"a.lua:2: field 'timeout' must be a number of seconds from 0 up, or a text such as "30s""#,
        "a.lua:3: params[1] has an unknown key 'tpye'; did you mean 'type'?",
        "a.lua:4: unknown key 'concurency'; did you mean 'concurrency'?",
        "a.lua:7: command 'e' is defined at a.lua:7 and at a.lua:6",
        "a.lua:8: attempt to perform arithmetic on a nil value",
        "a.lua:4: 'c' needs 'dd', which is not defined; did you mean 'dad'?",
        "a.lua:4: the needs of 'c' form a cycle: c -> e -> dad -> c",
        "b.lua:1: unexpected symbol near '='", "c.lua: is a directory",
        "none.lua: no such file or directory",
      ])
    #expect(run.status == 3)
  }

  @Test("init writes files that work, and leaves those that are there")
  func initialize() async {
    let folder = Folder()
    let first = await raclette("init", in: folder)
    #expect(first.status == 0)
    #expect(await raclette("check", in: folder).status == 0)
    #expect(await raclette("run", "hello", "you", in: folder).output == "hello, you\n")
    #expect(
      await shell("git init -q; git status --short -uall .raclette", in: folder).output == "")
    #expect(Folder.isThere(folder[".raclette/library/rac.lua"]))
    folder.write("-- mine", to: "commands.lua")
    let second = await raclette("init", in: folder)
    #expect(second.errors.contains("commands.lua already exists and is left unchanged"))
    #expect(await raclette("list", in: folder).output == "")
  }

  @Test("init leaves nothing behind when the last file cannot be put in its place")
  func failedInitialize() async {
    let folder = Folder()
    folder.makeFolder(".raclette/library/rac.lua")
    let run = await raclette("init", in: folder)
    #expect(run.status != 0)
    #expect(run.errors.contains("cannot write .raclette/library/rac.lua: "), "\(run)")
    #expect(!run.errors.contains("wrote"), "\(run)")
    let left = await shell("find . -mindepth 1 -not -path './.bin*' | sort", in: folder)
    #expect(left.lines == ["./.raclette", "./.raclette/library", "./.raclette/library/rac.lua"])
  }

  @Test("the manual page names every verb and option")
  func manual() async {
    let page = await raclette("man").output
    #expect(page.hasPrefix(".TH RACLETTE 1"))
    let overview = await raclette("help").output
    let verbs = overview.split(separator: "\n").drop { $0 != "Subcommands:" }.dropFirst()
      .prefix { $0.hasPrefix("  ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(verbs.contains("run") && verbs.contains("batch"))
    for verb in verbs {
      #expect(page.contains("raclette \(verb == "run" ? verb : ":\(verb)")"), "\(verb)")
      let help = await raclette("help", verb).output
      for option in help.split(whereSeparator: { " \n,[]".contains($0) })
      where option.hasPrefix("--") {
        #expect(page.contains(option.replacing("-", with: "\\-")), "\(verb) \(option)")
      }
    }
  }
}
