import Platform
import Testing

@Suite("interactive commands", .timeLimit(.minutes(5)))
struct InteractiveTests {
  private let folder = Folder(
    commands: """
      local function ask(name)
        rac.command{name = name, interactive = true, run = function()
          return rac.sh("[ -t 0 ] && [ -t 1 ] && echo " .. name .. "? && read x && echo " .. name .. " got $x")
        end}
      end
      ask("a") ask("b")
      rac.command{name = "piped", interactive = true, run = function()
        return rac.sh("cat; echo tty?; read x </dev/tty; echo got $x")
      end}
      rac.command{name = "broken", interactive = true, run = function()
        print(pcall(function() rac.exec{"sh", cwd = "missing"}:wait() end))
        return rac.sh("echo now?; read x; echo got $x")
      end}
      rac.command{name = "unfit", run = function()
        return rac.sh("read x </dev/tty")
      end}
      rac.command{name = "user", needs = "unfit"}
      rac.command{name = "screen", interactive = true, run = function()
        return rac.sh([[printf '\\033[?1049h\\033[?25l\\033[?1000h\\033[?1006h\\033[?2004hfull screen'
          kill -TERM $PPID; exec sleep 1000]])
      end}
      rac.command{name = "left", interactive = true, run = "stty -echo -icanon"}
      rac.command{name = "failed", interactive = true, run = "stty -echo -icanon; exit 3"}
      rac.command{name = "own", tty = true, run = "stty -echo -icanon"}
      rac.command{name = "raw", interactive = true, run = function()
        return rac.sh("stty -echo -icanon; echo ready; kill -TERM $PPID; exec sleep 1000")
      end}
      """)

  /// Runs a shell at a terminal, in which `raclette` is the one under test.
  private func atTerminal(
    _ words: [String], _ body: @escaping @Sendable (Running) -> Void = { _ in }
  ) async -> Outcome {
    var launch = Launch(program: "/bin/bash", arguments: ["--norc", "--noprofile"] + words)
    launch.folder = folder.path
    launch.environment = ["TERM": "xterm", "raclette": Program.path, "PS1": "$ "]
    return await onThread { [launch] in
      let running = Running(atTerminal: launch)
      body(running)
      return running.finish()
    }
  }

  @Test("have the terminal to themselves")
  func terminal() async {
    let run = await atTerminal(["-c", "exec $raclette run a"]) { running in
      running.waitForOutput("a?\r\n")
      running.send("one\n")
    }
    #expect(run.output.hasSuffix("a got one\r\n"))
    #expect(run.status == 0)
  }

  @Test("take turns at it when they run side by side")
  func turns() async {
    let run = await atTerminal(["-c", "exec $raclette run a ::: b"]) { running in
      running.waitForOutput("a?\r\n")
      running.send("one\n")
      running.waitForOutput("b?\r\n")
      running.send("two\n")
    }
    #expect(run.output.contains("a got one\r\n"))
    #expect(run.output.hasSuffix("b got two\r\n"))
    #expect(run.status == 0)
  }

  @Test("have it too when standard input is a pipe")
  func pipe() async {
    let run = await atTerminal(["-c", "echo data | $raclette run piped"]) { running in
      running.waitForOutput("tty?\r\n")
      running.send("answer\n")
    }
    #expect(run.output.hasPrefix("data\r\n"))
    #expect(run.output.hasSuffix("got answer\r\n"))
  }

  @Test("are what a need has to be whose program uses the terminal, and the runner says so")
  func unfit() async {
    let run = await atTerminal(["-c", "exec $raclette run user"]) { running in
      running.waitForOutput("'read x </dev/tty' waits for the terminal")
      running.send("\u{3}")
    }
    #expect(run.status == 130)
  }

