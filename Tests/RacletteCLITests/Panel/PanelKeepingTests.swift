import Platform
import Testing

/// What a panel that is started again knows of the one before it.
@Suite("a panel that is started again", .timeLimit(.minutes(5)))
struct PanelKeepingTests {
  private static let commands = """
    rac.command{name = "fetch", run = "echo fetched"}
    rac.command{name = "build", needs = {"fetch"}, params = {{name = "code", type = "integer"}},
      run = function(input, emit)
        emit("one") emit({code = input.code}) emit("two\\nlines")
        return rac.exec{"sh", "-c", "echo three; echo err >&2; exit " .. input.code}
      end}
    rac.command{name = "hold", run = "trap 'exit 0' TERM; echo begun; until [ -e go ]; do sleep 0.01; done"}
    rac.command{name = "many", run = "seq 1 60000"}
    rac.command{name = "login", secrets = {"pass"}, params = {{name = "pass"}},
      run = function(input) return rac.sh("echo it is " .. input.pass) end}
    """

  private static func kill(_ panel: PanelProgram) {
    panel.running.get(signal: SIGKILL)
    _ = panel.running.finish()
  }

  private static func run(_ arguments: String..., in folder: Folder) -> Outcome {
    Running(Launch(arguments: arguments, folder: folder.path)).finish()
  }

  /// The value of a field in a JSON text, wherever it stands.
  private static func times(_ body: String) -> [String] {
    body.matches(of: /"(?:created|started|ended)":[\d.]+/).map { String($0.0) }
  }

  @Test("shows what was executed, with inputs, ends, times and outputs, by the same numbers")
  func list() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let first = PanelProgram(folder)
      for n in [0, 3] {
        first.wait(for: first.execute("build", "{\"input\": {\"code\": \(n)}}"), "\"ended\":")
      }
      let executions = (1...4).map { first.send("GET", "executions/\($0)").body }
      let outputs = (1...4).map { first.send("GET", "executions/\($0)/values").body }
      let history = first.send("GET", "commands/build/history").body
      #expect(first.end().status == 130)

