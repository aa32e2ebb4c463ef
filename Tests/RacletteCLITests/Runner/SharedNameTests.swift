import Platform
import Testing

/// Names that both a command of the file and a subcommand of Raclette have.
@Suite("a name that a command and a subcommand share", .timeLimit(.minutes(5)))
struct SharedNameTests {
  private static let names = [
    "choose", "batch", "panel", "mcp", "list", "show", "explain", "status", "check", "exec", "repl",
    "history", "replay", "retry", "timeline", "jobs", "attach", "cancel", "prune", "worker",
    "journal", "init", "doctor", "completions", "man", "stubs", "help", "complete",
  ]

  private static let commands = """
    print("loading")
    rac.command{name = "check", run = "echo the check fails; exit 7"}
    rac.command{name = "build", run = "echo built"}
    rac.command{name = "other", aliases = {"status"}, run = "echo the status"}
    for _, name in ipairs{"\(names.joined(separator: #"", ""#))"} do
      if not rac.commands[name] and name ~= "status" then
        rac.command{name = name, params = {{name = "args", rest = true}}, run = 'echo own "$@"'}
      end
    end
    """

  private let folder = Folder(commands: Self.commands)

  private func run(_ words: [String], in other: Folder? = nil) async -> Outcome {
    let path = (other ?? folder).path
    return await onThread { Running(Launch(arguments: words, folder: path)).finish() }
  }

  @Test(
    "means the command, whatever follows it",
    arguments: names.filter { $0 != "check" && $0 != "status" })
  func command(name: String) async {
    for words in [[name, "x"], [name, "--json", "-a"], ["run", name, "--nope", ":::x"]] {
      let run = await run(words)
      let arguments = words.drop { $0 != name }.dropFirst()
      #expect(run.output == "loading\nown \(arguments.joined(separator: " "))\n", "\(words)")
      #expect(run.errors == "")
      #expect(run.status == 0)
    }
    #expect(Folder.names(in: folder.path) == [".", "..", "commands.lua"])
  }

