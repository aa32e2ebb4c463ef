import Platform
import Testing

@Suite("rac.include", .timeLimit(.minutes(5)))
struct IncludeTests {
  private let folder = Folder([
    "commands.lua": """
    rac.include("api", "services/api/commands.lua")
    rac.command{name = "all", summary = "Everything", needs = {"api:test"}, run = function()
      return rac.sh("pwd")
    end}
    rac.command{name = "root", run = function() return "root" end}
    """,
    "services/api/commands.lua": """
    rac.include("db", "./db/commands.lua")
    rac.command{name = "test", aliases = {"t"}, group = "dev", summary = "Run the tests",
      needs = {"gen", "db:up", ":root"}, run = function() return rac.exec{"cat", "data"} end}
    rac.command{name = "gen", cwd = "db", env_file = ".env",
      run = function() return rac.sh("pwd; echo $A", {cwd = "sub"}) end}
    rac.command{name = "watched", run = function(_, emit)
      emit(rac.file_exists("data"):first())
      local seen = rac.watch("."):take(1):replay()
      emit("watching")
      emit(seen:first().path)
    end}
    """,
    "services/api/db/commands.lua": """
    rac.command{name = "up", enabled = function() return rac.exec{"cat", "on"}:first() == "yes" end,
      run = function() return rac.sh("pwd") end}
    """,
    "services/api/db/on": "yes\n", "services/api/db/sub/x": "", "services/api/data": "data\n",
    "services/api/.env": "A=api\n",
  ])

  @Test("the default command of an included file is that of its own project only")
  func defaultCommand() async {
    let folder = Folder([
      "commands.lua": """
      rac.include("api", "api/commands.lua")
      rac.command{name = "all", run = "echo all"}
      """,
      "api/commands.lua":
        #"require("rac").command{name = "build", default = true, run = "echo built"}"#,
    ])
    #expect(await shell("raclette", in: folder).output.contains("  all"))
    #expect(await shell("cd api && raclette", in: folder).output == "built\n")
    #expect(await shell("raclette list --json", in: folder).output.contains(#""default""#) == false)
  }

  @Test("a need of the outermost file is told as it is written")
  func outerNeed() async {
    let folder = Folder(commands: #"rac.command{name = "a", needs = ":lint", run = "true"}"#)
    let run = await raclette("run", "a", in: folder)
    #expect(run.errors.contains("'a' needs ':lint', which is not defined; ':' refers"), "\(run)")
  }

  @Test("brings commands under a namespace, whose needs and paths are relative to their file")
  func relative() async {
    let run = await raclette("run", "-j", "1", "all", in: folder)
    #expect(
      Set(run.lines.dropLast(2)) == [
        folder["services/api/db/sub"], "api", folder["services/api/db"], "root",
      ], "\(run)")
    #expect(run.lines.suffix(2) == ["data", folder.path])
    #expect(await raclette("run", "api:t", "--help", in: folder).output.hasPrefix("api:test: Run"))
    let show = await raclette("show", "api:gen", in: folder)
    #expect(show.output.contains("Folder:  services/api/db\n"))
    #expect(show.output.contains("Defined: services/api/commands.lua:4\n"))
  }

