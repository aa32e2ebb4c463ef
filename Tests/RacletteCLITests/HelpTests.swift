import Testing

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

  @Test("without any word the overview goes to standard error, as wrong usage")
  func nothing() async {
    let run = await raclette()
    #expect(run.output == "")
    #expect(run.errors.contains("Usage:"))
    #expect(run.status == 2)
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
      (["-C", "/none", "list"], "cannot go to '/none': no such file or directory"),
    ])
  func options(words: [String], message: String) async {
    let run = await onThread { Running(Launch(arguments: words)).finish() }
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.status == 2)
  }
}
