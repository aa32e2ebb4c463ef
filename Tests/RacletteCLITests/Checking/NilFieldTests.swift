import Testing

@Suite("check reports what is written in a definition and is nil", .timeLimit(.minutes(5)))
struct NilFieldTests {
  @Test("names without quotes, and conditions")
  func problems() async {
    let folder = Folder(
      commands: """
        rac.command{name = build, run = "true"}
        local none, settings = nil, {}
        rac.command{
          name = "a", run = "true",
          enabled = rac.env.NO_SUCH_VARIABLE, precondition = rac.which("no-such-program"),
        }
        rac.command{name = "b", run = "true", enabled = condition, needs = a}
        rac.command{name = "c", run = "true", needs = {a}, aliases = {"x", y}}
        local command = rac.command
        command {name = "d", run = {"echo", text}, env = {TEXT = text},
          params = {{name = "n", default = five}}}
        for i = 1, 2 do rac.command{name = "loop" .. i, run = "true", group = tools} end
        rac.command{name = names and names.e or nil, run = "true", needs = none, group = settings.group}
        rac.command{name = "e", run = {text}}
        rac.command{name = "f", run = "true", enabled = rac.env.NO_SUCH_VARIABLE or os.getenv("NO_SUCH")}
        """)
    let run = await raclette("check", in: folder)
    #expect(
      run.lines == [
        "commands.lua:14: field 'run' names no program",
        "commands.lua:1: 'name' is nil: is 'build' a text without quotes?",
        "commands.lua:5: 'enabled' is nil, which is no condition; 'function() return rac.env.NO_SUCH_VARIABLE ~= nil end' asks each time",
        "commands.lua:5: 'precondition' is nil, which is no condition; "
          + "'function() return rac.which(\"no-such-program\") ~= nil end' asks each time",
        "commands.lua:7: 'enabled' is nil, which is no condition: no variable 'condition' is set",
        "commands.lua:7: 'needs' is nil: is 'a' a text without quotes?",
        "commands.lua:8: 'needs[1]' is nil: is 'a' a text without quotes?",
        "commands.lua:8: 'aliases[2]' is nil: is 'y' a text without quotes?",
        "commands.lua:10: 'run[2]' is nil: is 'text' a text without quotes?",
        "commands.lua:10: 'env.TEXT' is nil: is 'text' a text without quotes?",
        "commands.lua:11: 'params[1].default' is nil: is 'five' a text without quotes?",
        "commands.lua:12: 'group' is nil: is 'tools' a text without quotes?",
        "commands.lua:15: 'enabled' is nil, which is no condition; "
          + "'function() return (rac.env.NO_SUCH_VARIABLE or os.getenv(\"NO_SUCH\")) ~= nil end' asks each time",
      ])
    #expect(run.status == 3)
  }

  @Test("and nothing where the text or a function leaves it open")
  func silent() async {
    let folder = Folder(
      commands: """
        local function define(name, needs, options)
          rac.command{name = name, needs = needs, enabled = options.enabled, run = "true"}
        end
        define("a", nil, {})
        for _, options in ipairs{{name = "b"}, {name = "c", needs = "a"}} do
          rac.command{name = options.name, needs = options.needs, run = "true"}
        end
        rac.command{name = "d", summary = nil, enabled = nil, timeout = rac.env.NO_SUCH and 10,
          aliases = {table.unpack{}}, run = function() return nothing end}
        rac.command{name = "e", run = "true"} rac.command{name = "f", run = "true", group = tools}
        """)
    let run = await raclette("check", in: folder)
    #expect(run.output == "")
    #expect(run.errors == "raclette: commands.lua: 6 commands, no problems\n")
  }
}
