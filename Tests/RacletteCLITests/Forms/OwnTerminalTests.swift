import Testing

@Suite("a command with a terminal of its own", .timeLimit(.minutes(5)))
struct OwnTerminalTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "look", tty = true, run = [[
        [ -t 1 ] && [ -t 2 ] && ! [ -t 0 ] && echo terminal
        echo error >&2
        stty size </dev/tty
        exit 3
      ]]}
      rac.command{name = "plain", run = "[ -t 1 ] || echo pipe"}
      rac.command{name = "lua", tty = true, run = function(_, emit)
        emit("<" .. rac.sh("echo one; echo two", {stderr = "capture"}):to_table()[2] .. ">")
      end}
      rac.command{name = "size", tty = true, run = [[
        trap 'stty size </dev/tty; exit' WINCH
        echo ready
        while :; do sleep 0.01; done
      ]]}
      rac.command{name = "lives", tty = true, run = [[
        exec 9>alive
        echo ready
        while :; do sleep 0.01; done
      ]]}
      rac.command{name = "waits", tty = true, run = [[
        trap 'echo cleaned; exit' TERM
        echo ready $$
        while :; do sleep 0.01; done
      ]]}
      """)

  @Test("writes to it, and the runner passes it on")
  func output() async {
    let run = await raclette("look", in: folder)
    #expect(run.output == "terminal\nerror\n24 80\n")
    #expect(
      run.errors
        == "raclette: error: look: the script '[ -t 1 ] && [ -t 2 ] && ! [ -t 0 ] && echo terminal…' exited with status 3\n"
    )
    #expect(run.status == 3)
    #expect(await raclette("plain", in: folder).output == "pipe\n")
    #expect(await raclette("lua", in: folder).output == "<two>\n")
  }

  @Test("has the size of the user's terminal, and follows it")
  func size() async {
    await onThread { [folder] in
      let session = TerminalSession(["size"], in: folder, rows: 30, columns: 90)
      session.wait(forLine: "ready")
      session.resize(rows: 20, columns: 70)
      session.wait(forLine: "20 70")
      #expect(session.finish() == 0)
    }
  }

  @Test("ends with its group when it is cancelled")
  func cancelled() async {
    let run = await onThread { [folder] in
      let running = Running(Launch(arguments: ["waits"], folder: folder.path))
      running.waitForOutput("ready ")
      running.get(signal: 2)
      return running.finish()
    }
    #expect(run.status == 130)
    #expect(run.errors.contains("cleaned"))
  }

  @Test("dies with the runner")
  func killed() async {
    let lives = Lives(folder.makePipe("alive"))
    await onThread { [folder] in
      let running = Running(Launch(arguments: ["lives"], folder: folder.path))
      running.waitForOutput("ready")
      running.get(signal: 9)
      _ = running.finish()
    }
    lives.waitForEnd()
    #expect(lives.areOver)
  }

  @Test("is not interactive at the same time")
  func check() async {
    let folder = Folder(
      commands: "rac.command{name = 'a', tty = true, interactive = true, run = 'true'}")
    #expect(
      await raclette("check", in: folder).lines
        == ["commands.lua:1: the fields 'tty' and 'interactive' exclude each other"])
  }
}