      let second = PanelProgram(folder)
      for id in 1...4 {
        let execution = second.send("GET", "executions/\(id)").body
        let old = executions[id - 1]
        #expect(Self.times(execution) == Self.times(old))
        for pattern in [
          /"command":"\w+"/, /"by":"\w+"/, /"input":{[^}]*}/, /"state":"\w+"/, /"requested":\w+/,
          /"for":\d+/,
          /"outputs":\d+,"bytes":\d+/,
          /"error":{"kind":"exit","message":"[^"]*","command":"build","code":3,"stderr":"err"/,
        ] {
          #expect(
            execution.firstMatch(of: pattern)?.0 == old.firstMatch(of: pattern)?.0,
            "\(execution) \(old)")
        }
        let values = second.send("GET", "executions/\(id)/values").body
        for pattern in [/"type":"\w+"/, /"value":[^}]*}/] {
          #expect(
            values.matches(of: pattern).map(\.0)
              == outputs[id - 1].matches(of: pattern).map(\.0), "\(values) \(outputs[id - 1])")
        }
      }
      #expect(second.send("GET", "commands/build/history").body == history)
      #expect(
        second.send("GET", "commands").body.firstMatch(
          of:
            /"last":{"id":3,"state":"failed","duration":[\d.e-]+,"ended":[\d.]+},"recent":\[{"id":3,"state":"failed","duration":[\d.e-]+},{"id":1,/
        ) != nil)
      // Numbers go on behind those that were given.
      #expect(second.execute("fetch") == 5)
      second.wait(for: 5, "\"state\":\"completed\"")
      #expect(second.end().status == 130)

      let listed = Self.run(":history", "--json", in: folder)
      #expect(listed.lines.count == 5)
      #expect(
        listed.lines.first?.firstMatch(
          of:
            /^{"id":1,"batch":1,"state":"completed","command":"build","input":{"code":0},"plan":"panel","line":1,"by":"client",/
        ) != nil, "\(listed.lines)")
      let replayed = Self.run(":replay", "3", in: folder)
      #expect(replayed.output == "one\n{\"code\":3}\ntwo\nlines\nthree\n")
    }
  }

  @Test("shows where each step began, and so do the history's replay and the values")
  func steps() async {
    await onThread {
      let folder = Folder(
        commands: "rac.command{name = 'all', steps = {'echo one', {'echo', 'two'}, 'exit 3'}}")
      let first = PanelProgram(folder)
      first.wait(for: first.execute("all"), "\"ended\":")
      func steps(_ panel: PanelProgram) -> [String] {
        panel.send("GET", "executions/1/values").body
          .matches(of: /"ts":([\d.]+),"type":"step".*?"n":\d+,"step":.*?}|"value":"\w+"/)
          .map { String($0.0) }
      }
      func time(_ line: String) -> Double {
        line.firstMatch(of: /"ts":([\d.]+)/).flatMap { Double($0.1) } ?? 0
      }
      func timeless(_ line: String) -> String { line.replacing(/"ts":[\d.]+,/, with: "") }
      let before = steps(first)
      #expect(
        before.map { $0.replacing(/^"ts":[\d.]+,|"command":.*?"n"/, with: "") } == [
          #""type":"step",:0,"step":1,"steps":3,"name":"echo one"}"#, #""value":"one""#,
          #""type":"step",:2,"step":2,"steps":3,"name":"echo two"}"#, #""value":"two""#,
          #""type":"step",:4,"step":3,"steps":3,"name":"exit 3"}"#,
        ])
      #expect(first.end().status == 130)
      let second = PanelProgram(folder)
      let after = steps(second)
      #expect(after.map(timeless) == before.map(timeless))
      // The journal has whole microseconds.
      for (kept, sent) in zip(after, before) {
        #expect(abs(time(kept) - time(sent)) < 0.000_002, "\(kept), \(sent)")
      }
      _ = second.end()
      let replayed = Self.run(":replay", "1", in: folder)
      #expect(replayed.output == "one\ntwo\n")
      #expect(
        replayed.errors == """
          raclette: step 1 of 3: echo one
          raclette: step 2 of 3: echo two
          raclette: step 3 of 3: exit 3
          raclette: error: all: step 3 of 3: 'exit 3' exited with status 3

          """)
    }
  }

  @Test("shows what ran when it was killed as lost, with its output so far")
  func killed() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let first = PanelProgram(folder)
      let hold = first.execute("hold")
      // Its output is recorded while it runs.
      eventually { Self.run(":replay", "\(hold)", in: folder).output == "begun\n" }
      Self.kill(first)
      folder.write("", to: "go")
      let second = PanelProgram(folder)
      let execution = second.send("GET", "executions/\(hold)").body
      #expect(
        execution.contains(
          "\"error\":{\"kind\":\"lost\",\"message\":\"it was lost with its runner, which was killed\""
        ),
        "\(execution)")
      #expect(execution.contains("\"state\":\"failed\""))
      #expect(
        second.send("GET", "executions/\(hold)/values").body.contains("\"value\":\"begun\""))
      let history = second.send("GET", "commands/hold/history").body
      #expect(
        history.contains(
          "{\"id\":\(hold),\"state\":\"failed\",\"input\":{},\"by\":\"client\",\"created\""))
      #expect(second.execute("fetch") > hold)
      _ = second.end()
    }
  }

  @Test("shows what it cancelled at its end as cancelled")
  func ended() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let first = PanelProgram(folder)
      let hold = first.execute("hold")
      first.wait(for: hold, "\"outputs\":1")
      #expect(first.end().status == 130)
      let second = PanelProgram(folder)
      #expect(
        second.send("GET", "executions/\(hold)").body.contains("\"state\":\"cancelled\""))
      #expect(second.execute("fetch") == hold + 1)
      _ = second.end()
    }
  }

  @Test("keeps the end of a long output, and says how much is missing")
  func longOutput() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let first = PanelProgram(folder)
      first.wait(for: first.execute("many"), "\"ended\":")
      _ = first.end()
      let second = PanelProgram(folder)
      let execution = second.send("GET", "executions/1").body
      #expect(execution.contains("\"outputs\":60000,\"bytes\":348894,\"lost\":"), "\(execution)")
      let end = second.send("GET", "executions/1/values?from=-1").body
      #expect(end.contains("\"n\":59999,\"value\":\"60000\""), "\(end)")
      _ = second.end()
    }
  }

  @Test("keeps as many as --keep says, and knows of the results of the others")
  func limit() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let first = PanelProgram(folder)
      for _ in 1...3 { first.wait(for: first.execute("fetch"), "\"ended\":") }
      _ = first.end()
      let second = PanelProgram(folder, ["--keep", "2"])
      let ids = second.send("GET", "executions").body.matches(of: /"id":(\d+)/).map { $0.1 }
      #expect(ids == ["3", "2"])
      let history = second.send("GET", "commands/fetch/history").body
      #expect(history.matches(of: /"id":(\d+)/).map { $0.1 } == ["3", "2", "1"])
      _ = second.end()
    }
  }

  @Test("two panels have different numbers, and a third shows what both have executed")
  func two() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let panels = [PanelProgram(folder), PanelProgram(folder)]
      let ids = panels.flatMap { panel in
        (1...2).map { _ in
          let id = panel.execute("fetch")
          panel.wait(for: id, "\"ended\":")
          return id
        }
      }
      #expect(Set(ids).count == 4)
      for panel in panels { _ = panel.end() }
      let third = PanelProgram(folder, ["--read-only"])
      let shown = third.send("GET", "executions").body.matches(of: /"id":(\d+)/).map { Int($0.1) }
      #expect(shown == ids.sorted(by: >))
      _ = third.end()
    }
  }

  @Test("one that executes nothing writes nothing")
  func readOnly() async {
    await onThread {
      for options in [["--read-only"], ["--keep", "0"]] {
        let folder = Folder(commands: Self.commands)
        let panel = PanelProgram(folder, options)
        #expect(panel.end().status == 130)
        #expect(!Folder.isThere(folder[".raclette/journal.db"]))
      }
      // Nor does one that was never pressed leave a batch.
      let folder = Folder(commands: Self.commands)
      _ = PanelProgram(folder).end()
      #expect(Self.run(":history", "--batches", in: folder).output.isEmpty)
    }
  }

  @Test("a folder that cannot be written to is told once, and the panel goes on")
  func unwritable() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      folder.write("", to: ".raclette")
      let panel = PanelProgram(folder)
      for id in 1...2 {
        #expect(panel.execute("fetch") == id)
        panel.wait(for: id, "\"state\":\"completed\"")
      }
      #expect(
        panel.send("GET", "commands/fetch/history").body.matches(of: /"id":/).count == 2)
      let outcome = panel.end()
      #expect(outcome.status == 130)
      #expect(
        outcome.errors.contains(
          "raclette: error: cannot use the journal '\(folder[".raclette/journal.db"])': not a "
            + "directory; what the panel executes is not kept\n"), "\(outcome.errors)")
      #expect(outcome.errors.matches(of: /is not kept/).count == 1)
    }
  }

  @Test("the last batch is one of a plan, not what the panel has executed since")
  func lastBatch() async {
    await onThread {
      let folder = Folder(commands: "rac.command{name = 'work', run = '[ -e ok ]'}")
      folder.write("{\"command\": \"work\"}\n", to: "plan.jsonl")
      #expect(Self.run("batch", "--resume", "plan.jsonl", in: folder).status == 1)
      let panel = PanelProgram(folder)
      panel.wait(for: panel.execute("work"), "\"state\":\"failed\"")
      _ = panel.end()
      folder.write("", to: "ok")
      #expect(Self.run("retry", in: folder).status == 0)
      let plans = Self.run(":history", "--json", in: folder).output
        .matches(of: /"state":"(\w+)".*?"plan":"([^"]+)"/).map { "\($0.1) \($0.2)" }
      #expect(plans == ["failed plan.jsonl", "failed panel", "completed plan.jsonl"])
    }
  }

  @Test("no secret reaches the journal")
  func secrets() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let panel = PanelProgram(folder)
      let id = panel.execute("login", "{\"input\": {\"pass\": \"hunter2secret\"}}")
      panel.wait(for: id, "\"state\":\"completed\"")
      _ = panel.end()
      let listed = Self.run(":history", "--json", in: folder)
      #expect(listed.output.contains("\"input\":{\"pass\":\"***\"}"), "\(listed.output)")
      #expect(Self.run(":replay", "\(id)", in: folder).output == "it is ***\n")
      for name in Folder.names(in: folder[".raclette"]) {
        #expect(
          fileContent(folder[".raclette/\(name)"])?.firstRange(of: Array("hunter2secret".utf8))
            == nil, "\(name)")
      }
    }
  }
}
