import Testing

@Suite("a precondition", .timeLimit(.minutes(5)))
struct PreconditionTests {
  private static let commands = """
    local clean = false
    rac.command{name = "fetch", run = "echo fetched"}
    rac.command{name = "other", run = "echo other"}
    rac.command{name = "release", needs = {"fetch"}, run = "echo released",
      precondition = function() return false, "the tree is not clean" end}
    rac.command{name = "publish", needs = {"release", "other"}, run = "echo published"}
    rac.command{name = "user", needs = {"fetch"}, run = "echo used"}
    rac.command{name = "holds", needs = {"fetch"}, run = "echo held", precondition = function()
      rac.sleep(0.01)
      return rac.sh("echo yes"):first() == "yes"
    end}
    rac.command{name = "signal", needs = {"fetch"}, run = "echo sent", precondition = rac.timer(0.01):map_replace(true)}
    rac.command{name = "not", needs = {"fetch"}, run = print, precondition = rac.just(false)}
    rac.command{name = "odd", needs = {"fetch"}, run = print, precondition = function() return 5 end}
    rac.command{name = "fails", needs = {"fetch"}, run = print, precondition = function() error("oops", 0) end}
    rac.command{name = "never", needs = {"fetch"}, run = print, precondition = rac.never()}
    rac.command{name = "outer", run = function() return rac.commands.release:execute() end}
    """
  private let folder = Folder(commands: PreconditionTests.commands)

  @Test(
    "that does not hold keeps everything from being executed, with its reason",
    arguments: [
      ("release", "the tree is not clean"), ("not", "its precondition is false"),
      ("odd", "its precondition returned a number, not a boolean"),
      ("fails", "its precondition fails: oops"),
      ("never", "its precondition sent no value, and nothing remains that could make it do so"),
    ])
  func refuses(name: String, reason: String) async {
    let run = await raclette("run", name, in: folder)
    #expect(run.output == "")
    #expect(run.errors == "raclette: error: the command '\(name)' is not enabled: \(reason)\n")
    #expect(run.status == 75)
  }

  @Test("is asked before what is needed is executed", arguments: ["holds", "signal"])
  func holds(name: String) async {
    let run = await raclette("run", name, in: folder)
    #expect(run.lines.first == "fetched" && run.lines.count == 2)
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("refuses what needs its command, and nothing else")
  func users() async {
    let run = await raclette("run", "publish", ":::", "user", in: folder)
    #expect(run.lines == ["fetched", "used"])
    #expect(
      run.errors == """
        raclette: error: the command 'release' is not enabled: the tree is not clean
        raclette: not executed: publish

        """)
    #expect(run.status == 75)
  }

  @Test("is asked of what Lua executes")
  func nested() async {
    let run = await raclette("run", "outer", in: folder)
    #expect(run.output == "")
    #expect(run.errors.contains("the command 'release' is not enabled: the tree is not clean"))
    #expect(run.status == 75)
  }

  @Test("shows in the plan")
  func plan() async {
    #expect(
      await raclette("-n", "release", in: folder).lines == [
        "  1. fetch", "     $ echo fetched",
        "  2. release  after fetch; not enabled: the tree is not clean", "     $ echo released",
      ])
    #expect(
      await raclette("-n", "holds", in: folder).lines.contains(
        "  2. holds  after fetch; if its precondition holds, which needs a process"))
    #expect(
      await raclette("-n", "--json", "not", in: folder).output.contains(
        #""enabled":false,"reason":"its precondition is false""#))
  }

  @Test("fails an entry of a batch before anything is executed for it")
  func batch() async {
    let place = BatchFolder(
      Self.commands,
      plan: [#"{"command": "release"}"#, #"{"command": "holds"}"#, #"{"command": "holds"}"#])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.lines == ["fetched", "held", "held"])
    #expect(outcome.errors.contains("the command 'release' is not enabled: the tree is not clean"))
    #expect(outcome.status == 1)
    let alone = BatchFolder(Self.commands, plan: [#"{"command": "release"}"#])
    #expect(await alone.batch("plan.jsonl").output == "")
  }

  @Test("is checked")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = print, precondition = true}
        """)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:1: field 'precondition' must be a signal or a function, got boolean; "
          + "precondition = rac.just(true) never changes"
      ])
  }
}
