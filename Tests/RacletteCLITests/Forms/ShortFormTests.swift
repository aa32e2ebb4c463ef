import Testing

@Suite("raclette COMMAND", .timeLimit(.minutes(5)))
struct ShortFormTests {
  private let folder = Folder([
    "commands.lua": """
    rac.command{name = "build", aliases = {"b"}, default = true, params = {{name = "target", default = "debug"}},
      run = function(input) return "build " .. input.target end}
    rac.command{name = "list", run = function() return "my list" end}
    rac.command{name = "fails", run = "exit 5"}
    rac.command{name = "gone", os = {"macos", "windows"}, default = true, run = "echo gone"}
    rac.command{name = "open", os = "macos", aliases = {"o"}, run = "echo mac"}
    rac.command{name = "open", os = "linux", summary = "Open it", run = "echo linux"}
    rac.command{name = "open", os = "windows", run = "echo windows"}
    rac.command{name = "user", needs = "open", run = function() return rac.commands.open.name end}
    """, "none.lua": "rac.command{name = 'one', run = 'echo one'}", "sub/x": "",
  ])

  @Test(
    "executes a command",
    arguments: [
      (["build", "release"], "build release\n", 0), (["b", "--target", "x"], "build x\n", 0),
      (["-f", "none.lua", "one"], "one\n", 0), (["fails"], "", 5),
      (["build", ":::", "open"], "build debug\nlinux\n", 0), ([], "build debug\n", 0),
      (["run"], "build debug\n", 0), (["-q"], "build debug\n", 0),
      (["-n", "build"], "  1. build target=debug\n", 0), (["-n"], "  1. build target=debug\n", 0),
      (["run", "list"], "my list\n", 0), (["list"], "my list\n", 0),
      (["-f", "none.lua"], "  one\n", 0),
      (["-C", "sub", "build"], "build debug\n", 0), (["-C", "sub"], "build debug\n", 0),
      (["user"], "linux\nopen\n", 0),
    ] as [([String], String, Int32)])
  func executes(words: [String], output: String, status: Int32) async {
    let run = await onThread { [folder] in
      Running(Launch(arguments: words, folder: folder.path)).finish()
    }
    #expect(run.output == output, "\(run)")
    #expect(run.status == status)
  }

  @Test(
    "answers a name that is not known with the nearest of commands and subcommands",
    arguments: [
      (["biuld"], "unknown command 'biuld' in commands.lua; did you mean 'build'?"),
      (["lsit"], "unknown command 'lsit' in commands.lua; did you mean 'list'?"),
      (["hsitory"], "unknown command 'hsitory' in commands.lua; did you mean 'history'?"),
      (["run", "hsitory"], "unknown command 'hsitory' in commands.lua"),
      (["-f", "none.lua", "run"], "COMMAND is missing; usage: \(Self.usage)"),
    ])
  func nearest(words: [String], message: String) async {
    let run = await onThread { [folder] in
      Running(Launch(arguments: words, folder: folder.path)).finish()
    }
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.status == 2)
  }

  private static let usage =
    "raclette run [OPTIONS] COMMAND [ARGS] [:: COMMAND [ARGS]]... [::: COMMAND [ARGS]]..."

  @Test("is completed beside the subcommands")
  func completion() async {
    let launch = Launch(arguments: ["complete", "--", "li"], folder: folder.path)
    #expect(await onThread { Running(launch).finish() }.lines.count == 1)
    let other = Launch(arguments: ["complete", "--", "bu"], folder: folder.path)
    #expect(await onThread { Running(other).finish() }.lines == ["build"])
  }

  @Test("of one system is not enabled on another")
  func systems() async {
    let run = await raclette("run", "gone", in: folder)
    #expect(
      run.errors
        == "raclette: error: the command 'gone' is not enabled: it is for macos, windows\n")
    #expect(run.status == 75)
    let list = await raclette(":list", in: folder)
    #expect(
      list.lines.contains {
        $0.hasPrefix("  gone ") && $0.hasSuffix("(not enabled: it is for macos, windows)")
      })
    #expect(list.lines.filter { $0.hasPrefix("  open") } == ["  open            Open it"])
    #expect(await raclette("run", "o", in: folder).status == 2)
  }

  @Test("checks defaults and systems")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", default = true, run = "echo a"}
        rac.command{name = "b", default = true, run = "echo b"}
        rac.command{name = "c", os = "linx", run = "echo c"}
        rac.command{name = "d", os = {}, run = "echo d"}
        rac.command{name = "e", default = "yes", run = "echo d"}
        """)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:3: field 'os' has no system 'linx'; did you mean 'linux'?",
        "commands.lua:4: field 'os' must not be empty",
        "commands.lua:5: field 'default' must be a boolean, got string",
        "commands.lua:2: 'b': 'a' (commands.lua:1) is the default command already",
      ])
    folder.write(
      """
      rac.command{name = "a", default = true, run = "echo a"}
      rac.command{name = "b", default = true, run = "echo b"}
      """, to: "commands.lua")
    let run = await raclette(in: folder)
    #expect(
      run.errors
        == "raclette: error: these are all the default command: 'a' (commands.lua:1), 'b' (commands.lua:2)\n"
    )
    #expect(run.status == 2)
    let double = Folder(
      commands: """
        rac.command{name = "a", os = "linux", run = "echo a"}
        rac.command{name = "a", os = {"linux", "macos"}, run = "echo b"}
        """)
    #expect(await raclette("list", in: double).errors.contains("commands.lua:2"))
  }
}
