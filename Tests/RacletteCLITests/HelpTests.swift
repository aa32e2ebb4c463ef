import Testing
import TextFiles

@Suite("help and usage", .timeLimit(.minutes(5)))
struct HelpTests {
  @Test(
    "the overview goes to standard output when it is asked for",
    arguments: [["--help"], ["-h"], ["help"]])
  func overview(words: [String]) async {
    let run = await onThread { Running(Launch(arguments: words)).finish() }
    for verb in ["run", "exec", "list", "help"] { #expect(run.output.contains("\n  \(verb) ")) }
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("without a command file, five lines lead to the first one")
  func nothing() async {
    let run = await raclette()
    #expect(run.output == "")
    #expect(
      run.errors == """
        There is no commands.lua here or in a folder above. Usage:
          raclette init             write a first commands.lua here
          raclette COMMAND [ARGS]   execute a command of that file
          raclette SCRIPT.lua       execute a Lua script
          raclette --help           list the subcommands and options

        """)
    #expect(run.status == 3)
  }

  @Test("a command is explained, where the file defines it, and a subcommand by its colon")
  func command() async {
    let folder = Folder(
      commands: """
        print("loading")
        rac.command{name = "build", aliases = {"list"}, summary = "Compile", run = "true"}
        error("broken")
        """)
    let text = "build: Compile\n\nUsage: raclette run build\nAliases: list\n"
    for name in ["build", "list"] {
      #expect(await raclette("help", name, in: folder).output == "loading\n" + text)
    }
    #expect(
      await raclette("help", ":list", in: folder).output.hasPrefix("List the commands"))
    #expect(await raclette("help", "show", in: folder).status == 0)
    let unknown = await raclette("help", "biuld", in: folder)
    #expect(unknown.errors == "raclette: error: commands.lua:3: broken\n", "\(unknown)")
    #expect(unknown.status == 3)
    let whole = Folder(commands: #"rac.command{name = "build", run = "true"}"#)
    #expect(
      await raclette("help", "biuld", in: whole).errors
        == "raclette: error: unknown command 'biuld' in commands.lua; did you mean 'build'?\n")
  }

