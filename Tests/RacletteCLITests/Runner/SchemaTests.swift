import Testing

/// Every kind of event against `events.schema.json`, by Python's jsonschema.
@Suite("the schema of events", .timeLimit(.minutes(5)))
struct SchemaTests {
  private static let python = "/usr/bin/python3"
  private static let validator = """
    import json, sys, jsonschema
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for line in sys.stdin:
      event = json.loads(line)
      validator.validate(event)
      print(event["type"])
    """

  private static var hasValidator: Bool {
    spawnAndWait([python, "-c", "import jsonschema"]) == 0
  }

  @Test("holds for what runs print, whatever happens in them", .enabled(if: Self.hasValidator))
  func holds() async {
    let folder = Folder(
      commands: """
        local open = rac.behavior_subject(true)
        local tries = 0
        rac.command{name = "base", run = function(_, emit)
          emit(1) emit({a = {1, 2}}) emit("text") emit(nil) emit(print) emit(0/0)
          return rac.sh("echo err >&2")
        end}
        rac.command{name = "flaky", needs = {"base"}, retry = {times = 1, delay = 0.001},
          params = {{name = "n", type = "integer", default = 1}},
          run = function() tries = tries + 1 if tries == 1 then error({}) end end}
        rac.command{name = "queued", when_busy = "queue", run = function() rac.sleep(0.001) end}
        rac.command{name = "fails", run = function() return rac.exec{"sh", "-c", "echo x >&2; exit 9"} end}
        rac.command{name = "killed", run = function() return rac.sh("kill -9 $$") end}
        rac.command{name = "none", run = function() return rac.exec{"/none"} end}
        rac.command{name = "user", needs = {"fails"}, run = print}
        rac.command{name = "done", sources = "commands.lua", run = function() return 1 end}
        rac.command{name = "victim", run = function() rac.sleep(1000) end}
        rac.command{name = "cancels", run = function()
          rac.commands.victim.active_execution_signals[1]:cancel()
        end}
        rac.command{name = "closed", enabled = rac.just(false), run = print}
        rac.command{name = "door", enabled = open, run = function()
          open:send_next(false) rac.sleep(0.001) end}
        """)
    let run = await shell(
      """
      raclette run -q done >/dev/null
      raclette run --json flaky ::: done ::: queued ::: queued ::: fails ::: killed ::: none ::: user \\
        ::: closed ::: door ::: victim ::: cancels >events
      timeout 0.2 raclette run --json --timeout 1ms queued >>events
      echo '{"command": "done"}' >plan.jsonl
      for i in 1 2; do raclette batch --journal j.db --resume --json plan.jsonl >>events; done
      \(Self.python) -c '\(Self.validator)' '\(Program.package)/Sources/RacletteCLI/RacletteCLI.docc/events.schema.json' <events
      """, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      Set(run.lines) == [
        "run_started", "execution_queued", "execution_started", "next", "stderr", "retry", "error",
        "completed", "cancelled", "up_to_date", "skipped", "enabled", "run_finished",
      ])
  }
}