  @Test("stop with the runner, and go on where they were")
  func jobControl() async {
    let run = await atTerminal(["-i"]) { running in
      running.send("$raclette run a\n")
      running.waitForOutput("a?\r\n")
      running.send("\u{1A}")
      running.waitForOutput("Stopped")
      running.send("fg\n")
      running.waitForOutput("fg\r\n")
      running.send("again\n")
      running.waitForOutput("a got again\r\n")
      running.send("exit 7\n")
    }
    #expect(run.output.contains("a got again\r\n"))
    #expect(run.status == 7)
  }

  /// A program that goes on in the background has no right to the terminal of its shell.
  @Test("leave the terminal to the shell after bg")
  func background() async {
    let run = await atTerminal(["-i"]) { running in
      // The shell tells at once that a job has stopped.
      running.send("set -b\n")
      running.send("$raclette run a\n")
      running.waitForOutput("a?\r\n")
      running.send("\u{1A}")
      running.waitForOutput("Stopped")
      // It stops again, because it reads the terminal.
      running.send("bg\n")
      running.waitForOutput("Stopped", count: 2)
      running.send("echo shell is $((1 + 1))\n")
      running.waitForOutput("shell is 2\r\n")
      running.send("fg\n")
      running.waitForOutput("fg\r\n")
      running.send("late\n")
      running.waitForOutput("a got late\r\n")
      running.send("exit 7\n")
    }
    #expect(run.status == 7)
  }

  @Test("that do not start leave the terminal to those that follow")
  func notStarted() async {
    let run = await atTerminal(["-c", "exec $raclette run broken"]) { running in
      running.waitForOutput("now?\r\n")
      running.send("yes\n")
    }
    #expect(run.output.hasSuffix("got yes\r\n"))
    #expect(run.status == 0)
  }

  @Test("print beside the events of --json, not between them")
  func events() async {
    let run = await raclette(
      "run", "--json", "c",
      in: Folder(
        commands: """
          rac.command{name = "c", interactive = true, run = function() return rac.sh("echo bare") end}
          """))
    #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"#) })
    #expect(run.errors == "bare\n")
  }

  @Test("that are ended leave the terminal as it was")
  func modes() async {
    let run = await atTerminal([
      "-c",
      "$raclette run raw; stty -a | tr ' ;' '\\n\\n' | grep -x -e -*echo -e -*icanon",
    ])
    #expect(run.output.contains("ready\r\n"))
    #expect(run.output.hasSuffix("icanon\r\necho\r\n"))
    #expect(!run.output.contains("-echo"))
  }

  @Test(
    "that end by themselves do so, too, as do those with a terminal of their own",
    arguments: ["left", "failed", "own"])
  func modesAtEnd(name: String) async {
    let run = await atTerminal([
      "-c",
      "$raclette -q run \(name); stty -a | tr ' ;' '\\n\\n' | grep -x -e -*echo -e -*icanon",
    ])
    #expect(("\r\n" + run.output).hasSuffix("\r\nicanon\r\necho\r\n"))
  }

  @Test("that are ended leave nothing of what they asked of the screen")
  func screenModes() async {
    let run = await atTerminal(["-c", "echo before; $raclette run screen; echo after"])
    let undone = ["1047", "1000", "1002", "1003", "1004", "1006", "1015", "2004", "1"]
    let reset = undone.map { "\u{1B}[?\($0)l" }.joined() + "\u{1B}[?25h\u{1B}>\u{1B}[0m"
    let asked = ["1049h", "25l", "1000h", "1006h", "2004h"].map { "\u{1B}[?\($0)" }.joined()
    #expect(
      run.output
        == "before\r\n\(asked)full screen\(reset)raclette: terminated\r\nafter\r\n")
  }

  @Test("that end by themselves, or at a terminal without such modes, get no such bytes")
  func noScreenModes() async {
    let run = await atTerminal(["-c", "TERM=dumb $raclette run screen"])
    #expect(!run.output.contains("[?1047l"), "\(run)")
    let ended = await atTerminal(["-c", "exec $raclette run a"]) { running in
      running.waitForOutput("a?\r\n")
      running.send("one\n")
    }
    #expect(!ended.output.contains("\u{1B}"), "\(ended)")
  }
}