  @Test("has the status of the command, and its own options and help")
  func outcome() async {
    let check = await run(["check"])
    #expect(check.output == "loading\nthe check fails\n")
    #expect(
      check.errors
        == "raclette: error: check: 'echo the check fails; exit 7' exited with status 7\n")
    #expect(check.status == 7)
    #expect(await run(["status"]).output == "loading\nthe status\n")
    #expect(
      await run(["check", "--help"]).output == "loading\ncheck\n\nUsage: raclette run check\n")
    #expect(
      await run(["-n", "check"]).output
        == "loading\n  1. check\n     $ echo the check fails; exit 7\n")
    let option = await run(["check", "--json"])
    #expect(
      option.errors
        == "raclette: error: check: raclette's own '--json' goes before the command; after -- "
        + "it is an argument\n")
    #expect(option.status == 2)
  }

  @Test("means the subcommand with a colon, which loads no file without need", arguments: names)
  func subcommand(name: String) async {
    let run = await run([":\(name)", "--help"])
    #expect(!run.output.contains("loading"))
    #expect(run.output.contains("\nUsage: raclette :\(name)"), "\(run)")
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("means the subcommand if only its own options name a command file")
  func optionsBehind() async {
    let commands = "rac.command{name = 'list', run = 'echo own'}\n"
    let other = Folder(["more.lua": commands, "sub/commands.lua": commands])
    for words in [["list", "-f", "more.lua"], ["list", "-C", "sub"]] {
      let list = await run(words, in: other)
      #expect(list.output == "  list\n", "\(list)")
      #expect(list.errors == "")
    }
    #expect(await run(["-f", "more.lua", "list"], in: other).output == "own\n")
  }

  @Test("with a colon works as ever")
  func ownWork() async {
    let check = await run([":check"])
    #expect(check.output == "loading\n")
    #expect(check.errors == "raclette: commands.lua: 29 commands, no problems\n")
    #expect(check.status == 0)
    #expect(await run([":show", "check"]).output.hasPrefix("loading\ncheck\n"))
    let unknown = await run([":chekc"])
    #expect(
      unknown.errors
        == "raclette: error: there is no subcommand ':chekc'; did you mean ':check'?\n")
    #expect(unknown.status == 2)
  }

  @Test(
    "'run' is the long form before the name of a command, else the command 'run' if there is one",
    arguments: [
      (["run"], "own\n", 0), (["run", "build"], "built\n", 0),
      (["run", "b", "-x"], "built\n", 2), (["run", "x", "y"], "own x y\n", 0),
      (["run", "--release"], "own --release\n", 0), (["run", "-n"], "own -n\n", 0),
      (["run", "-n", "build"], "  1. build\n     $ echo built\n", 0),
      (["run", "run", "build"], "own build\n", 0), (["-q", "run", "build"], "built\n", 0),
      (["run", "run", "--release"], "own --release\n", 0), (["run", "b"], "built\n", 0),
    ])
  func longForm(words: [String], output: String, status: Int32) async {
    let folder = Folder(
      commands: """
        rac.command{name = "build", aliases = {"b"}, default = true, run = "echo built"}
        rac.command{name = "run", params = {{name = "args", rest = true}}, run = 'echo own "$@"'}
        """)
    let run = await run(words, in: folder)
    #expect(run.output == (status == 0 ? output : ""), "\(run)")
    #expect(run.status == status)
  }

  @Test("is executed once for a file that does more than define commands when it is loaded")
  func loading() async {
    let folder = Folder(
      commands: """
        local log = assert(io.open("log", "a"))
        log:write("loaded\\n")
        log:close()
        for _, name in ipairs{"list", "status", "check", "run"} do
          rac.command{name = name, run = "echo own"}
        end
        """)
    for words in [["list"], ["status"], ["check"], ["run"], [":list"]] {
      folder.write("", to: "log")
      #expect(await run(words, in: folder).status == 0)
      #expect(await shell("cat log", in: folder).output == "loaded\n", "\(words)")
    }
  }

  @Test("is looked for in the file without effects: no output, folders or variables stay")
  func look() async {
    let folder = Folder([
      "commands.lua": """
      print("loading")
      rac.log.warn("loading")
      rac.env.SEEN = "yes"
      """,
      "sub/script.lua": "print(os.getenv('SEEN'), rac.env.SEEN, rac.stat('script.lua') ~= nil)",
    ])
    let launch = Launch(arguments: ["exec", "script.lua"], folder: folder["sub"])
    let run = await onThread { Running(launch).finish() }
    #expect(run.output == "nil\tnil\ttrue\n", "\(run)")
    #expect(run.errors == "")
  }

  @Test("a file that would do something before it defines the name is loaded as for a command")
  func refused() async {
    let text = #"local sha = rac.sh("echo sha"):first()"# + "\n"
    let folder = Folder(
      commands: text + #"rac.command{name = "check", run = "echo " .. sha}"#)
    #expect(await run(["check"], in: folder).output == "sha\n")
    let other = Folder(commands: text + #"rac.command{name = "other", run = "check"}"#)
    let check = await run(["check"], in: other)
    #expect(
      check.errors
        == "warning: commands.lua:1: 'rac.sh' would start a process, which check does not allow; --trust allows it; what follows was not checked\n"
    )
  }

  @Test("a file that does not load is no reason to guess")
  func broken() async {
    let folder = Folder(commands: #"rac.command{name = "prune", run = "true" "#)
    let reason = "commands.lua:1: '}' expected near <eof>"
    let prune = await run(["prune"], in: folder)
    #expect(
      prune.errors == "raclette: error: \(reason); 'raclette :prune' is Raclette's own\n")
    #expect(prune.output == "")
    #expect(prune.status == 3)
    for words in [["check"], [":check"]] {
      let check = await run(words, in: folder)
      #expect(check.output == "\(reason)\n")
      #expect(check.status == 3)
    }
    #expect(await run(["doctor"], in: folder).output.contains(reason))
    #expect(await run(["help"], in: folder).status == 0)
    #expect(await run(["completions", "bash"], in: folder).status == 0)
    #expect(await run(["exec", "-e", "print(1)"], in: folder).output == "1\n")
  }

  @Test("a file that waits or does not end is no reason to wait for a subcommand's own work")
  func slow() async {
    for text in ["while true do end", "rac.sleep(100)"] {
      let run = await run(["help"], in: Folder(commands: text))
      #expect(run.output.hasPrefix("Raclette "))
      #expect(run.status == 0)
    }
  }
}
