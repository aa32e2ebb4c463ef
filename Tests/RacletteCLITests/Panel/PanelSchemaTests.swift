import Testing

/// Every event of a panel against `events.schema.json`, by Python's jsonschema.
@Suite("the schema of a panel's events", .timeLimit(.minutes(5)))
struct PanelSchemaTests {
  private static let commands = """
    local tries = 0
    rac.command{name = "slow", run = "echo begun; until [ -e go ]; do sleep 0.01; done"}
    rac.command{name = "values", concurrency = 2, run = function(_, emit)
      emit(1) emit({a = {1, 2}}) emit("a\\nb") emit("\\xFF") emit(print) emit(nil)
      rac.log.warn("careful") rac.log.error("worse")
      return rac.sh("echo err >&2") end}
    rac.command{name = "flaky", retry = {times = 1, delay = 0.001}, needs = {"values"},
      run = function() tries = tries + 1 if tries == 1 then error({}) end end}
    rac.command{name = "bytes", run = function() return rac.sh("echo a", {output = "bytes"}) end}
    rac.command{name = "fails", run = "echo no >&2; exit 9"}
    rac.command{name = "staged", steps = {"echo a", function() end}}
    rac.command{name = "none", run = {"/none"}}
    rac.command{name = "line", when_busy = "queue", run = "until [ -e go ]; do sleep 0.01; done"}
    rac.command{name = "one", when_busy = "join", enabled = function() rac.sleep(0.01) return true end,
      run = "until [ -e go ]; do sleep 0.01; done"}
    rac.command{name = "stubborn",
      run = "trap '' TERM; echo ready; until [ -e go ]; do sleep 0.01; done"}
    rac.command{name = "done", sources = "commands.lua", run = function() return 1 end}
    rac.command{name = "closed", enabled = rac.file_exists("open"), run = "true"}
    rac.command{name = "asked", enabled = function() return true end, run = "true"}
    rac.command{name = "fresh", panel = {refresh = true}, run = "true"}
    rac.command{name = "drops", run = function() rac.error("nobody"):subscribe(print) end}
    rac.command{name = "log", run = function() for i = 1, 20000 do rac.log.info("line " .. i) end end}
    """

  @Test(
    "holds for what its stream and its output carry, whatever happens",
    .enabled(if: SchemaTests.hasValidator))
  func holds() async {
    let folder = Folder(commands: Self.commands)
    await onThread {
      let panel = PanelProgram(folder, ["--json", "-q"])
      let stream = panel.stream("events?page=P")
      stream.wait(for: "\nid: ")
      let place = stream.place
      for name in [
        "bytes", "values", "staged", "flaky", "fails", "none", "done", "done", "asked", "drops",
      ] {
        panel.wait(for: panel.execute(name), "\"ended\":")
      }
      for name in ["slow", "line", "line", "one", "one"] { _ = panel.execute(name) }
      panel.folder.write("", to: "open")
      stream.wait(for: "\"command\":\"closed\",\"value\":true")
      let stubborn = panel.execute("stubborn")
      panel.wait(for: stubborn, "\"outputs\":1")
      _ = panel.send("DELETE", "executions/\(stubborn)")
      stream.wait(for: "\"type\":\"cancelling\"")
      #expect(
        panel.send("POST", "pages/P/refreshes", #"{"command": "fresh"}"#).status == 202)
      stream.wait(for: "\"type\":\"refreshed\"")
      panel.folder.write("", to: "go")
      stream.wait(for: "\"type\":\"cancelled\",\"command\":\"stubborn\"")
      panel.wait(for: panel.execute("log"), "\"ended\":")
      let late = panel.stream("events?page=Q", headers: ["Last-Event-ID": place])
      late.wait(for: "\"type\":\"gap\"")
      let looking = panel.stream("events?look=1&look=2&look=4")
      #expect(looking.wait(for: "\"chunk\":true"))
      panel.folder.write("rac.command{", to: "commands.lua")
      stream.wait(for: "\"type\":\"reloaded\",\"error\"")
      panel.folder.write("rac.command{name = 'new', run = 'true'}", to: "commands.lua")
      stream.wait(for: "\"added\":[\"new\"]")
      let outcome = panel.end()
      let streams = [stream, late, looking].map { $0.readToEnd() }.joined()
      let events = streams.split(separator: "\n").filter {
        $0.hasPrefix("data: ") && $0.hasSuffix("}")
      }
      .map { $0.dropFirst("data: ".count) }
      folder.write(
        (outcome.lines.map { $0[...] } + events).joined(separator: "\n") + "\n", to: "events")
    }
    let run = await shell(
      "\(SchemaTests.python) -c '\(SchemaTests.validator)' "
        + "'\(SchemaTests.catalog)/events.schema.json' <events", in: folder)
    #expect(run.status == 0, "\(run.errors.suffix(2_000))")
    #expect(
      Set(run.lines).isSuperset(of: [
        "panel", "stream", "execution_waiting", "execution_queued", "execution_started", "next",
        "step", "stderr", "retry", "error", "completed", "cancelling", "cancelled", "up_to_date",
        "enabled",
        "joined", "refreshed", "unhandled", "log", "gap", "reloaded", "ending",
      ]), "\(Set(run.lines))")
  }
}
