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
        "commands.lua:14: field 'run' names no program; is 'text' a string without quotes?",
        "commands.lua:1: 'name' is nil: is 'build' a string without quotes?",
        "commands.lua:5: 'enabled' is nil, which is not a condition; 'function() return rac.env.NO_SUCH_VARIABLE ~= nil end' asks each time",
        "commands.lua:5: 'precondition' is nil, which is not a condition; "
          + "'function() return rac.which(\"no-such-program\") ~= nil end' asks each time",
        "commands.lua:7: 'enabled' is nil, which is not a condition: no variable 'condition' is "
          + "set",
        "commands.lua:7: 'needs' is nil: is 'a' a string without quotes?",
        "commands.lua:8: 'needs[1]' is nil: is 'a' a string without quotes?",
        "commands.lua:8: 'aliases[2]' is nil: is 'y' a string without quotes?",
        "commands.lua:10: 'run[2]' is nil: is 'text' a string without quotes?",
        "commands.lua:10: 'env.TEXT' is nil: is 'text' a string without quotes?",
        "commands.lua:11: 'params[1].default' is nil: is 'five' a string without quotes?",
        "commands.lua:12: 'group' is nil: is 'tools' a string without quotes?",
        "commands.lua:15: 'enabled' is nil, which is not a condition; "
          + "'function() return (rac.env.NO_SUCH_VARIABLE or os.getenv(\"NO_SUCH\")) ~= nil end' asks each time",
      ])
    #expect(run.status == 3)
  }

  @Test("fields that are refused, in a run too")
  func refusedFields() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = build}
        rac.command{name = "b", run = "true", params = {{name = target}}}
        rac.command{name = "c", run = "true", sources = {src}, outputs = {(out)}}
        rac.command{name = "d", steps = {{program}}}
        rac.command{name = "e", run = "true", enabled = (rac.env.NO_SUCH)}
        local later rac.command{name = "f", run = later}
        rac.command{name = "g"}
        """)
    let check = await raclette("check", in: folder)
    let hint = { (name: String) in "; is '\(name)' a string without quotes?" }
    let files = "must be a pattern, a list of patterns or a function, got an empty list"
    let work = "field 'run' must be a function, a line for the shell or a list of words, got nil"
    #expect(
      check.lines == [
        "commands.lua:1: \(work)" + hint("build"),
        "commands.lua:2: params[1] needs a name" + hint("target"),
        "commands.lua:3: field 'sources' \(files)" + hint("src"),
        "commands.lua:3: field 'outputs' \(files)" + hint("out"),
        "commands.lua:4: steps[1] names no program" + hint("program"),
        "commands.lua:6: \(work)", "commands.lua:7: \(work)",
        "commands.lua:5: 'enabled' is nil, which is not a condition; 'function() return rac.env.NO_SUCH ~= nil end' asks each time",
      ], "\(check)")
    let run = await raclette("a", in: folder)
    #expect(run.errors.contains("commands.lua:1: "), "\(run)")
    #expect(run.errors.contains(work + hint("build")) && run.status == 3, "\(run)")
  }

  @Test(
    "and nothing where a file that is not there may set the name",
    arguments: [
      #"pcall(require, "personal")"#, #"pcall(function() require "personal" end)"#,
      #"rac.include(nil, "personal.lua", {optional = true})"#,
      #"if rac.env.NO_SUCH then rac.include(nil, "personal.lua") end"#,
      #"if rac.env.NO_SUCH then require("personal") end"#,
      #"local name = "personal" pcall(require, name)"#,
      #"local use = require pcall(use, "personal")"#,
    ])
  func optionalFiles(line: String) async {
    let folder = Folder(
      commands: """
        \(line)
        rac.command{name = "a", run = "true", timeout = my_timeout, env = {X = my_x}, enabled = my_condition}
        """)
    let without = await raclette("check", in: folder)
    #expect(without.output == "" && without.status == 0, "\(without)")
    #expect(without.errors == "raclette: commands.lua: 1 command, no problems\n")
  }

  @Test("with all files there, a name that none sets is a mistake")
  func readFiles() async {
    let folder = Folder([
      "commands.lua": """
      require "settings"
      rac.include(nil, "more/own.lua", {optional = true})
      rac.command{name = "a", run = "true", timeout = my_timeout, group = other, summary = text}
      """, "settings.lua": "my_timeout = nil",
      "more/own.lua": "if rac.env.NO_SUCH then text = 'x' end",
    ])
    let check = await raclette("check", in: folder)
    #expect(
      check.output == "commands.lua:3: 'group' is nil: is 'other' a string without quotes?\n",
      "\(check)")
    #expect(check.status == 1)
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