  @Test("groups them in lists, names them to programs, and completes them")
  func listed() async {
    let list = await raclette("list", in: folder)
    #expect(
      list.output == """
          all          Everything
          root

        api:
          api:gen
          api:watched

        api / dev:
          api:test     Run the tests  (also api:t)

        api:db:
          api:db:up

        """)
    let json = await raclette("list", "--json", in: folder)
    #expect(
      json.output.contains(
        #"{"name":"api:test","summary":"Run the tests","namespace":"api","group":"dev","#))
    #expect(!json.output.contains(#""namespace":"","#))
    let names = await raclette("complete", "--", "run", "api:", in: folder)
    #expect(
      names.lines.map { String($0.prefix { $0 != "\t" }) }
        == ["api:db:up", "api:test", "api:t", "api:gen", "api:watched"])
  }

  @Test("watches files of its folder, and tells their paths as the file says them")
  func watching() async {
    let launch = Launch(arguments: ["run", "api:watched"], folder: folder.path)
    let run = await onThread { [folder] in
      let running = Running(launch)
      running.waitForOutput("watching\n")
      folder.write("", to: "services/api/new")
      return running.finish()
    }
    #expect(run.output == "true\nwatching\nnew\n")
  }

  @Test("also defines commands by functions of other files, and those of modules beside it")
  func helpers() async {
    let folder = Folder([
      "commands.lua": """
      function define(name) rac.command{name = name, run = function() return rac.sh("pwd") end} end
      rac.include("sub", "sub/commands.lua")
      define("own")
      """,
      "sub/commands.lua": """
      local kit = require "kit"
      define("outer")
      kit.define("inner")
      return kit
      """,
      "sub/kit.lua": """
      return {define = function(name)
        rac.command{name = name, run = function() return rac.sh("pwd") end}
      end}
      """,
    ])
    let run = await raclette(
      "run", "-j", "1", "sub:outer", ":::", "sub:inner", ":::", "own", in: folder)
    #expect(Set(run.lines) == [folder["sub"], folder.path], "\(run)")
  }

  @Test(
    "tells what is wrong with an include, and where",
    arguments: [
      (#"rac.include("a", "none.lua")"#, "cannot include none.lua: no such file or directory"),
      (
        #"rac.include("a", "sub")"#,
        "cannot include sub: it is a folder; did you mean 'sub/commands.lua'?"
      ),
      (#"rac.include("a", "empty")"#, "cannot include empty: is a directory"),
      (#"rac.include("a", "pipe")"#, "cannot include pipe: is a FIFO, not a regular file"),
      (
        #"rac.include("a", "/dev/zero")"#,
        "cannot include /dev/zero: is a device, not a regular file"
      ),
      (
        #"rac.include("", "x.lua")"#,
        "'' cannot be a namespace: it is a name without ':', and does not begin with '-'"
      ),
      (
        #"rac.include("a:b", "x.lua")"#,
        "'a:b' cannot be a namespace: it is a name without ':', and does not begin with '-'"
      ),
      (
        #"rac.include("a", "commands.lua")"#,
        "the files include each other in a cycle: commands.lua -> commands.lua"
      ),
      (
        #"rac.include("a", "x.lua") rac.include("b", "./sub/../x.lua")"#,
        "x.lua is included already, as 'a' at commands.lua:1"
      ),
      (
        #"rac.include("a", "x.lua") rac.include("a", "y.lua")"#,
        "the namespace 'a' belongs to x.lua, included at commands.lua:1"
      ),
    ])
  func problems(code: String, message: String) async {
    let folder = Folder([
      "commands.lua": code + "\n", "sub/commands.lua": "", "x.lua": "", "y.lua": "",
    ])
    folder.makeFolder("empty")
    _ = folder.makePipe("pipe")
    let list = await raclette("list", in: folder)
    #expect(list.errors == "raclette: error: commands.lua:1: \(message)\n")
    #expect(list.status == 3)
    let check = await raclette("check", in: folder)
    #expect(check.output == "commands.lua:1: \(message)\n")
  }

  @Test("tells of a circle of several files, of clashes, and of errors inside a file by its place")
  func insideProblems() async {
    let folder = Folder([
      "commands.lua": #"rac.include("a", "a/c.lua")"#,
      "a/c.lua": "\nrac.include(\"b\", \"../b/c.lua\")",
      "b/c.lua": #"rac.include("a", "../a/c.lua")"#,
    ])
    let circle = await raclette("list", in: folder)
    #expect(
      circle.errors
        == "raclette: error: b/c.lua:1: the files include each other in a cycle: "
        + "commands.lua -> a/c.lua -> b/c.lua -> a/c.lua\n")
    folder.write(
      """
      rac.command{name = "a:x", run = print}
      rac.include("a", "a/c.lua")
      """, to: "commands.lua")
    folder.write("rac.command{name = 'x', run = print}", to: "a/c.lua")
    #expect(
      await raclette("list", in: folder).errors
        == "raclette: error: a/c.lua:1: command 'a:x' is defined at a/c.lua:1 and at commands.lua:1\n"
    )
    folder.write("\nrac.command{name = 'y', run = }", to: "a/c.lua")
    let outside = String(folder.path.dropLast(folder.name.count + 1))
    let wrong = await raclette("list", "-f", "\(folder.name)/commands.lua", at: outside)
    #expect(wrong.errors.hasPrefix("raclette: error: \(folder.name)/a/c.lua:2: unexpected symbol"))
    #expect(wrong.status == 3)
  }

  @Test("needs that are not defined are told with the full name that was looked for")
  func needs() async {
    let folder = Folder([
      "commands.lua": "rac.include('a', 'a/c.lua') rac.command{name = 'lib', run = print}",
      "a/c.lua": "rac.command{name = 'x', needs = {'lib'}, run = print}",
    ])
    #expect(
      await raclette("check", in: folder).output
        == "a/c.lua:1: 'a:x' needs 'a:lib', which is not defined; did you mean ':lib'?\n")
  }

  @Test("is refused in the sandbox, and loads in a rehearsal")
  func confined() async {
    let refused = await raclette("list", "--sandbox", in: folder)
    #expect(
      refused.errors
        == "raclette: error: commands.lua:1: 'rac.include' is not available in the sandbox\n")
    #expect(
      await raclette("run", "-n", "--no-deps", "api:t", in: folder).output == "  1. api:test\n")
  }

  @Test("a file that changes is loaded again by --watch, also one that did not load before")
  func reloaded() async {
    let folder = Folder([
      "commands.lua": "rac.include('a', 'a/c.lua')", "src/x": "",
      "a/c.lua": "rac.command{name = 'x', run = function() return 'old' end}",
    ])
    let launch = Launch(arguments: ["run", "--watch=src", "a:x"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching src\n")
      folder.write("rac.command{name = 'x', run = }", to: "a/c.lua")
      running.waitForErrors("raclette: watching commands.lua\n")
      folder.write("rac.command{name = 'x', run = function() return 'new' end}", to: "a/c.lua")
      running.waitForOutput("new\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "old\nnew\n", "\(run)")
  }

  @Test("defines commands by their names without a namespace")
  func withoutNamespace() async {
    let folder = Folder([
      "commands.lua": """
      rac.include(nil, "sub/a.lua")
      rac.include("api", "api/commands.lua")
      rac.command{name = "all", needs = {"a", "api:deep"}, run = "pwd"}
      """,
      "sub/a.lua": #"rac.command{name = "a", default = true, run = "pwd"}"#,
      "api/commands.lua": """
      rac.include(nil, "./deep/commands.lua")
      rac.command{name = "x", needs = "deep", run = "true"}
      """,
      "api/deep/commands.lua": #"rac.command{name = "deep", needs = ":a", run = "pwd"}"#,
    ])
    let run = await raclette("run", "-j", "1", "all", in: folder)
    #expect(run.lines == [folder["sub"], folder["api/deep"], folder.path], "\(run)")
    #expect(await raclette("check", in: folder).status == 0)
    #expect(await shell("raclette", in: folder).output == folder["sub"] + "\n")
    folder.write("rac.include(nil, 'a.lua') rac.include(nil, './a.lua')", to: "sub/b.lua")
    #expect(
      await raclette("check", "-f", "sub/b.lua", in: folder).output
        == "sub/b.lua:1: sub/a.lua is included already at sub/b.lua:1\n")
  }

  @Test("works in another folder, which the paths of the file are relative to")
  func otherFolder() async {
    let folder = Folder([
      "commands.lua": """
      rac.include("here", "tasks/commands.lua", {cwd = "."})
      rac.include("sub", "sub/commands.lua")
      """,
      "tasks/commands.lua": """
      local seen = rac.file_exists("data"):first()
      rac.include("more", "more.lua")
      rac.command{name = "build", sources = "src/*", outputs = "out", env_file = ".env",
        run = "pwd; echo $A; cat src/* >out"}
      rac.command{name = "look", cwd = "src", run = function(_, emit)
        emit(tostring(seen)) emit(table.concat(rac.glob("src/*"), " "))
        return rac.sh("pwd")
      end}
      """,
      "tasks/more.lua": #"rac.command{name = "own", run = "pwd"}"#,
      "sub/commands.lua": #"rac.include("up", "tasks/x.lua", {cwd = ".."})"#,
      "sub/tasks/x.lua": #"rac.command{name = "x", sources = "data", run = "pwd"}"#,
      "data": "", "src/a": "1", ".env": "A=root\n",
    ])
    #expect(
      await raclette("run", "here:build", in: folder).output == "\(folder.path)\nroot\n")
    #expect(
      await raclette("explain", "here:build", in: folder).output == "here:build: up to date\n")
    #expect(Folder.isThere(folder["out"]))
    #expect(
      await raclette("run", "here:look", in: folder).output
        == "true\nsrc/a\n\(folder["src"])\n")
    #expect(
      await raclette("run", "here:more:own", in: folder).output == folder["tasks"] + "\n")
    #expect(await raclette("run", "sub:up:x", in: folder).output == folder.path + "\n")
    let check = await raclette("check", in: folder)
    #expect(check.errors == "raclette: commands.lua: 4 commands, no problems\n", "\(check)")
  }

  @Test("may be optional, and what a script catches is no problem")
  func optional() async {
    let folder = Folder(
      commands: """
        rac.include("local", "local.lua", {optional = true})
        local found, problem = pcall(rac.include, "own", "own.lua")
        rac.command{name = "a", run = function() return tostring(problem) end}
        pcall(function() rac.include("broken", "broken.lua") end)
        """)
    folder.write("rac.command{name = 'x', run = 5}", to: "broken.lua")
    #expect(
      await raclette("run", "a", in: folder).output
        == "commands.lua:2: cannot include own.lua: no such file or directory\n")
    let check = await raclette("check", in: folder)
    #expect(
      check.output
        == "broken.lua:1: field 'run' must be a function, a line for the shell or a list of words, "
        + "got number\n")
    folder.write("", to: "broken.lua")
    #expect(await raclette("check", in: folder).status == 0)
    folder.write("rac.command{name = 'x', run = 'echo local'}", to: "local.lua")
    #expect(await raclette("run", "local:x", in: folder).output == "local\n")
  }

  @Test(
    "refuses options that it does not have",
    arguments: [
      (#"{optinal = true}"#, "unknown key 'optinal'; did you mean 'optional'?"),
      (#"{optional = 1}"#, "option 'optional' must be a boolean, got number"),
      (#"{cwd = 1}"#, "option 'cwd' must be a path, got number"),
    ])
  func badOptions(options: String, problem: String) async {
    let folder = Folder(commands: "rac.include(nil, 'a.lua', \(options))")
    #expect(
      await raclette("list", in: folder).errors
        == "raclette: error: commands.lua:1: bad argument #3 to 'include' (\(problem))\n")
  }

  @Test("a file's own commands come first in rac.commands, so that it works alone and included")
  func ownCommands() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "build", run = "echo outer"}
      rac.include("api", "api/commands.lua")
      rac.command{name = "test", run = "echo outer test"}
      rac.command{name = "all", run = function(_, emit)
        local names = {}
        for name in pairs(rac.commands) do names[#names + 1] = name end
        table.sort(names)
        emit(table.concat(names, " "))
        emit(rac.commands.build:execute():first())
        return rac.commands["api:build"]:execute()
      end}
      """,
      "api/commands.lua": """
      rac.command{name = "build", aliases = {"b"}, run = "echo inner"}
      rac.command{name = "test", run = "echo inner test"}
      rac.command{name = "all", run = function(_, emit)
        for _, name in ipairs{"build", "b", "test", ":build", "api:build"} do
          local command = rac.commands[name]
          emit(command and command.name or "none")
        end
      end}
      """,
    ])
    #expect(
      await raclette("run", "api:all", in: folder).lines
        == ["api:build", "api:build", "api:test", "build", "api:build"])
    #expect(
      await raclette("run", "all", in: folder).lines
        == ["all api:all api:build api:test build test", "outer", "inner"])
    let alone = await shell("cd api && raclette all", in: folder)
    #expect(alone.lines == ["build", "build", "test", "build", "none"])
  }

  @Test("an optional file that is made is loaded by --watch")
  func madeLater() async {
    let folder = Folder([
      "commands.lua": """
      rac.include(nil, "local.lua", {optional = true})
      rac.command{name = "x", run = function() return rac.commands.own and "own" or "none" end}
      """, "src/x": "",
    ])
    let launch = Launch(arguments: ["run", "--watch=src", "x"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("done; watching src\n")
      folder.write("rac.command{name = 'own', run = 'true'}", to: "local.lua")
      running.waitForOutput("own\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.output == "none\nown\n", "\(run)")
  }

  @Test("batches execute its commands again when it has changed")
  func resumed() async {
    let folder = Folder([
      "commands.lua": "rac.include('a', 'a/c.lua')",
      "a/c.lua": "rac.command{name = 'x', run = function() return 'old' end}",
      "plan.jsonl": #"{"command": "a:x"}"# + "\n",
    ])
    let words = ["batch", "--journal", "j.db", "--resume", "-q", "plan.jsonl"]
    let outputs = await onThread {
      var outputs: [String] = []
      for text in ["old", "old", "new"] {
        folder.write(
          "rac.command{name = 'x', run = function() return '\(text)' end}", to: "a/c.lua")
        outputs.append(Running(Launch(arguments: words, folder: folder.path)).finish().output)
      }
      return outputs
    }
    #expect(outputs == ["old\n", "", "new\n"])
  }
}
