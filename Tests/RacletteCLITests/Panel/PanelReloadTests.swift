import Platform
import Testing

/// What becomes of executions and of the panel when the command file changes.
@Suite("the panel's reload", .timeLimit(.minutes(5)))
struct PanelReloadTests {
  private static let waiting = "until [ -e go ]; do sleep 0.01; done"

  /// A panel with an execution of `long`, whose file was changed meanwhile.
  private func changed(_ policy: String, _ more: String = "") -> (PanelProgram, EventStreamReader) {
    let file = { (text: String) in
      """
      rac.command{name = "long", \(policy) run = "echo \(text); \(Self.waiting)"}
      \(more)
      """
    }
    let panel = PanelProgram(file("old"))
    let stream = panel.stream()
    stream.wait(for: "\nid: ")
    panel.wait(for: panel.execute("long"), "\"outputs\":1")
    panel.folder.write(file("new"), to: "commands.lua")
    #expect(stream.wait(for: "\"type\":\"reloaded\",\"added\":"))
    return (panel, stream)
  }

  @Test("comes when the command file would find other files")
  func listedFiles() async {
    let folder = Folder([
      "commands.lua": """
      for _, file in ipairs(rac.glob("src/*")) do rac.command{name = file, run = "true"} end
      """, "src/a": "",
    ])
    await onThread {
      let panel = PanelProgram(folder)
      let stream = panel.stream()
      stream.wait(for: "\nid: ")
      panel.folder.write("", to: "src/b")
      #expect(stream.wait(for: #""added":["src/b"],"removed":[],"changed":[]"#))
      _ = panel.end()
    }
  }

