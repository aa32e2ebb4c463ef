import Platform
import Testing

/// What commands need, once for all workers of a batch.
@Suite("a need across the cluster", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct SharedNeedTests {
  /// A command that needs another one; `@` stands for the folder.
  private func place(_ need: String) -> ClusterFolder {
    let place = ClusterFolder("")
    let need = place.inside(need)
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "migrate", \(need),
        params = {{name = "schema", default = "main"}}}
      rac.command{name = "load", needs = {"migrate"}, concurrency = "unlimited",
        params = {{name = "n", type = "integer", default = 0}}, run = "sleep 0.05"}
      rac.command{name = "report", concurrency = "unlimited",
        params = {{name = "schema", default = "main"}},
        needs = function(input) return {{"migrate", schema = input.schema}} end, run = "true"}
      """, to: "commands.lua")
    return place
  }

  private static let ended = "SELECT bool_and(ended IS NOT NULL) FROM raclette.batch"
  private static let states = "SELECT state, count(*) FROM raclette.ended GROUP BY state"
  private static let needs = "SELECT count(*) FROM raclette.need WHERE worker IS NOT NULL"
  private static let workers =
    "SELECT count(DISTINCT worker_name) > 1 FROM raclette.ended WHERE state = 'completed'"

  private func loads(_ count: Int) -> [String] {
    (1...count).map { #"{"command": "load", "input": {"n": \#($0)}}"# }
  }

  @Test("is executed once for all workers")
  func once() async throws {
    let place = place(#"scope = "cluster", run = "echo $$ >> '@log'; sleep 0.3""#)
    _ = await place.submit(loads(40))
    let workers = await place.start(3, place.worker("--jobs", "2"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    #expect(try place.lines("log").count == 1)
    #expect(await place.rows(Self.states) == ["completed|40"])
  }

  @Test("is executed once per worker without a scope")
  func perWorker() async throws {
    let place = place(#"run = "echo $$ >> '@log'""#)
    _ = await place.submit(loads(60))
    let workers = await place.start(2, place.worker("--jobs", "2"))
    #expect(await place.waitFor("t", Self.ended))
    let both = await place.rows(Self.workers) == ["t"]
    await place.end(workers)
    #expect(try place.lines("log").count == (both ? 2 : 1))
  }

  @Test("is executed once for each input")
  func inputs() async throws {
    let place = place(#"scope = "cluster", run = "echo $$ >> '@log'""#)
    _ = await place.submit(
      (1...20).map { #"{"command": "report", "input": {"schema": "s\#($0 % 2)"}}"# })
    let workers = await place.start(2, place.worker("--jobs", "4"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    #expect(try place.lines("log").count == 2)
    #expect(await place.rows(Self.states) == ["completed|20"])
  }

  @Test("fails all that need it if it fails, with its reason")
  func failure() async throws {
    let place = place(#"scope = "cluster", run = "echo $$ >> '@log'; exit 3""#)
    _ = await place.submit(loads(10))
    let workers = await place.start(2, place.worker("--jobs", "2"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    #expect(try place.lines("log").count == 1)
    #expect(await place.rows(Self.states) == ["failed|10"])
    let errors = await place.rows("SELECT DISTINCT error_kind, error FROM raclette.ended")
    #expect(errors.count == 1)
    let error = errors.first ?? ""
    #expect(error.hasPrefix("dependency|'migrate' failed: "), "\(error)")
    #expect(error.hasSuffix("exited with status 3"), "\(error)")
  }

  @Test("is executed elsewhere after its worker was killed")
  func kill() async throws {
    let place = place(
      // What it has seen before it is seen itself.
      #"scope = "cluster", run = "x=0; [ -e '@go' ] || x=1; echo $$ >>'@log'; [ $x = 0 ] || exec sleep 100""#
    )
    _ = await place.submit(loads(4))
    let workers = await place.start(1, place.worker("--jobs", "1"))
    #expect(await place.waitFor("1", Self.needs))
    let hasBegun = await onThread { eventually { (try? place.lines("log"))?.count == 1 } }
    #expect(hasBegun)
    let others = await place.start(1, place.worker("--jobs", "2"))
    place.folder.write("", to: "go")
    workers[0].get(signal: SIGKILL)
    _ = await onThread { workers[0].finish() }
    #expect(await place.waitFor("t", Self.ended))
    await place.end(others)
    #expect(try place.lines("log").count == 2)
    #expect(await place.rows(Self.states) == ["completed|4"])
  }

  @Test("rejects an unknown scope")
  func definition() async {
    let folder = Folder(commands: #"rac.command{name = "x", scope = "galaxy", run = "true"}"#)
    let launch = Launch(arguments: ["check"], folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect((run.output + run.errors).contains(#"field 'scope' must be "cluster""#), "\(run)")
  }
}
