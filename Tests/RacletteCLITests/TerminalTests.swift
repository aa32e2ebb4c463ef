import TerminalScreen
import Testing

@Suite("at a terminal", .timeLimit(.minutes(5)))
struct TerminalTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "wait", summary = "Waits", group = "all", run = function(_, emit)
        emit("ready")
        rac.sleep(1000)
      end}
      rac.command{name = "fail", run = function() error("boom") end}
      rac.command{name = "stubborn", run = function()
        return rac.sh("trap '' TERM; echo ready; while :; do sleep 0.01; done", {grace = 1e6})
      end}
      rac.command{name = "slow", run = function()
        return rac.sh("echo a; while [ ! -e go ]; do sleep 0.01; done; echo b")
      end}
      rac.command{
        name = "greet", secrets = {"pin"},
        params = {{name = "who", required = true, help = "whom"},
          {name = "mood", required = true, choices = {"good", "bad"}},
          {name = "pin", required = true, type = "integer"}},
        run = function(i) return i.mood .. " day " .. i.who .. " " .. (i.pin + 1) end,
      }
      rac.command{name = "ask", run = function() io.write("name? ") return "hello " .. io.read() end}
      """)

  @Test("Ctrl-C cancels")
  func interrupt() async {
    let run = await atTerminal("run", "wait") { running in
      running.waitForOutput("ready")
      running.send("\u{3}")
    }
    // The status line may have come meanwhile.
    let isEnded = run.output.contains(
      #/^ready\r\n.*\^C.*raclette: interrupted/#.dotMatchesNewlines())
    #expect(isEnded && run.status == 130, "\(run)")
  }

  @Test("the runner tells what Ctrl-C waits for, and how to force it")
  func force() async {
    let run = await atTerminal("run", "stubborn") { running in
      running.waitForOutput("ready")
      running.send("\u{3}")
      running.waitForOutput("interrupted, waiting for a process to end; press Ctrl-C again to kill")
      running.send("\u{3}")
    }
    #expect(run.status == 130)
  }

  @Test("a line at the bottom tells what runs, and is gone before anything else is shown")
  func statusLine() async {
    let run = await atTerminal("run", "slow") { [folder] running in
      running.waitForOutput("running: slow")
      folder.write("", to: "go")
    }
    let screen = Screen(rows: 24, columns: 80)
    screen.write(run.output.utf8)
    #expect(screen.lines == ["a", "b"])
  }

  @Test("what a command requires is asked for, again after a mistake, and a secret unseen")
  func question() async {
    let run = await atTerminal("run", "greet") { running in
      running.waitForOutput("who (whom): ")
      running.send("Ada\n")
      running.waitForOutput("mood (good|bad): ")
      running.send("so so\n")
      running.waitForOutput("cannot be 'so so'")
      running.send("good\n")
      running.waitForOutput("pin (integer): ")
      running.send("4711\n")
    }
    #expect(run.output.hasSuffix("pin (integer): \r\ngood day Ada 4712\r\n"))
    #expect(!run.output.contains("4711"))
    #expect(run.status == 0)
  }

  @Test("errors and headings have colours, unless they are not wanted")
  func colors() async {
    let failed = await atTerminal("run", "fail")
    #expect(
      failed.output == "raclette: \u{1B}[1;31merror\u{1B}[0m: fail: commands.lua:5: boom\r\n")
    let list = await atTerminal("list")
    #expect(list.output.contains("\u{1B}[1mall:\u{1B}[0m\r\n"))
    let plain = await atTerminal("--color=never", "run", "fail")
    #expect(plain.output == "raclette: error: fail: commands.lua:5: boom\r\n")
  }

  @Test("a list has the parameters that fit half of a line")
  func longParameters() async {
    let folder = Folder(
      commands: """
        local function params(...)
          local all = {}
          for i, name in ipairs{...} do all[i] = {name = name, required = true} end
          return all
        end
        rac.command{name = "short", summary = "Short", params = params("one"), run = "true"}
        rac.command{name = "long", summary = "Long", run = "true",
          params = params("first_parameter", "second_parameter", "third_parameter", "fourth_parameter")}
        """)
    let launch = Launch(
      arguments: ["list"], folder: folder.path, environment: ["TERM": "xterm-256color"])
    let list = await onThread { Running(atTerminal: launch).finish() }
    #expect(
      list.output
        == "  short <one>               Short\r\n  long <first_parameter> …  Long\r\n", "\(list)")
    let piped = await raclette("list", in: folder)
    #expect(
      piped.lines.last
        == "  long <first_parameter> <second_parameter> <third_parameter> <fourth_parameter>  Long")
  }

  @Test("a script may ask the user")
  func input() async {
    let run = await atTerminal("run", "ask") { running in
      running.waitForOutput("name? ")
      running.send("you\n")
    }
    #expect(run.output.hasSuffix("hello you\r\n"))
    #expect(run.status == 0)
  }

  private func atTerminal(
    _ words: String..., body: @escaping @Sendable (Running) -> Void = { _ in }
  ) async -> Outcome {
    let launch = Launch(
      arguments: words, folder: folder.path, environment: ["TERM": "xterm-256color"])
    return await onThread {
      let running = Running(atTerminal: launch)
      body(running)
      return running.finish()
    }
  }
}
