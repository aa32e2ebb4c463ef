import Platform
import Testing

@Suite("interruption", .timeLimit(.minutes(5)))
struct InterruptTests {
  /// A script whose shell holds `lives` open, with all its children, and says when it is ready.
  private static func holding(_ line: String, _ options: String = "") -> String {
    "rac.sh([[exec 9>lives; \(line)]], {\(options)}):subscribe(print)"
  }

  @Test(
    "the first signal ends all processes of a script before the runner ends",
    arguments: zip([SIGINT, SIGTERM, SIGHUP], [130, 143, 129] as [Int32]))
  func processes(signal: Int32, status: Int32) async {
    let run = await interrupted(Self.holding("sleep 1000 & echo ready; sleep 1000"), by: [signal])
    #expect(run.outcome.status == status)
    #expect(run.nobodyWasLeft)
    #expect(run.outcome.errorLines.count == 1)
  }

  @Test("commands of a command file too, and nothing more is said about them")
  func commands() async {
    let folder = Folder(
      commands: """
        rac.command{name = "one", run = function()
          return rac.sh("exec 9>lives; sleep 1000 & echo ready; sleep 1000") end}
        rac.command{name = "two", run = function() rac.sleep(1000) end}
        """)
    let run = await interrupted(["run", "one", ":::", "two"], in: folder, by: [SIGINT])
    #expect(run.outcome.status == 130)
    #expect(run.outcome.errors.hasPrefix("raclette: interrupted"))
    #expect(run.outcome.errorLines.count == 1)
    #expect(run.nobodyWasLeft)
  }

  @Test("what is started under nohup ignores SIGHUP, in processes too")
  func nohup() async {
    let folder = Folder(
      commands: #"rac.command{name = "hears", run = "kill -HUP $$; echo goes on"}"#)
    let run = await onThread {
      Running(
        Launch(
          program: "/usr/bin/env", arguments: ["nohup", Program.path, "hears"], folder: folder.path)
      ).finish()
    }
    #expect(run.output == "goes on\n", "\(run)")
    #expect(run.status == 0)
  }

  @Test("a process that ignores SIGTERM is killed after its grace")
  func grace() async {
    let script = Self.holding(
      "trap '' TERM; echo ready; while :; do sleep 1000; done", "grace = 0.05")
    let run = await interrupted(script, by: [SIGINT])
    #expect(run.outcome.status == 130)
    #expect(run.nobodyWasLeft)
  }

  @Test(
    "the second signal kills at once and keeps the status of the first",
    arguments: zip(
      [[SIGINT, SIGINT], [SIGINT, SIGTERM], [SIGTERM, SIGINT]], [130, 130, 143] as [Int32]))
  func twice(signals: [Int32], status: Int32) async {
    let script = Self.holding(
      "trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; while :; do sleep 1000; done",
      "grace = 100000")
    let run = await interrupted(script, by: signals)
    #expect(run.outcome.status == status)
    #expect(run.nobodyWasLeft)
  }

  @Test(
    "Lua code that never ends is stopped wherever it is",
    arguments: [
      "print('ready') while true do end",
      "print('ready') while true do pcall(function() while true do end end) end",
      "print('ready') while true do xpcall(error, function() end) end",
      "print('ready') while true do coroutine.wrap(function() while true do end end)() end",
      """
      local co = coroutine.create(function() while true do pcall(coroutine.yield) end end)
      print('ready') while true do coroutine.resume(co) end
      """,
      "rac.just(1):map(function() print('ready') while true do end end):subscribe()",
      "rac.timer(0):subscribe(function() print('ready') while true do end end)",
      "rac.async(function() print('ready') while true do end end):wait()",
      "print('ready') while true do pcall(rac.sleep, 0) end",
      "print('ready') while true do rac.sleep(0) end",
      "table.sort({1, 2, 3}, function() print('ready') while true do end end)",
      "print('ready') while true do string.rep('x', 1e5):gsub('x', 'y') end",
      // Ready once there is a process for the signal to reach.
      "local p = io.popen('echo ready; exec sleep 1000') print(p:read('l')) p:read('a')",
    ])
  func endless(script: String) async {
    let run = await interrupted(script, by: [SIGINT], isGroup: true)
    #expect(run.outcome.status == 130)
  }

  @Test("inside a command's run and its condition as well", arguments: ["run", "enabled"])
  func endlessCommand(place: String) async {
    let folder = Folder(
      commands: """
        local function work() print("ready") while true do end end
        local command = {name = "c", run = print}
        command.\(place) = work
        rac.command(command)
        """)
    let run = await interrupted(["run", "c"], in: folder, by: [SIGINT])
    #expect(run.outcome.status == 130)
  }

  @Test(
    "variables with <close> run on the first signal",
    arguments: [
      "print('ready') rac.sleep(1000)", "print('ready') while true do end",
      "print('ready') pcall(rac.sleep, 1000)",
      "rac.async(function() print('ready') rac.sleep(1000) end):wait()",
      "rac.just(1):map(function() print('ready') while true do end end):wait()",
    ])
  func close(body: String) async {
    let script = """
      local held <close> = setmetatable({}, {__close = function() print("closed") end})
      \(body)
      """
    let run = await interrupted(script, by: [SIGINT])
    #expect(run.outcome.output == "ready\nclosed\n")
    #expect(run.outcome.status == 130)
  }

  @Test(
    "clean-up that never ends is ended by the second signal",
    arguments: [
      "rac.sleep(1000)", "while true do end",
      "table.sort({1, 2}, function() while true do end end)",
    ])
  func endlessClose(body: String) async {
    let folder = Folder()
    let script = """
      local held <close> = setmetatable({}, {__close = function()
        io.stderr:write("interrupted\\n")
        while true do end
      end})
      local ready = rac.replay_subject(1)
      rac.sh("exec 9>lives; echo ready; sleep 1000"):subscribe(function(line)
        ready:send_next(line)
      end)
      print(ready:first())
      \(body)
      """
    let pipe = folder.makePipe("lives")
    let launch = Launch(arguments: ["-e", script], folder: folder.path)
    let (run, nobodyWasLeft) = await onThread {
      let lives = Lives(pipe)
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGINT)
      running.waitForErrors("interrupted")
      // As a user does whose first Ctrl-C seems to have no effect.
      let run = running.finish(repeating: SIGINT)
      lives.waitForEnd()
      return (run, lives.areOver)
    }
    #expect(run.status == 130)
    #expect(nobodyWasLeft)
  }

