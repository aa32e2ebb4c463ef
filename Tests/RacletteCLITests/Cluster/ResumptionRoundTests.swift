import Platform
import Testing

/// The only worker of a batch is killed with its submitter, again and again, and the batch resumed
/// before its lease is over or after.
@Suite(
  "a batch that is killed and resumed on a server",
  .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(300)))
struct ResumptionRoundTests {
  private static let isLong = getenv("RACLETTE_LONG") != nil
  private static let entries = 200
  private static let jobs = 4

  @Test(arguments: 1...(isLong ? 100 : 4))
  func losesNothing(round: Int) async throws {
    let place = ClusterFolder("")
    place.folder.write(
      place.inside(
        """
        local rac = require "rac"
        rac.command{name = "note", concurrency = 10, params = {{name = "n", type = "integer"}},
          run = "echo $n >> '@notes'; sleep 0.0" .. \(round % 10)}
        """), to: "commands.lua")
    // Some are equal.
    let plan = (1...Self.entries).map {
      #"{"command": "note", "input": {"n": \#($0 % 20 == 0 ? 0 : $0)}}"#
    }
    place.folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
    var most = Self.entries
    for step in 1...3 {
      let launch = place.launch(
        ["batch", "plan.jsonl", "--jobs", "\(Self.jobs)", "--progress", "never"]
          + (step == 1 ? [] : ["--resume"]))
      let goal = Self.entries * step / 4 - round % 7
      await onThread {
        let running = Running(launch)
        let hasComeSoFar = eventually {
          (try? place.lines("notes").count) ?? 0 >= goal
        }
        #expect(hasComeSoFar)
        running.get(signal: SIGKILL)
        _ = running.finish()
      }
      let held = await place.rows("SELECT count(*) FROM raclette.claim").first.flatMap { Int($0) }
      most += held ?? 0
      if (round + step) % 2 == 0 {
        let isOver =
          "SELECT coalesce(bool_and(deadline < clock_timestamp()), true) FROM raclette.worker"
        #expect(await place.waitFor("t", isOver))
      }
    }
    let run = await place.run(
      ["batch", "plan.jsonl", "--jobs", "\(Self.jobs)", "--progress", "never", "--resume"])
    #expect(run.status == 0, "\(run)")
    let notes = try place.lines("notes")
    #expect(Set(notes).count == Self.entries - Self.entries / 20 + 1)
    #expect(notes.count { $0 == "0" } >= Self.entries / 20)
    #expect(notes.count <= most, "\(notes.count) of \(most)")
    let completed = await place.rows(
      """
      SELECT count(*), count(DISTINCT e.key) FROM raclette.ended d
      JOIN raclette.entry e ON e.id = d.entry WHERE d.state = 'completed'
      """)
    #expect(completed == ["\(Self.entries)|\(Self.entries - Self.entries / 20 + 1)"])
    let nothing = await place.run(["batch", "plan.jsonl", "--progress", "never", "--resume"])
    #expect(nothing.errors.contains("0 completed, \(Self.entries) skipped"), "\(nothing)")
    let open = "SELECT count(*) FROM raclette.batch WHERE ended IS NULL AND size IS NOT NULL"
    #expect(await place.rows(open) == ["0"])
    for table in ["queue", "later", "claim", "awaiting"] {
      #expect(await place.rows("SELECT count(*) FROM raclette.\(table)") == ["0"], "\(table)")
    }
  }
}
