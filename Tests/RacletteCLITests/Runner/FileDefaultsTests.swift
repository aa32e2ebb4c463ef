import Testing

/// `rac.defaults`, and the places of definitions that functions make.
@Suite("What a file says for all its commands", .timeLimit(.minutes(5)))
struct FileDefaultsTests {
  @Test("holds for the commands below it that do not say otherwise")
  func defaults() async {
    let folder = Folder([
      ".env": "FILED=filed\n", "other.env": "FILED=other\n", "sub/x": "",
      "commands.lua": #"""
      local line = 'echo "${BASH##*/} ${PWD##*/} ${FILED-} ${A-} ${B-}"; if test -t 1; then echo tty; fi'
      rac.command{name = "above", run = line}
      rac.defaults{env_file = ".env", shell = {"bash", "-euo", "pipefail", "-c"}}
      rac.defaults{cwd = "sub", env = {A = "1"}}
      rac.command{name = "all", run = line}
      rac.command{name = "own", env = {B = 2}, env_file = "other.env", cwd = ".", run = line}
      rac.command{name = "without", env = {A = false}, env_file = false, cwd = false, shell = false, run = line}
      rac.defaults{tty = true, env = false, env_file = false}
      rac.command{name = "tty", run = line}
      rac.command{name = "no-tty", tty = false, run = line}
      """#,
    ])
    #expect(await raclette("above", in: folder).output == " \(folder.name)   \n")
    #expect(await raclette("all", in: folder).output == "bash sub filed 1 \n")
    #expect(await raclette("own", in: folder).output == "bash \(folder.name) other 1 2\n")
    #expect(await raclette("without", in: folder).output == " \(folder.name)   \n")
    #expect(await raclette("tty", in: folder).lines == ["bash sub   ", "tty"])
    #expect(await raclette("no-tty", in: folder).output == "bash sub   \n")
  }

  @Test("does not hold in files that it includes, nor do theirs in it")
  func files() async {
    let folder = Folder([
      "commands.lua": """
      rac.defaults{env = {A = "outer"}}
      rac.include("in", "in.lua")
      rac.command{name = "outer", run = "echo ${A-} ${B-}"}
      """,
      "in.lua": """
      rac.command{name = "before", run = "echo ${A-} ${B-}"}
      rac.defaults{env = {B = "inner"}}
      rac.command{name = "after", run = "echo ${A-} ${B-}"}
      """,
    ])
    #expect(await raclette("in:before", in: folder).output == "\n")
    #expect(await raclette("in:after", in: folder).output == "inner\n")
    #expect(await raclette("outer", in: folder).output == "outer\n")
  }

  @Test("is checked where it stands")
  func problems() async {
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.defaults{shel = {"bash"}, run = "x"}
        rac.defaults{shell = "bash"}
        rac.command{name = "it", run = "echo ran"}
        """)
    let check = await raclette("check", in: folder)
    #expect(
      check.output == """
        commands.lua:2: unknown key 'run'; the keys are concurrency, cwd, env, env_file, group, interactive, jobserver, os, replay, resources, retry, secrets, shell, timeout, tty, when_busy
        commands.lua:2: unknown key 'shel'; did you mean 'shell'?
        commands.lua:3: field 'shell' must be a list of words such as {"bash", "-euo", "pipefail", "-c"}

        """)
  }

  @Test("commands that functions define are where the file calls these")
  func places() async {
    let folder = Folder([
      "commands.lua": """
      local house = require "house"
      local function command(definition)
        return rac.command(definition)
      end
      command{name = "one", run = "echo one"}
      house.command{name = "two", run = "echo two"}
      for _, name in ipairs{"three", "four"} do
        command{name = name, run = "echo"}
      end
      require "more"
      """,
      "house.lua": """
      local house = {}
      function house.command(definition)
        local command = rac.command(definition)
        return command
      end
      return house
      """,
      "more.lua": """
      local rac = require "rac"
      rac.command{name = "five", run = "echo five"}
      """,
    ])
    for (name, place) in [
      ("one", "commands.lua:5"), ("two", "commands.lua:6"), ("four", "commands.lua:8"),
      ("five", "./more.lua:2"),
    ] {
      let show = await raclette("show", name, in: folder)
      #expect(show.output.contains("Defined: \(place)\n"), "\(show.output)")
    }
    folder.write(
      """
      local function command(definition)
        local made = rac.command(definition)
        return made
      end
      command{name = "one", run = "echo", need = "x"}
      """, to: "commands.lua")
    #expect(
      await raclette("check", in: folder).output
        == "commands.lua:5: unknown key 'need'; did you mean 'needs'?\n")
    #expect(
      await raclette("one", in: folder).errors.contains(
        "commands.lua:5: bad argument #1 to 'command' (unknown key 'need'; did you mean 'needs'?)"))
    folder.write(
      """
      local function command(definition)
        return (rac.command(definition))
      end
      command{name = "one", run = "echo"}
      command{name = "one", run = "echo"}
      """, to: "commands.lua")
    #expect(
      await raclette("one", in: folder).errors
        == "raclette: error: commands.lua:5: command 'one' is defined at commands.lua:5 and at commands.lua:4\n"
    )
  }
}
