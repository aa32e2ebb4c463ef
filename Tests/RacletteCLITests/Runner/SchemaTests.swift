import Testing

/// Every kind of event against `events.schema.json`, by Python's jsonschema.
@Suite("the schema of events", .timeLimit(.minutes(5)))
struct SchemaTests {
  static let python = "/usr/bin/python3"
  static let validator = """
    import json, sys, jsonschema
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for line in sys.stdin:
      event = json.loads(line)
      validator.validate(event)
      print(event["type"])
    """

  private static let judge = """
    import json, sys, jsonschema
    validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
    for line in sys.stdin:
      print(validator.is_valid(json.loads(line)))
    """

  static let catalog = Program.package + "/Sources/RacletteCLI/RacletteCLI.docc"

  /// Lines of a plan that are read, and lines that are told as malformed.
  private static let entries = [
    #"{"command": "a"}"#, #"{"command": "a", "input": null, "id": "x"}"#,
    #"{"command": "a", "input": {"n": 1}, "id": 7}"#,
    #"{"script": "s.lua", "args": ["a", 1, 2.5]}"#,
    #"{"script": "s.lua", "id": "y", "tags": ["gpu"]}"#,
  ]
  private static let malformed = [
    "[]", #""a""#, "{}", #"{"id": 1}"#, #"{"command": ""}"#, #"{"command": 1}"#,
    #"{"command": "a", "args": []}"#, #"{"script": "s.lua", "input": 1}"#,
    #"{"command": "a", "script": "s.lua"}"#, #"{"command": "a", "comand": 1}"#,
    #"{"command": "a", "id": ""}"#, #"{"command": "a", "id": 1.5}"#,
    #"{"script": "s.lua", "args": "x"}"#, #"{"script": "s.lua", "args": [true]}"#,
    #"{"command": "a", "tags": "gpu"}"#, #"{"command": "a", "tags": [1]}"#,
  ]

  @Test("of plans accepts the lines that a batch accepts", .enabled(if: Self.hasValidator))
  func plans() async {
    let folder = Folder([
      "commands.lua": "rac.command{name = 'a', concurrency = 'unlimited', run = function() end}",
      "s.lua": "",
      "plan.jsonl": (Self.entries + Self.malformed).map { $0 + "\n" }.joined(),
    ])
    let verdicts = await shell(
      "\(Self.python) -c '\(Self.judge)' '\(Self.catalog)/plan.schema.json' <plan.jsonl", in: folder
    )
    #expect(
      verdicts.lines
        == Self.entries.map { _ in "True" } + Self.malformed.map { _ in "False" }, "\(verdicts)")
    let batch = await raclette("batch", "--progress", "never", "plan.jsonl", in: folder)
    let numbers = batch.errors.matches(of: #/plan.jsonl:(\d+): /#).compactMap { Int($0.1) }
    #expect(Set(numbers) == Set((Self.entries.count + 1)...(Self.entries + Self.malformed).count))
  }

  static var hasValidator: Bool {
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
        rac.command{name = "served", service = true, ready = "true", run = "sleep 60"}
        rac.command{name = "serving", needs = "served", run = "true"}
        rac.command{name = "closed", enabled = rac.just(false), run = print}
        rac.command{name = "door", enabled = open, run = function()
          open:send_next(false) rac.sleep(0.001) end}
        """)
    let run = await shell(
      """
      raclette run -q done >/dev/null
      raclette run --json flaky ::: done ::: queued ::: queued ::: fails ::: killed ::: none ::: user \\
        ::: serving ::: closed ::: door ::: victim ::: cancels >events
      timeout 0.2 raclette run --json --timeout 1ms queued >>events
      echo '{"command": "done"}' >plan.jsonl
      for i in 1 2; do raclette batch --journal j.db --resume --json plan.jsonl >>events; done
      \(Self.python) -c '\(Self.validator)' '\(Self.catalog)/events.schema.json' <events
      """, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      Set(run.lines) == [
        "run_started", "execution_queued", "execution_started", "next", "stderr", "retry", "error",
        "completed", "cancelled", "up_to_date", "skipped", "enabled", "service_state",
        "run_finished",
      ])
  }
}
