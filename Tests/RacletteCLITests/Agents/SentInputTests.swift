import Platform
import Testing

/// Lines for executions that wait for input, where they have no terminal.
@Suite("input for running executions", .timeLimit(.minutes(5)))
struct SentInputTests {
  private static let commands = #"""
    rac.command{name = "ask", stdin = true, run = "echo who; read -r who; echo hello $who; read -r x; echo $x"}
    rac.command{name = "keeps", run = "sleep 600"}
    rac.command{name = "inner", run = function(_, emit)
      for line in rac.commands.ask:execute():lines() do emit(line) end
    end}
    rac.command{name = "closed", run = "read -r x || echo \"end $?\"; cat go"}
    rac.command{name = "secret", stdin = true, secrets = {"key"}, params = {{name = "key"}},
      run = "echo ready; read -r x; echo got $x"}
    """#

  private func attached(_ folder: HubFolder, _ number: String) -> Running {
    let running = Running(folder.launch("attach", number))
    return running
  }

  @Test("raclette input sends lines to the processes of a command with stdin = true")
  func lines() async {
    let folder = HubFolder(commands: Self.commands)
    #expect(await folder.call("run", "-d", "ask").output == "1\n")
    // The hub does not end meanwhile.
    #expect(await folder.call("run", "-d", "keeps").output == "2\n")
    await onThread {
      let attached = attached(folder, "1")
      attached.waitForOutput("who\n")
      let first = Running(folder.launch("input", "1", "you and me")).finish()
      #expect(first.output == "", "\(first)")
      #expect(first.errors == "")
      #expect(first.status == 0)
      attached.waitForOutput("hello you and me\n")
      #expect(Running(folder.launch("input", "#1", "")).finish().status == 0)
      let outcome = attached.finish()
      #expect(outcome.output == "who\nhello you and me\n\n")
      #expect(outcome.status == 0)
    }
    for (words, message, status) in [
      (["input", "1", "x"], "execution 1 has ended", 1),
      (["input", "7", "x"], "there is no execution 7, or it is no longer kept", 2),
      (["input", "x", "x"], "'x' is not the number of a batch or an execution", 2),
    ] as [([String], String, Int32)] {
      let run = await onThread {
        Running(
          Launch(arguments: words, folder: folder.path, environment: folder.environment)
        ).finish()
      }
      #expect(run.errors == "raclette: error: \(message)\n")
      #expect(run.status == status)
    }
  }

  @Test("without stdin = true the input has ended, as it always has")
  func closed() async {
    let folder = HubFolder(commands: Self.commands)
    let pipe = folder.folder.makePipe("go")
    _ = await folder.call("run", "-d", "closed")
    await onThread {
      let attached = attached(folder, "1")
      attached.waitForOutput("end 1\n")
      let refused = Running(folder.launch("input", "1", "x")).finish()
      #expect(
        refused.errors
          == "raclette: error: execution 1 has no input: its command closed lacks stdin = true\n")
      #expect(refused.status == 1)
      write("", toPipe: pipe)
      #expect(attached.finish().status == 0)
    }
  }

  @Test("agents send lines by answer, with secrets masked in what comes back")
  func answer() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder)
      _ = session.call(
        "run", #"{"command":"secret","input":{"key":"hidden"},"wait":0,"detach":true}"#)
      eventually { session.call("look", #"{"number":1}"#).contains("ready") }
      let sent = session.call("answer", #"{"number":1,"text":"a hidden thing"}"#)
      #expect(sent.contains(#""text":"sent to secret; look {\"number\": 1} shows what it says\n""#))
      let end = session.call("look", #"{"number":1,"wait":100}"#)
      #expect(end.contains(#"\n  ready\n  got a *** thing\n"#), "\(end)")
      #expect(
        session.call("answer", #"{"number":1,"text":"x"}"#)
          == toolResult("execution 1 has ended", #""error":"ended""#, isError: true))
      #expect(
        session.call("answer", "{}")
          == toolResult(
            "answer: argument 'question' is missing, or 'number' with 'text'",
            #""error":"arguments""#, isError: true))
      #expect(session.leave().status == 0)
    }
  }

  @Test("the panel's API sends lines, also to what the work of a command executes")
  func panel() async {
    await onThread {
      let panel = PanelProgram(Folder(commands: Self.commands), ["--listen", "127.0.0.1:0"])
      let number = panel.execute("ask")
      eventually { panel.send("GET", "executions/\(number)/values").body.contains("who") }
      #expect(panel.send("GET", "executions/\(number)").body.contains(#""takes_lines":true"#))
      #expect(panel.send("POST", "executions/\(number)/input", #"{"text":"you"}"#).status == 202)
      #expect(panel.send("POST", "executions/\(number)/input", #"{"text":7}"#).status == 400)
      #expect(panel.send("POST", "executions/\(number)/input", #"{"text":"end"}"#).status == 202)
      panel.wait(for: number, #""state":"completed""#)
      let values = panel.send("GET", "executions/\(number)/values").body
      #expect(values.contains(#""value":"hello you""#) && values.contains(#""value":"end""#))
      #expect(panel.send("POST", "executions/\(number)/input", #"{"text":"x"}"#).status == 409)
      _ = panel.end()
    }
  }
}
