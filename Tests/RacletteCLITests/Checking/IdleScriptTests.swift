import Testing

@Suite("scripts that do nothing", .timeLimit(.minutes(5)))
struct IdleScriptTests {
  private static let commands = """
    rac.command{name = "build", params = "any", run = "echo built"}
    rac.command{name = "test", run = "echo tested"}
    """

  private static func execute(_ words: [String], in folder: Folder) async -> Outcome {
    await onThread { Running(Launch(arguments: words, folder: folder.path)).finish() }
  }

  @Test("a file of commands that is executed as a script is told the right call")
  func idle() async {
    let folder = Folder(["tasks.lua": Self.commands])
    let problem = "tasks.lua defines 2 commands and executes none"
    for words in [["tasks.lua", "build", "x y"], ["exec", "tasks.lua", "build", "x y"]] {
      let run = await Self.execute(words, in: folder)
      #expect(
        run.errors
          == "raclette: error: \(problem); 'raclette -f tasks.lua build 'x y'' executes 'build'\n")
      #expect(run.status == 2)
    }
    let meant = await raclette("tasks.lua", "tset", in: folder)
    #expect(meant.errors == "raclette: \(problem); 'raclette -f tasks.lua test' executes 'test'\n")
    #expect(meant.status == 0)
    // It may have done something with its argument.
    folder.write("\(Self.commands)\nio.open(arg[1]):close()\n", to: "tasks.lua")
    folder.write("", to: "test")
    let reader = await raclette("tasks.lua", "test", in: folder)
    #expect(reader.errors == meant.errors && reader.status == 0, "\(reader)")
    folder.write(Self.commands, to: "tasks.lua")
    for words in [["tasks.lua"], ["tasks.lua", "unknown"]] {
      let run = await Self.execute(words, in: folder)
      #expect(
        run.errors == "raclette: \(problem); 'raclette -f tasks.lua COMMAND' executes one\n")
      #expect(run.status == 0)
    }
    // Code of the command line is no file of commands.
    let code = await raclette("-e", #"rac.command{name = "a", run = "true"}"#)
    #expect(code.errors == "")
  }

  @Test(
    "one that may have done something unseen has not failed",
    arguments: [
      #"io.open("made", "w"):close()"#, #"os.rename("old", "made")"#, #"rac.log.info("made")"#,
      #"local r = require "rac" r.port("made")"#, #"require "more""#, #"dofile("more.lua")"#,
      #"local function make() io.open("made", "w"):close() end make()"#,
      #"rac.command{name = "a", run = "true", summary = (function() os.remove("old") return "a" end)()}"#,
      #"local list = {make = function() os.remove("old") end} list.make()"#,
    ])
  func unseen(line: String) async {
    let folder = Folder([
      "tasks.lua": "\(Self.commands)\n\(line)\n", "old": "",
      "more.lua": #"local name = arg[1] io.open("made", "w"):write(name):close() return {}"#,
    ])
    let run = await raclette("tasks.lua", "build", in: folder)
    #expect(run.output == "" && run.status == 0, "\(run)")
    #expect(
      run.errors.hasSuffix("and executes none; 'raclette -f tasks.lua build' executes 'build'\n"),
      "\(run)")
  }

  @Test(
    "functions in definitions, and what only defines something, do nothing",
    arguments: [
      #"local rac = require "rac" rac.command{name = "a", run = function() return io.open("x", "w") end}"#,
      #"local rac = require("rac") rac.defaults{env = {A = os.getenv("HOME")}}"#,
      #"rac.command{name = "a", run = "true", params = {{name = "x", default = function() return io.read() end}}}"#,
      #"require "defined""#,
    ])
  func defining(line: String) async {
    let folder = Folder([
      "tasks.lua": "\(Self.commands)\n\(line)\n",
      "defined.lua": #"rac.command{name = "b", run = function(i) return io.lines(arg[1]) end}"#,
    ])
    let run = await raclette("tasks.lua", "build", in: folder)
    #expect(
      run.errors.hasSuffix("and executes none; 'raclette -f tasks.lua build' executes 'build'\n"),
      "\(run)")
    #expect(run.status == 2)
  }

  @Test(
    "one that executes a command, starts a process or prints something is not",
    arguments: [
      "rac.commands.build:execute():wait()", "print(#rac.args)", #"io.write("a")"#,
      #"os.execute("true")"#, #"rac.sh("true"):wait()"#,
    ])
  func busy(line: String) async {
    let folder = Folder(["tasks.lua": "\(Self.commands)\n\(line)\n"])
    let run = await raclette("tasks.lua", "build", in: folder)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  private static func problem(_ line: Int, in file: String) -> String {
    "\(file):\(line): the signal made here was not subscribed, so it did nothing; "
      + "is ':wait()' missing after it, or the command around it?"
  }

  @Test("a signal that the top level makes and drops is warned of, and a problem for check")
  func dropped() async {
    let code = await raclette("-e", #"rac.sh("echo hello")"#)
    #expect(code.errors == "warning: \(Self.problem(1, in: "(command line)"))\n")
    #expect(code.status == 0)
    let folder = Folder(
      commands: """
        local rac = require "rac"
        rac.sh("touch made"):map(print)
        rac.command{name = "a", run = "echo a"}
        """)
    let run = await raclette("a", in: folder)
    #expect(run.errors == "warning: \(Self.problem(2, in: "commands.lua"))\n")
    #expect(run.output == "a\n" && run.status == 0)
    let check = await raclette("check", in: folder)
    #expect(check.output == Self.problem(2, in: "commands.lua") + "\n")
    #expect(check.status == 3)
  }

  @Test(
    "a signal that something holds or uses is not dropped",
    arguments: [
      #"local signal = rac.sh("true")"#, #"signal = rac.sh("true")"#, #"rac.sh("true"):wait()"#,
      #"rac.sh("true"):subscribe()"#, #"rac.sh("true"):replay()"#,
      #"rac.command{name = "a", run = "true", enabled = rac.file_exists("x")}"#,
      #"local function later() rac.sh("true") end"#, "rac.start_eagerly(function() end)",
    ])
  func kept(line: String) async {
    let run = await raclette("-e", "print(1) \(line)")
    #expect(run.output == "1\n")
    #expect(run.errors == "")
    #expect(run.status == 0)
  }
}
