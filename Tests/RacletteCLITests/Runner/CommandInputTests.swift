import Platform
import Testing

@Suite("standard input of a command", .timeLimit(.minutes(5)))
struct CommandInputTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "line", run = "cat"}
      rac.command{name = "list", run = {"cat"}}
      rac.command{name = "tty", tty = true, run = "cat"}
      rac.command{name = "steps", steps = {"head -c 2", {"cat"}}}
      rac.command{name = "started", run = function() return rac.sh("cat") end}
      rac.command{name = "inner", run = function() return rac.commands.line:execute() end}
      rac.command{name = "commands", steps = {"true", {command = "line"}}}
      rac.command{name = "kept", fingerprint = function() return rac.sh("cat"):first("") end,
        precondition = function() return rac.sh("cat"):first("") == "" end, run = "cat"}
      rac.command{name = "need", needs = "line"}
      rac.command{name = "after", needs = "line", run = "cat"}
      rac.command{name = "own", run = function() return rac.exec{"cat", stdin = "own"} end}
      rac.command{name = "lua", run = function()
        return rac.merge(rac.stdin(), rac.sh("cat"))
      end}
      rac.command{name = "asked", run = function() return io.read("l") end}
      rac.command{name = "none", run = function() return "done" end}
      rac.command{name = "question", steps = {
        {"bash", "-c", "read -r -p 'Name? ' name; echo \\"Hello $name\\""},
        {"bash", "-c", "stty -echo; read -r -p 'Again? ' name; echo \\"Hello $name\\""}}}
      rac.command{name = "talk", run = "echo ready; cat"}
      rac.command{name = "device", run = "printf 'Word? ' >/dev/tty; read -r word </dev/tty; echo got $word"}
      rac.command{name = "stuck", run = function()
        local cleaned <close> = setmetatable({}, {__close = function() print("cleaned") end})
        rac.sh("echo ready; while read -r word; do echo got $word; done"):do_next(print):wait()
      end}
      """)

  @Test(
    "is that of its processes, one after the other",
    arguments: [
      "line", "list", "tty", "steps", "started", "inner", "commands", "kept", "after", "lua",
    ])
  func given(_ command: String) async {
    let run = await raclette("run", "-q", command, in: folder, input: "ab\n\u{0}c")
    #expect(run.output == "ab\n\u{0}c", "\(run.errors)")
    #expect(run.errors == "")
  }

  @Test("is that of each command of a sequence in its turn")
  func sequence() async {
    let run = await raclette(
      "run", "-q", "none", "::", "line", "::", "list", in: folder, input: "text")
    #expect(run.output == "done\ntext", "\(run)")
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("is not that of a process which has another")
  func own() async {
    #expect(await raclette("run", "own", in: folder).output == "own")
  }

  @Test(
    "is reported if nothing can read it",
    arguments: [
      ("need", "", "no process of 'need' reads it"),
      ("none", "done\n", "no process of 'none' reads it"),
      ("line ::: list", "", "it is for one command, and several were requested"),
    ])
  func unread(_ call: String, _ output: String, _ reason: String) async {
    folder.write("text\n", to: "text")
    let line = "raclette run \(call)"
    for line in ["\(line) <text", "cat text | { while ! read -t 0; do :; done; \(line); }"] {
      let run = await shell(line, in: folder)
      #expect(run.output == output)
      #expect(run.errors == "raclette: standard input was not read: \(reason)\n")
      #expect(run.status == 0)
    }
  }

  @Test(
    "is not reported if it is empty, or something could read it",
    arguments: [
      "none </dev/null", "none <empty", "none <&-", "none < <(true)", "none < <(exec sleep 1)",
      "asked <text", "list <text",
    ])
  func quiet(_ call: String) async {
    folder.write("text\nmore\n", to: "text")
    folder.write("", to: "empty")
    let run = await shell("raclette run \(call)", in: folder)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("is the terminal, for a process that reads from it")
  func terminal() async {
    let run = await atTerminal("question") { running in
      running.waitForOutput("Name? ")
      running.send("Ann\n")
      running.waitForOutput("Again? ")
      running.send("Bob\n")
    }
    #expect(run.output == "Name? Ann\r\nHello Ann\r\nAgain? Hello Bob\r\n")
    #expect(run.status == 0)
  }

  @Test("is the terminal, for a process that opens it")
  func device() async {
    let run = await atTerminal("device") { running in
      running.waitForOutput("Word? ")
      running.send("x\n")
    }
    #expect(run.output == "Word? x\r\ngot x\r\n")
  }

  @Test("gives the terminal back in its modes, however the process ends")
  func modes() async {
    let run = await atTerminal("question", then: "exec stty -a | grep -o ' -*echo '") { running in
      running.waitForOutput("Name? ")
      running.send("Ann\n")
      running.waitForOutput("Again? ")
      running.send("\u{3}")
    }
    #expect(run.output.hasSuffix("raclette: interrupted\r\n echo \r\n"), "\(run.output)")
  }

  @Test("lets Ctrl-C end the run while a process has the terminal")
  func interrupt() async {
    let run = await atTerminal("stuck") { running in
      running.waitForOutput("ready")
      running.send("x\n")
      running.waitForOutput("got x")
      running.send("\u{3}")
    }
    #expect(run.output.contains("cleaned\r\n"))
    #expect(run.status == 130)
  }

  @Test("stops with the run by Ctrl-Z, and reads on after fg")
  func stop() async {
    var launch = Launch(program: "/bin/bash", arguments: ["--norc", "--noprofile", "-i"])
    launch.folder = folder.path
    launch.environment = ["TERM": "xterm", "raclette": Program.path, "PS1": "$ "]
    let run = await onThread { [launch] in
      let running = Running(atTerminal: launch)
      running.waitForOutput("$ ")
      running.send("$raclette run talk\n")
      running.waitForOutput("ready\r\n")
      running.send("one\n")
      running.waitForOutput("one\r\n", count: 2)
      running.send("\u{1A}")
      running.waitForOutput("Stopped")
      running.waitForOutput("$ ", count: 2)
      running.send("fg\n")
      // The shell names the command that it continues.
      running.waitForOutput("$raclette run talk\r\n", count: 3)
      running.send("two\n")
      running.waitForOutput("two\r\n", count: 2)
      running.send("\u{4}")
      running.waitForOutput("$ ", count: 3)
      running.send("exit $?\n")
      return running.finish()
    }
    #expect(run.status == 0)
  }

  @Test("goes to a program although the terminal stops what writes in the background")
  func tostop() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "ask", shell = {"bash", "-c"},
          run = "read -p 'Name? ' x; echo hello $x; echo err >&2"}
        """#)
    var launch = Launch(
      program: "/bin/bash",
      arguments: ["-c", "stty tostop -echo; '\(Program.path)' ask; echo status $?"])
    launch.folder = folder.path
    launch.environment = ["TERM": "dumb"]
    let run = await onThread { [launch] in
      let running = Running(atTerminal: launch)
      running.waitForOutput("Name? ")
      running.send("Bo\n")
      return running.finish()
    }
    #expect(run.output == "Name? hello Bo\r\nerr\r\nstatus 0\r\n", "\(run)")
  }

  @Test("is not taken by what a line leaves in the background")
  func background() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "left", run = "cat & echo begun; sleep 0.2; echo done"}
        rac.command{name = "read", run = "(read -r x; echo got $x) & sleep 0.2; echo done"}
        """#)
    for (command, output) in [("left", "begun\r\ndone\r\n"), ("read", "done\r\n")] {
      var launch = Launch(
        program: "/bin/bash",
        arguments: [
          "-c",
          "stty -echo; '\(Program.path)' \(command); echo status $?; read -r x; echo shell: $x",
        ])
      launch.folder = folder.path
      launch.environment = ["TERM": "dumb"]
      let run = await onThread { [launch] in
        let running = Running(atTerminal: launch)
        running.waitForOutput("status")
        running.send("typed\n")
        return running.finish()
      }
      #expect(run.output == output + "status 0\r\nshell: typed\r\n", "\(run)")
    }
  }

  /// Runs a command at a terminal, in a shell that goes on with a line.
  private func atTerminal(
    _ command: String, then line: String? = nil,
    _ body: @escaping @Sendable (Running) -> Void
  ) async -> Outcome {
    let call = "\(line == nil ? "exec " : "")'\(Program.path)' run \(command)"
    var launch = Launch(
      program: "/bin/bash",
      arguments: ["--norc", "--noprofile", "-c", line.map { "trap : INT; \(call); \($0)" } ?? call])
    launch.folder = folder.path
    launch.environment = ["TERM": "dumb"]
    return await onThread { [launch] in
      let running = Running(atTerminal: launch)
      body(running)
      return running.finish()
    }
  }
}
