import Testing
import TextFiles

@Suite("sequences of calls", .timeLimit(.minutes(5)))
struct SequenceTests {
  private let folder = Folder(
    commands: #"""
      rac.command{name = "clean", run = "echo clean >>log; rm -f made"}
      rac.command{name = "fetch", run = "sleep 0.05; echo fetch >>log; touch made"}
      rac.command{name = "compile", needs = "fetch", run = "test -e made; echo compile >>log"}
      rac.command{name = "build", needs = "compile", params = {{name = "target", default = "debug"}},
        run = "echo build $target >>log"}
      rac.command{name = "lint", needs = "fetch", params = {}, run = "test -e made; echo lint >>log"}
      rac.command{name = "fail", run = "echo failing; exit 7"}
      rac.command{name = "ok", params = {}, run = function() return "ok" end}
      rac.command{name = "slow", params = {}, run = function() rac.sleep(0.05) return "slow" end}
      rac.command{name = "say", params = {{name = "words", rest = true}}, run = 'echo "$@"'}
      rac.command{name = "set-up", run = "echo NAME=you >.env; touch ready"}
      rac.command{name = "greet", env_file = ".env", run = "echo hello, $NAME",
        precondition = function() return rac.stat("ready") ~= nil, "run set-up" end}
      rac.command{name = "sure", confirm = "Sure?", run = "echo sure"}
      """#)

  private func log() -> [String] {
    defer { folder.write("", to: "log") }
    let lines = (try? TextFile(folder["log"]))?.lines ?? []
    return lines.filter { !$0.isEmpty }
  }

  private func run(_ words: [String]) async -> Outcome {
    await onThread { [folder] in
      Running(Launch(arguments: words, folder: folder.path)).finish()
    }
  }

  @Test(
    "are executed in order, each with what it needs",
    arguments: [
      (["clean", "build"], ["clean", "fetch", "compile", "build debug"]),
      (["run", "clean", "build", "release"], ["clean", "fetch", "compile", "build release"]),
      (["clean", "::", "build"], ["clean", "fetch", "compile", "build debug"]),
      (["build", "release", "::", "clean"], ["fetch", "compile", "build release", "clean"]),
      (
        ["-j", "8", "clean", "lint", "build"], ["clean", "fetch", "lint", "compile", "build debug"]
      ),
      // A need that is asked for later has been executed by then.
      (["build", "::", "compile", "::", "clean"], ["fetch", "compile", "build debug", "clean"]),
      (["clean", "clean"], ["clean", "clean"]),
    ])
  func order(words: [String], expected: [String]) async {
    let run = await run(words)
    #expect(run.errors == "" && run.status == 0, "\(run)")
    #expect(log() == expected)
  }

  @Test("side by side are separated by ':::', which binds less than '::'")
  func groups() async {
    let run = await run(["clean", "build", ":::", "slow", "::", "ok"])
    #expect(run.lines == ["slow", "ok"] && run.status == 0, "\(run)")
    #expect(log() == ["clean", "fetch", "compile", "build debug"])
    // What both need waits for what comes before one of them.
    let shared = await self.run(["clean", "build", ":::", "lint"])
    #expect(shared.status == 0, "\(shared)")
    #expect(log().prefix(2) == ["clean", "fetch"])
  }

  @Test("stop at the first failure, whose status is that of the run")
  func failure() async {
    let run = await run(["fail", "build"])
    #expect(run.output == "failing\n" && run.status == 7)
    #expect(
      run.errorLines == [
        "raclette: not executed: fetch, compile, build",
        "raclette: error: fail: 'echo failing; exit 7' exited with status 7",
      ])
    #expect(log() == [])
    let beside = await self.run(["fail", "build", ":::", "slow", "ok"])
    #expect(beside.lines == ["failing", "slow", "ok"] && beside.status == 1, "\(beside)")
  }

  @Test("go on after a failure with --keep-going")
  func keepGoing() async {
    let run = await run(["-k", "fail", "ok", "::", "fail"])
    #expect(run.lines == ["failing", "ok", "failing"] && run.status == 7, "\(run)")
  }

  @Test("leave to a command what it takes as arguments")
  func arguments() async {
    #expect(await run(["say", "ok", "::", "say", "slow"]).lines == ["ok", "slow"])
    #expect(await run(["build", "ok"]).status == 0)
    #expect(log() == ["fetch", "compile", "build ok"])
  }

  @Test(
    "are named as the ways where a word is too many",
    arguments: [
      (
        ["clean", "buidl"],
        "clean: unexpected argument 'buidl'; the command takes no parameters; did you mean 'build'? "
          + "'clean :: COMMAND' executes both in order, 'clean ::: COMMAND' side by side"
      ),
      (
        ["clean", "prod"],
        "clean: unexpected argument 'prod'; the command takes no parameters; "
          + "'clean :: COMMAND' executes both in order, 'clean ::: COMMAND' side by side"
      ),
      (
        ["build", "debug", "lint"],
        "build: unexpected argument 'lint'; its parameters are target; "
          + "'build … :: lint' executes both in order, 'build … ::: lint' side by side"
      ),
      (
        ["clean", "::"],
        "COMMAND is missing; usage: raclette run [OPTIONS] COMMAND [ARGS] [:: COMMAND [ARGS]]... "
          + "[::: COMMAND [ARGS]]..."
      ),
      (["clean", "::", "biuld"], "unknown command 'biuld' in commands.lua; did you mean 'build'?"),
    ])
  func wrong(words: [String], message: String) async {
    let run = await run(words)
    #expect(run.errors == "raclette: error: \(message)\n")
    #expect(run.output == "" && run.status == 2)
    #expect(log() == [])
  }

  @Test("look at variables and preconditions of a later call when its turn comes")
  func later() async {
    #expect(await run(["greet"]).status != 0)
    let run = await run(["set-up", "greet"])
    #expect(run.output == "hello, you\n" && run.status == 0, "\(run)")
  }

  @Test("ask for confirmation before anything is executed")
  func confirmation() async {
    let run = await run(["clean", "sure"])
    #expect(run.status == 2 && log() == [], "\(run)")
    #expect(await self.run(["--yes", "clean", "sure"]).output == "sure\n")
  }

  @Test("show in the plan")
  func plan() async {
    let run = await run(["-n", "clean", "build", ":::", "ok", "slow"])
    #expect(
      run.lines.filter { !$0.hasPrefix("     ") } == [
        "  1. clean", "  2. fetch               after clean",
        "  3. compile             after fetch",
        "  4. build target=debug  after compile", "  5. ok", "  6. slow                after ok",
      ], "\(run)")
    let json = await self.run(["-n", "--json", "fail", "ok"])
    #expect(
      json.output.contains(
        #"{"command":"ok","input":{},"needs":[],"requested":true,"enabled":true,"after":["fail"]"#),
      "\(json)")
  }

  @Test("are one run for programs")
  func events() async {
    let run = await run(["--json", "fail", "ok"])
    #expect(run.lines.first?.hasSuffix(#""type":"run_started","commands":["fail","ok"]}"#) == true)
    #expect(
      run.output.contains(
        #""type":"error","command":"ok","error":{"kind":"dependency","message":"'fail' failed: "#))
    #expect(run.lines.last?.hasSuffix(#""exit_code":7}"#) == true, "\(run)")
  }

  @Test("are executed in a session, and by its ':run'")
  func session() async {
    let run = await onThread { [folder] in
      Running(
        Launch(
          arguments: ["run", "-i", "slow", "ok"], folder: folder.path,
          input: .text(":run slow :: ok\n"))
      ).finish()
    }
    #expect(
      run.lines.filter { ["slow", "ok"].contains($0) } == ["slow", "ok", "slow", "ok"], "\(run)")
  }

  @Test("show the help of the command that asks for it")
  func help() async {
    #expect(await run(["clean", "build", "--help"]).output.hasPrefix("build\n"))
  }
}
