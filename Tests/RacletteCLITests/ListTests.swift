import Testing

@Suite("raclette list", .timeLimit(.minutes(5)))
struct ListTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "deploy", group = "release", summary = "Ship it", enabled = rac.just(false),
        params = {{name = "to", required = true}, {name = "tag"}}, run = print}
      rac.command{name = "build", summary = "Compile", aliases = {"b"}, run = print}
      rac.command{name = "secret", private = true, run = print}
      rac.command{name = "publish", group = "release", enabled = function() return false end,
        run = print}
      rac.command{name = "clean", run = print}
      """)

  @Test("shows commands by group, aligned, with what keeps them from running now")
  func text() async {
    let run = await raclette("list", in: folder)
    #expect(
      run.output == """
          build              Compile  (also b)
          clean

        release:
          deploy <to> [tag]  Ship it  (not enabled: its condition is false)
          publish            (not enabled: its condition is false)

        """)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("--json says the same to programs")
  func json() async {
    let run = await raclette("list", "--json", in: folder)
    #expect(
      run.output == """
        [{"name":"deploy","summary":"Ship it","group":"release","position":"commands.lua:1",\
        "enabled":false,"reason":"its condition is false","params":[\
        {"name":"to","type":"string","required":true},{"name":"tag","type":"string","required":false}]},\
        {"name":"build","summary":"Compile","aliases":["b"],"position":"commands.lua:3","enabled":true,\
        "params":[]},\
        {"name":"publish","group":"release","position":"commands.lua:5","enabled":false,\
        "reason":"its condition is false","params":[]},\
        {"name":"clean","position":"commands.lua:7","enabled":true,"params":[]}]

        """)
  }

  @Test("colours headings and marks on demand only")
  func color() async {
    let plain = await raclette("list", in: folder, environment: ["NO_COLOR": "1"])
    #expect(!plain.output.contains("\u{1B}"))
    let forced = await raclette("list", in: folder, environment: ["FORCE_COLOR": "1"])
    #expect(forced.output.contains("\u{1B}[1mrelease:\u{1B}[0m"))
    let never = await raclette(
      "--color", "never", "list", in: folder, environment: ["FORCE_COLOR": "1"])
    #expect(never.output == plain.output)
  }

  @Test("a condition that fails is told, and the command counts as not enabled")
  func failingCondition() async {
    let folder = Folder(
      commands: "rac.command{name = 'odd', enabled = function() error('what') end, run = print}")
    let run = await raclette("list", in: folder)
    #expect(run.output == "  odd  (not enabled: its condition fails: commands.lua:1: what)\n")
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("says so when the file defines none")
  func none() async {
    let run = await raclette("list", in: Folder(commands: ""))
    #expect(run.output == "")
    #expect(run.errors == "raclette: commands.lua defines no commands\n")
    #expect(run.status == 0)
    #expect(await raclette("list", "--json", in: Folder(commands: "")).output == "[]\n")
  }
}