  @Test("the keys of a plan are those of the guide")
  func plan() async throws {
    let guide = try TextFile(
      "\(TextFile.packageFolder)/Sources/RacletteCLI/RacletteCLI.docc/Batch.md")
    let rows = guide.lines.drop { $0 != "| Key | Type | |" }.dropFirst(2).prefix { !$0.isEmpty }
    let keys = rows.map { row in
      let cells = row.filter { $0 != "`" }.replacing("\\|", with: "/").split(separator: "|")
      return "  \(cells[0].dropFirst().dropLast()):\(cells[1].dropLast().replacing("/", with: "|"))"
        + cells[2].dropLast()
    }
    let help = await raclette("help", "plan")
    // The guide has marks of code, and no lines that are broken.
    let lines = help.output.filter { $0 != "`" }.replacing("\n      ", with: " ")
      .split(separator: "\n")
    #expect(lines.first == "plan: A plan is a file with a JSON object on each line, an entry.")
    #expect(Array(lines.dropFirst()) == keys.map { Substring($0) })
    #expect(
      await raclette("help", "batch").lines.last
        == "'raclette :help plan' explains the lines of a batch's plan.")
  }

  @Test("keys of definitions and functions of the library are explained")
  func keys() async {
    let folder = Folder(commands: #"rac.command{name = "when_busy", run = "true"}"#)
    let key = """
        when_busy: "reject"|"queue"|"restart"|"join"?
            what happens to an attempt beyond that limit: it fails (the default),
            waits, replaces the running execution, or joins it

      """
    let definition = await raclette("help", "definition", in: folder)
    #expect(
      definition.output.hasPrefix(
        "rac.CommandDefinition: The table that defines a command.\n\n  name: string?\n"))
    #expect(definition.output.contains(key), "\(definition)")
    #expect(
      definition.output.contains("\n\nrac.Parameter: A parameter of a command.\n\n  name: string\n")
    )
    #expect(definition.lines.filter { $0.count > 100 } == [])
    #expect(
      await raclette("help", "when_busy", in: folder).output
        == "when_busy\n\nUsage: raclette run when_busy\n")
    #expect(
      await raclette("help", ":when_busy", in: folder).output
        == "A key of a command's definition:\n\n" + key)
    #expect(await raclette("help", "rac.stat").output.hasPrefix("rac.stat(path): "))
  }

  @Test("--list and -l list the commands", arguments: ["--list", "-l"])
  func list(option: String) async {
    let folder = Folder(commands: #"rac.command{name = "list", run = "true"}"#)
    #expect(await raclette(option, in: folder).output == "  list\n")
    #expect(await raclette("-f", "commands.lua", option, in: folder).output == "  list\n")
    let surplus = await raclette(option, "x", in: folder)
    #expect(
      surplus.errors
        == "raclette: error: unexpected argument 'x'; usage: raclette :list [OPTIONS]\n")
    #expect(surplus.status == 2)
  }

  @Test("no line is wider than a terminal", arguments: ["--help", "run", "exec", "list", "help"])
  func width(topic: String) async {
    let run = topic == "--help" ? await raclette(topic) : await raclette("help", topic)
    #expect(run.lines.filter { $0.count > 100 } == [])
  }

  @Test(
    "a verb explains itself, before and after its name",
    arguments: [["help", "run"], ["run", "--help"], ["--help", "run"], ["run", "-h"]])
  func verb(words: [String]) async {
    let run = await onThread { Running(Launch(arguments: words)).finish() }
    #expect(run.output.contains("Usage: raclette run [OPTIONS] COMMAND [ARGS]"))
    #expect(run.output.contains("  -f, --file FILE "))
    #expect(run.status == 0)
  }

  @Test("the version is a line of its own", arguments: ["--version", "-V"])
  func version(option: String) async {
    let run = await raclette(option)
    #expect(run.output.wholeMatch(of: /raclette \d+\.\d+\.\d+\n/) != nil)
    #expect(run.status == 0)
  }

  @Test(
    "a word that is not known is answered with the nearest",
    arguments: [
      (["lst"], "'lst' is neither a subcommand nor a script; did you mean 'list'?"),
      (["rnu"], "'rnu' is neither a subcommand nor a script; did you mean 'run'?"),
      (
        ["build"],
        "'build' is neither a subcommand nor a script; no commands.lua here or in a folder above defines it as a command"
      ),
      (["--colour"], "unknown option '--colour'; did you mean '--color'?"),
      (["run", "--fiel", "x"], "unknown option '--fiel'; did you mean '--file'?"),
      (["run", "-x"], "unknown option '-x'"),
      (["help", "lsit"], "there is no subcommand 'lsit'; did you mean 'list'?"),
    ])
  func nearest(words: [String], message: String) async {
    let run = await onThread { Running(Launch(arguments: words)).finish() }
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.status == 2)
  }

  @Test(
    "wrong options are told with what they need",
    arguments: [
      (["list", "-f"], "option '-f' needs a value: -f FILE"),
      (["list", "--file"], "option '--file' needs a value: --file FILE"),
      (["--quiet=yes", "list"], "option '--quiet' takes no value, got 'yes'"),
      (
        ["--color=red", "list"],
        "option '--color' cannot be 'red'; it is one of auto, always, never"
      ),
      (["list", "more"], "unexpected argument 'more'; usage: raclette :list [OPTIONS]"),
      (["-C", "/none", "list"], "cannot change to '/none': no such file or directory"),
    ])
  func options(words: [String], message: String) async {
    let run = await onThread { Running(Launch(arguments: words)).finish() }
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.status == 2)
  }
}
