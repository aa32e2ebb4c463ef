import Platform
import Testing

/// What a hub has executed, for those who come back with a number when it is gone.
@Suite("the history of a hub", .timeLimit(.minutes(5)))
struct HubHistoryTests {
  private static let commands = #"""
    rac.command{name = "hello", params = {{name = "who"}}, run = "echo hello $who; echo and >&2"}
    rac.command{name = "bad", run = "echo 'error: bad' >&2; exit 3"}
    rac.command{name = "long", run = function(_, emit)
      for i = 1, 300000 do emit("line " .. i) end
    end}
    rac.command{name = "wait", run = "echo up; exec sleep 1000"}
    """#

  /// Kills the hub once it has written down that an execution has ended.
  private func killHub(of folder: HubFolder, after number: Int) {
    eventually {
      String(decoding: fileContent(folder.file("ended")) ?? [], as: UTF8.self)
        .contains(#"{"number":\#(number),"#)
    }
    kill(folder.process, SIGKILL)
  }

  @Test("attach, look and tasks read what has ended before the hub was killed")
  func killed() async {
    let folder = HubFolder(commands: Self.commands)
    #expect(await folder.call("run", "-d", "hello", "you").output == "1\n")
    #expect(await folder.call("run", "-d", "bad").output == "2\n")
    let first = await folder.call("attach", "1")
    let second = await folder.call("attach", "2")
    #expect(first.output == "hello you\n", "\(first)")
    await onThread { killHub(of: folder, after: 2) }
    let again = [await folder.call("attach", "1"), await folder.call("attach", "2")]
    #expect(again[0].output == first.output, "\(again)")
    #expect(again[0].errors == first.errors)
    #expect(again[0].status == 0)
    #expect(again[1].errors == second.errors)
    #expect(again[1].status == 3)
    await onThread {
      kill(folder.process, SIGKILL)
      let session = AgentSession(folder)
      #expect(
        session.call("look", #"{"number":2}"#)
          == toolResult(
            "failed: bad (exit status 3, TIME, #2): 'echo 'error: bad' >&2; exit 3' exited with status 3\n  error: bad\n",
            #""number":2,"command":"bad","state":"failed","exit_status":3,"error":"'echo 'error: bad' >&2; exit 3' exited with status 3","outputs":1"#
          ))
      // Numbers go on.
      #expect(session.call("run", #"{"command":"hello","input":{"who":"me"}}"#).contains("#3)"))
      #expect(session.leave().status == 0)
    }
  }

  @Test("a task has its result when the hub was killed")
  func tasks() async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      let session = AgentSession(folder, .currentTasking)
      let task = session.call("run", #"{"command":"bad"}"#)
      let id = task.firstMatch(of: /"taskId":"([^"]*)"/).map { String($0.output.1) } ?? ""
      killHub(of: folder, after: 1)
      let found = session.ask("tasks/get", #""taskId":"\#(id)""#)
      #expect(found.contains(#""status":"completed""#), "\(found)")
      #expect(found.contains(#"\n  error: bad\n"#), "\(found)")
      #expect(session.leave().status == 0)
    }
  }

  @Test("what ran when the system was started again is lost, and says so")
  func restarted() async {
    let folder = HubFolder(commands: Self.commands)
    #expect(await folder.call("run", "-d", "wait").output == "1\n")
    await onThread {
      let attached = Running(folder.launch("attach", "1"))
      attached.waitForOutput("up\n")
      kill(folder.process, SIGKILL)
      _ = attached.finish()
    }
    // The processes of another start of the system are not looked for.
    let record = String(decoding: fileContent(folder.file("record")) ?? [], as: UTF8.self)
    let lines = record.split(separator: "\n").map { line in
      line.hasPrefix("system ") ? "system of-before\n" : "\(line)\n"
    }
    let left = record.firstMatch(of: /began (\d+)/).flatMap { pid_t($0.output.1) }
    // The file stays the same one.
    if let file = fopen(folder.file("record"), "we") {
      fputs(lines.joined(), file)
      fclose(file)
    }
    let run = await folder.call("attach", "1")
    #expect(
      run.errors.hasSuffix(
        "raclette: error: wait: it was lost when the system was restarted\n"), "\(run)")
    #expect(run.status == 1)
    if let left { kill(-left, SIGKILL) }
  }

  @Test("keeps the last lines of long outputs, and their numbers")
  func bounded() async {
    let folder = HubFolder(commands: Self.commands)
    for number in 1...3 {
      #expect(await folder.call("run", "-d", "long").output == "\(number)\n")
      _ = await folder.call("attach", "\(number)")
    }
    await onThread { killHub(of: folder, after: 3) }
    #expect((fileContent(folder.file("ended")) ?? []).count < 600_000)
    let run = await folder.call("attach", "3")
    #expect(run.output.hasSuffix("line 299999\nline 300000\n"))
    #expect(run.errors.contains(" outputs are no longer kept\n"), "\(run.errors)")
    await onThread {
      let session = AgentSession(folder)
      let answer = session.call("look", #"{"number":3,"from":299999}"#)
      #expect(answer.contains(#"\n299999: line 300000\n"#), "\(answer)")
      #expect(session.leave().status == 0)
    }
  }
}
