import Platform
import Testing

/// Roles to which one right is missing: what they cannot do is said, and nothing is lost or waits for ever.
@Suite("a role that lacks a right", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct RoleTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "prepare", scope = "cluster", run = "echo prepared"}
    rac.command{name = "hi", needs = {"prepare"}, concurrency = 4, run = "echo hi"}
    """
  private static let plan = [String](repeating: #"{"command": "hi"}"#, count: 3)

  /// A URL for a role that is made for this.
  private func url(_ place: ClusterFolder, as role: String, _ options: String) async -> String {
    _ = await place.rows(
      """
      DO $$ BEGIN
        CREATE ROLE \(role) LOGIN \(options);
      EXCEPTION WHEN duplicate_object THEN NULL; END $$
      """)
    return place.url.split(separator: "postgres@").joined(separator: "\(role)@")
  }

  private func run(_ arguments: [String], of place: ClusterFolder, by url: String) async -> Outcome
  {
    var launch = place.launch(arguments)
    launch.environment["RACLETTE_JOURNAL"] = url
    return await onThread { [launch] in Running(launch).finish() }
  }

  @Test(
    "to work ends its worker with the name of the function",
    arguments: [
      "version", "beat", "finish", "batch_of", "files_of", "part_of", "take_need", "end_need",
      "leave",
    ])
  func worker(function: String) async {
    let place = ClusterFolder(Self.commands)
    let url = await url(place, as: "short_worker", "IN ROLE raclette_worker")
    #expect(await place.submit(Self.plan).status == 0)
    _ = await place.rows("REVOKE EXECUTE ON FUNCTION raclette.\(function) FROM raclette_worker")
    let refused = await run(["worker", "--once"], of: place, by: url)
    #expect(refused.status == 1, "\(refused)")
    #expect(
      refused.errors.hasSuffix(
        "raclette: error: the journal on \(place.server.folder)/\(place.database) does not allow "
          + "this: permission denied for function \(function); the user that owns it may do "
          + "everything, and members of raclette_worker may start workers\n"), "\(refused)")
    // A second worker, which may, executes what it has left.
    _ = await place.rows("GRANT EXECUTE ON FUNCTION raclette.\(function) TO raclette_worker")
    let worker = await run(["worker", "--once"], of: place, by: url)
    #expect(worker.status == 0, "\(worker)")
    #expect(
      await place.rows("SELECT state, count(*) FROM raclette.ended GROUP BY 1") == ["completed|3"])
  }

  @Test("to a table is told by whatever needs it, and all else is done")
  func submitter() async throws {
    let place = ClusterFolder(Self.commands)
    let url = await url(place, as: "short_submitter", "")
    let grants = ["TABLES", "SEQUENCES", "FUNCTIONS"].map {
      "GRANT ALL ON ALL \($0) IN SCHEMA raclette TO short_submitter"
    }
    _ = await place.server.rows(
      ["GRANT USAGE ON SCHEMA raclette TO short_submitter"] + grants, in: place.url)
    place.folder.write(Self.plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
    let first = await run(["batch", "plan.jsonl"], of: place, by: url)
    #expect(first.status == 0 && first.lines.filter { $0 == "hi" }.count == 3, "\(first)")
    let tables = await place.rows(
      "SELECT relname FROM pg_class WHERE relnamespace = 'raclette'::regnamespace AND relkind = 'r'"
    )
    #expect(tables.count > 14)
    var refusals = 0
    for table in tables {
      _ = await place.rows("REVOKE ALL ON raclette.\(table) FROM short_submitter")
      for words in [
        ["batch", "plan.jsonl", "--submit"], ["jobs"], ["history"], ["attach", "1"],
        ["replay", "3"],
        ["timeline"], ["prune", "--keep", "100"],
      ] {
        let outcome = await run(words, of: place, by: url)
        let isDenied = outcome.errors.contains(
          " does not allow this: permission denied for table \(table); ")
        #expect(outcome.status == (isDenied ? 1 : 0), "\(table), \(words): \(outcome)")
        if isDenied { refusals += 1 }
      }
      _ = await place.rows("GRANT ALL ON raclette.\(table) TO short_submitter")
    }
    #expect(refusals > 20)
  }
}
