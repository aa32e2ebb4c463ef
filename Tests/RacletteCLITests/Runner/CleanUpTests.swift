import Platform
import Testing

@Suite("clean-up of processes", .timeLimit(.minutes(5)))
struct CleanUpTests {
  private let cleaning = """
    trap 'echo cleaning; echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done
    """

  @Test(
    "a run that waits for what its line has left in the background says so",
    arguments: ["", "setsid "])
  func leftInBackground(prefix: String) async throws {
    let folder = Folder([
      "commands.lua": #"rac.command{name = "web", run = "sh start.sh"}"#,
      // It ends once the other one is at work under its own name.
      "start.sh": #"""
      \#(prefix)sleep 600 &
      until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done
      echo $!
      """#,
    ])
    let run = await onThread {
      let running = Running(Launch(arguments: ["web"], folder: folder.path))
      running.waitForErrors("which it has left in the background\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    let sleeper = try #require(pid_t(run.lines.first ?? ""))
    // What has left the group is not ended with it.
    kill(sleeper, SIGKILL)
    #expect(
      run.errorLines.first
        == "raclette: 'sh start.sh' has ended, but its run waits for 'sleep' (process \(sleeper)), which it has left in the background"
    )
  }

  @Test("what a cancelled process prints is shown, and no value", arguments: [SIGINT, SIGTERM])
  func cancelled(signal: Int32) async {
    let folder = Folder(
      commands: "rac.command{name = 'c', run = function() return rac.sh([[\(cleaning)]]) end}")
    let run = await interrupted(["run", "c"], in: folder, by: signal)
    #expect(run.output == "ready\n")
    #expect(run.errors.contains("cleaning\ncleaned\n"))
    let events = await interrupted(["run", "--json", "c"], in: folder, by: signal)
    #expect(
      events.output.contains(/"type":"stderr","command":"c","execution":\d+,"value":"cleaned"/))
  }

  @Test(
    "so is what one prints that took too long",
    arguments: ["return rac.sh(line, {timeout = 2})", "return rac.sh(line)"])
  func timedOut(body: String) async {
    let folder = Folder(
      commands: """
        local line = [[\(cleaning)]]
        rac.command{name = "c", timeout = 3, run = function() \(body) end}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors.contains("cleaning\ncleaned\n"))
    #expect(run.status == 124)
  }

  @Test("what nobody wants any more is not shown")
  func unwanted() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function() return rac.exec{"yes"}:take(1) end}
        rac.command{name = "flood", run = function() return rac.exec{"yes"} end}
        """)
    let run = await raclette("run", "c", in: folder)
    #expect(run.output == "y\n")
    #expect(run.errors == "")
    let flood = await shell("raclette run flood | head -1", in: folder)
    #expect(flood.output == "y\n")
    #expect(flood.errors == "")
  }

  @Test("a runner inside that has no time for it takes its processes along")
  func nested() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "outer", run = function()
        return rac.exec{rac.env.RACLETTE, "run", "-f", "inner.lua", "inner", grace = 0.05}
      end}
      """,
      "inner.lua": """
      rac.command{name = "inner", run = function()
        return rac.sh("exec 9>lives; trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; sleep 1000; sleep 1000",
          {grace = 1e6})
      end}
      """,
    ])
    let pipe = folder.makePipe("lives")
    let launch = Launch(
      arguments: ["run", "outer"], folder: folder.path, environment: ["RACLETTE": Program.path])
    let (run, nobodyWasLeft) = await onThread {
      let lives = Lives(pipe)
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGINT)
      let run = running.finish()
      return (run, lives.areOver)
    }
    #expect(run.status == 130)
    #expect(nobodyWasLeft)
  }

  @Test("a <close> variable that waits is told that it cannot")
  func waiting() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function(_, emit)
          local held <close> = setmetatable({}, {__close = function() rac.sleep(0.01) end})
          rac.sh("echo ready; exec sleep 1000"):subscribe(emit)
          rac.sleep(1000)
        end}
        """)
    let run = await interrupted(["run", "c"], in: folder, by: SIGTERM)
    #expect(run.errors.contains("cannot wait while a coroutine is being closed"))
    #expect(run.status == 143)
  }

  @Test("a stop that came before SIGCONT is out of date, however long Lua code held it up")
  func lateStop() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function(_, emit)
          emit("ready")
          while not io.open("go") do end
          return "done"
        end}
        """)
    let launch = Launch(arguments: ["run", "c"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGTSTP)
      running.get(signal: SIGCONT)
      folder.write("", to: "go")
      return running.finish()
    }
    #expect(run.output == "ready\ndone\n")
    #expect(run.status == 0)
  }

  private func interrupted(
    _ words: [String], in folder: Folder, by signal: Int32
  ) async -> Outcome {
    let launch = Launch(arguments: words, folder: folder.path)
    return await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.waitUntilItIsIdle()
      running.get(signal: signal)
      return running.finish()
    }
  }
}
