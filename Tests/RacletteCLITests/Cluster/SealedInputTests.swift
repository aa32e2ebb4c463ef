import Testing

/// Inputs that a submitter has sealed because they hold secrets.
@Suite("a sealed input", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct SealedInputTests {
  private static let key = [String](repeating: "0123456789abcdef", count: 4).joined()

  /// Hands over a plan with a secret that only the submitter has in its environment.
  private func place(_ commands: String, _ plan: String...) async -> ClusterFolder {
    let place = ClusterFolder("")
    place.folder.write("local rac = require \"rac\"\n" + commands, to: "commands.lua")
    place.folder.write(Self.key + "\n", to: "key")
    place.folder.write("print(...)", to: "sub/s.lua")
    place.folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
    var submission = place.launch(["batch", "--submit", "plan.jsonl", "--queue-key", "key"])
    submission.environment["TOKEN"] = "geheim-4711"
    let run = await onThread { [submission] in Running(submission).finish() }
    #expect(run.status == 0, "\(run)")
    let inputs = await place.rows("SELECT DISTINCT left(input, 7) FROM raclette.entry")
    #expect(inputs == ["sealed:"])
    return place
  }

  private func execute(_ place: ClusterFolder) async {
    let worker = await place.run(["worker", "--once", "--queue-key", "key"])
    #expect(worker.status == 0, "\(worker)")
  }

  @Test("shows no secret, though the worker that executes it does not have it")
  func hiding() async {
    let place = await place(
      """
      rac.command{name = "login", secrets = {"TOKEN"}, params = {{name = "with"}},
        run = function(input)
          rac.log.warn("in with " .. input.with)
          error("refused " .. input.with)
        end}
      """, #"{"command": "login", "input": {"with": "geheim-4711"}}"#)
    await execute(place)
    let ends = await place.rows("SELECT state, error FROM raclette.ended")
    #expect(ends.count == 1 && ends[0].contains("failed|") && ends[0].contains("***"), "\(ends)")
    let kept = await place.rows(
      """
      SELECT string_agg(events, '') FROM raclette.output
      UNION ALL SELECT concat(error, convert_from(output, 'SQL_ASCII')) FROM raclette.ended
      """)
    #expect(kept.joined().contains("***") && !kept.joined().contains("geheim"), "\(kept)")
    // Nor does who has the key show it, or hand it over as it is.
    let again = await place.run(["retry", "--queue-key", "key", "--progress", "never"])
    #expect(again.status == 1 && again.errors.contains("refused ***"), "\(again)")
    #expect(!"\(again)".contains("geheim"), "\(again)")
    let inputs = await place.rows("SELECT count(*) FROM raclette.entry WHERE input LIKE 'sealed:%'")
    #expect(inputs == ["2"])
  }

  @Test("opens where the plan names a command by its alias, or a script by its path")
  func names() async {
    let place = await place(
      """
      rac.command{name = "deploy", aliases = {"d"}, across = "cluster", concurrency = 1,
        secrets = {"TOKEN"}, params = {{name = "with"}},
        run = function(input) if input.with ~= "geheim-4711" then error("another") end end}
      """, #"{"command": "d", "input": {"with": "geheim-4711"}}"#,
      #"{"script": "./sub/s.lua", "args": ["geheim-4711"]}"#)
    await execute(place)
    let ends = await place.rows("SELECT state, error FROM raclette.ended")
    #expect(ends == ["completed|", "completed|"])
  }

  @Test("is refused if anything was put into it")
  func damage() async {
    let place = await place(
      """
      rac.command{name = "login", secrets = {"TOKEN"}, params = {{name = "with"}}, run = "true"}
      """, #"{"command": "login", "input": {"with": "geheim-4711"}}"#)
    _ = await place.rows("UPDATE raclette.entry SET input = input || 'zz'")
    await execute(place)
    let ends = await place.rows("SELECT error_kind, error FROM raclette.ended")
    #expect(ends.count == 1 && ends[0].hasPrefix("input|the sealed input is damaged"), "\(ends)")
  }
}