  @Test("the second signal reaches the processes of a runner inside")
  func nested() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "outer", run = function()
        return rac.exec{rac.env.RACLETTE, "run", "-f", "inner.lua", "inner", grace = 1e6}
      end}
      """,
      "inner.lua": """
      rac.command{name = "inner", run = function()
        return rac.sh("exec 9>lives; trap '' TERM; echo ready; while :; do sleep 1000; done", {grace = 1e6})
      end}
      """,
    ])
    let run = await interrupted(
      ["run", "outer"], in: folder, by: [SIGINT, SIGINT], environment: ["RACLETTE": Program.path])
    #expect(run.outcome.status == 130)
    #expect(run.nobodyWasLeft)
  }

  @Test("a signal ends the run although nobody takes its output")
  func blocked() async {
    let (reading, writing) = makePipe()
    var launch = Launch(arguments: ["-e", "rac.exec{'yes'}:subscribe(print)"])
    launch.output = .descriptor(writing)
    let run = await onThread { [launch] in
      let running = Running(launch)
      closeDescriptor(writing)
      // Full as soon as nothing more comes out of it without somebody who reads.
      var state = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      _ = uninterrupted { poll(&state, 1, 60_000) }
      running.get(signal: SIGTERM)
      return running.finish()
    }
    closeDescriptor(reading)
    #expect(run.status == 143)
  }

  @Test("a program that was started to survive a hang-up does")
  func noHangUp() async {
    let folder = Folder()
    let run = await shell(
      "trap '' HUP; raclette -e 'rac.sh(\"kill -HUP $PPID\"):wait() print(\"on\")'", in: folder)
    #expect(run.output == "on\n")
    #expect(run.status == 0)
  }

  /// What cleans up when it is cancelled, and says so.
  private static let cleaning = """
    local held <close> = setmetatable({}, {__close = function()
      io.open("closing", "w"):close()
      repeat local go = io.open("go") until go
      print("closed")
    end})
    io.open("ready", "w"):close()
    rac.sleep(1000)
    """

  @Test("signals that arrive together are one request, with the status of the first")
  func together() async {
    let folder = Folder(["script.lua": Self.cleaning, "go": ""])
    let run = await shell(
      """
      raclette exec script.lua & while [ ! -e ready ]; do sleep 0.01; done
      kill -STOP $!; kill -HUP $!; kill -TERM $!; kill -CONT $!; wait $!; echo $?
      """, in: folder)
    #expect(run.output == "closed\n129\n", "\(run)")
  }

  @Test("a terminal that closes may say so as often as it likes, until the program has ended")
  func hangUps() async {
    let folder = Folder(["script.lua": Self.cleaning])
    let run = await shell(
      """
      raclette exec script.lua & while [ ! -e ready ]; do sleep 0.01; done
      kill -HUP $!; while [ ! -e closing ]; do sleep 0.01; done
      kill -HUP $!; touch go
      while kill -HUP $! 2>/dev/null; do :; done
      wait $!; echo $?
      """, in: folder)
    #expect(run.output == "closed\n129\n", "\(run)")
  }

  @Test("timeout(1), which signals its child twice in a row, still gets an orderly end")
  func timeoutProgram() async {
    let folder = Folder()
    let script = """
      local held <close> = setmetatable({}, {__close = function() print("closed") end})
      io.open("ready", "w"):close()
      rac.sleep(1000)
      """
    folder.write(script, to: "script.lua")
    // What it does when its time is up, it also does when it is told to end. Until it waits for its child
    // it may not know that it has one, and then passes nothing on.
    let run = await shell(
      """
      timeout 1000 raclette exec script.lua &
      until [ -e ready ] && grep -q '^State:.S' /proc/$!/status; do sleep 0.01; done
      kill -TERM $!; wait $!; echo $?
      """, in: folder)
    #expect(run.output == "closed\n143\n")
  }

  @Test("the second of these signals does not force the end, however late it comes")
  func lateRepetition() async {
    let folder = Folder(["script.lua": Self.cleaning])
    // The program is known by its name, which the shell has here.
    folder.write(
      """
      printf timeout >/proc/$$/comm
      raclette exec script.lua & while [ ! -e ready ]; do sleep 0.01; done
      kill -TERM $!; while [ ! -e closing ]; do sleep 0.01; done
      kill -TERM $!; touch go; wait $!; echo $?
      """, to: "ends.sh")
    let run = await shell("sh ends.sh", in: folder)
    #expect(run.output == "closed\n143\n")
  }

  // MARK: Support

  private struct Interrupted: Sendable {
    let outcome: Outcome
    /// Whether every process that held the pipe `lives` had ended when the runner had.
    let nobodyWasLeft: Bool
  }

  private func interrupted(
    _ script: String, by signals: [Int32], isGroup: Bool = false
  ) async -> Interrupted {
    await interrupted(["-e", script], in: Folder(), by: signals, isGroup: isGroup)
  }

  /// Sends the first signal when the script says that it is ready, and the second when the runner
  /// has answered the first.
  private func interrupted(
    _ words: [String], in folder: Folder, by signals: [Int32], isGroup: Bool = false,
    environment: [String: String] = [:]
  ) async -> Interrupted {
    let pipe = folder.makePipe("lives")
    let launch = Launch(
      arguments: words, folder: folder.path, environment: environment, leadsGroup: isGroup)
    return await onThread {
      // Open before anybody writes, so that scripts without a child need not be told apart.
      let lives = Lives(pipe)
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: signals[0])
      for signal in signals.dropFirst() {
        running.waitForErrors("ed")
        running.get(signal: signal)
      }
      let outcome = running.finish()
      // Who is killed is still dying for a moment.
      if signals.count > 1 { lives.waitForEnd() }
      return Interrupted(outcome: outcome, nobodyWasLeft: lives.areOver)
    }
  }
}

/// The system's `close`, whose name a test has.
private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
