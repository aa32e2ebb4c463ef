import Testing

@Suite("at a terminal", .timeLimit(.minutes(1)))
struct TerminalTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "wait", summary = "Waits", group = "all", run = function(_, emit)
        emit("ready")
        rac.sleep(1000)
      end}
      rac.command{name = "fail", run = function() error("boom") end}
      rac.command{name = "ask", run = function() io.write("name? ") return "hello " .. io.read() end}
      """)

  @Test("Ctrl-C cancels, and the runner tells how to force it")
  func interrupt() async {
    let run = await atTerminal("run", "wait") { running in
      running.waitForOutput("ready")
      running.send("\u{3}")
    }
    #expect(
      run.output.contains("raclette: interrupted, cleaning up; press Ctrl-C again to kill\r\n"))
    #expect(run.status == 130)
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