  @Test("begins with the variables of the panel, and leaves executions those of their command file")
  func variables() async {
    let file = { @Sendable (changes: String) in
      """
      \(changes)
      rac.env.PATHS = "a:" .. (rac.env.PATHS or "")
      rac.command{name = "say", run = 'echo "$FIRST,$PATHS" >>said'}
      rac.command{name = "long", run = function()
        repeat rac.sleep(0.01) until rac.stat("go")
        rac.sh('echo "$FIRST,$PATHS" >>said'):wait()
      end}
      """
    }
    let folder = Folder(commands: file(#"rac.env.FIRST = "1""#))
    let said = await onThread {
      let panel = PanelProgram(folder)
      let stream = panel.stream()
      stream.wait(for: "\nid: ")
      let long = panel.execute("long")
      for changes in ["-- none", "rac.env.FIRST = nil"] {
        panel.wait(for: panel.execute("say"), #""state":"completed""#)
        folder.write(file(changes), to: "commands.lua")
        #expect(stream.wait(for: "\"type\":\"reloaded\",\"added\":"))
      }
      folder.write("", to: "go")
      panel.wait(for: long, #""state":"completed""#)
      panel.wait(for: panel.execute("say"), #""state":"completed""#)
      _ = panel.end()
      return fileContent(folder["said"]).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(said == "1,a:\n,a:\n1,a:\n,a:\n")
  }

  @Test("ends with the panel, also while it is found out that the file changes itself")
  func interrupted() async {
    let folder = Folder([
      "commands.lua": """
      local loads = 0
      for _ in io.lines("loads") do loads = loads + 1 end
      assert(io.open("loads", "a")):write("x\\n"):close()
      require "seen"
      assert(io.open("seen.lua", "w")):write("return 1"):close()
      if loads >= 3 then
        assert(io.open("loading", "w")):close()
        rac.sleep(1000)
      end
      """, "seen.lua": "return 0", "loads": "",
    ])
    let run = await onThread {
      let panel = PanelProgram(folder)
      eventually { Folder.isThere(folder["loading"]) }
      panel.running.get(signal: SIGINT)
      return panel.running.finish()
    }
    #expect(!run.errors.contains("error"), "\(run)")
    #expect(run.status == 130, "\(run)")
  }

  @Test("executions of the earlier file count against the limits of the new one")
  func limits() async {
    await onThread {
      let (panel, stream) = changed("")
      #expect(
        panel.send("GET", "commands").body.contains(
          "\"enabled\":false,\"reason\":\"it is executing\",\"running\":1,\"limit\":1"))
      let reply = panel.send("POST", "commands/long/executions", "{}")
      #expect(reply.status == 409 && reply.body.contains("it is executing"), "\(reply)")
      panel.folder.write("", to: "go")
      #expect(stream.wait(for: "\"command\":\"long\",\"value\":true,\"running\":0"))
      let next = panel.execute("long")
      panel.wait(for: next, "\"state\":\"completed\"")
      #expect(panel.send("GET", "executions/\(next)/values").body.contains("\"new\""))
      _ = panel.end()
    }
  }

  @Test("so do they after several reloads, and for what a command needs")
  func needs() async {
    await onThread {
      let (panel, stream) = changed(
        "", "rac.command{name = 'user', needs = {'long'}, run = 'true'}")
      panel.folder.write(
        """
        rac.command{name = "long", summary = "third", run = "echo third; \(Self.waiting)"}
        rac.command{name = "user", needs = {"long"}, run = "true"}
        """, to: "commands.lua")
      #expect(stream.wait(for: "\"type\":\"reloaded\",\"added\":", count: 2))
      #expect(panel.send("POST", "commands/long/executions", "{}").status == 409)
      let user = panel.execute("user")
      panel.wait(for: user, "\"state\":\"waiting\"")
      panel.folder.write("", to: "go")
      panel.wait(for: user, "\"state\":\"completed\"")
      #expect(panel.send("GET", "executions/\(user + 1)/values").body.contains("\"third\""))
      _ = panel.end()
    }
  }

  @Test("a command that queues waits for the execution of the earlier file")
  func queue() async {
    await onThread {
      let (panel, _) = changed("when_busy = 'queue',")
      let next = panel.execute("long")
      panel.wait(for: next, "\"state\":\"queued\"")
      panel.folder.write("", to: "go")
      panel.wait(for: 1, "\"state\":\"completed\"")
      panel.wait(for: next, "\"state\":\"completed\"")
      #expect(panel.send("GET", "executions/1/values").body.contains("\"old\""))
      #expect(panel.send("GET", "executions/\(next)/values").body.contains("\"new\""))
      #expect(panel.end().status == 130)
    }
  }

  @Test("a command that restarts cancels the execution of the earlier file")
  func restart() async {
    await onThread {
      let (panel, _) = changed("when_busy = 'restart',")
      let next = panel.execute("long")
      panel.wait(for: 1, "\"state\":\"cancelled\"")
      panel.folder.write("", to: "go")
      panel.wait(for: next, "\"state\":\"completed\"")
      #expect(panel.send("GET", "executions/\(next)/values").body.contains("\"new\""))
      #expect(panel.send("GET", "executions/1").body.contains("\"state\":\"cancelled\""))
      #expect(panel.end().status == 130)
    }
  }

  @Test("a command that joins joins the execution of the earlier file")
  func join() async {
    await onThread {
      let (panel, _) = changed("when_busy = 'join',")
      let reply = panel.send("POST", "commands/long/executions", "{}")
      #expect(reply.status == 201 && reply.body.contains("\"id\":1,"), "\(reply)")
      panel.folder.write("", to: "go")
      panel.wait(for: 1, "\"state\":\"completed\"")
      _ = panel.end()
    }
  }

  @Test("a file whose code does not end is stopped, and the commands of before stay")
  func endlessCode() async {
    await onThread {
      let panel = PanelProgram(
        "rac.command{name = 'say', run = 'echo said'}", "--condition-timeout", "1s")
      let stream = panel.stream()
      stream.wait(for: "\nid: ")
      panel.folder.write("while true do end", to: "commands.lua")
      #expect(
        stream.wait(
          for: "\"type\":\"reloaded\",\"error\":{\"kind\":\"limit\",\"message\":\"commands.lua:1: ")
      )
      #expect(stream.text.contains("without a pause"))
      panel.wait(for: panel.execute("say"), "\"state\":\"completed\"")
      panel.folder.write("rac.command{name = 'other', run = 'true'}", to: "commands.lua")
      #expect(stream.wait(for: "\"added\":[\"other\"]"))
      _ = panel.end()
    }
  }

  @Test("a file that waits forever gives way to its next version, and presses go on meanwhile")
  func endlessWait() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'say', run = 'echo said'}")
      let stream = panel.stream()
      stream.wait(for: "\nid: ")
      panel.folder.write("io.open('begun', 'w'):close() rac.sleep(1e6)", to: "commands.lua")
      #expect(eventually { Folder.isThere(panel.folder["begun"]) })
      panel.wait(for: panel.execute("say"), "\"state\":\"completed\"")
      panel.folder.write("rac.command{name = 'other', run = 'true'}", to: "commands.lua")
      #expect(stream.wait(for: "\"added\":[\"other\"]"))
      panel.wait(for: panel.execute("other"), "\"state\":\"completed\"")
      #expect(panel.end().status == 130)
    }
  }

  @Test("the panel ends while a file waits")
  func endDuringLoad() async {
    await onThread {
      let panel = PanelProgram("rac.command{name = 'say', run = 'echo said'}")
      panel.folder.write("io.open('begun', 'w'):close() rac.sleep(1e6)", to: "commands.lua")
      #expect(eventually { Folder.isThere(panel.folder["begun"]) })
      #expect(panel.end().status == 130)
    }
  }
}
