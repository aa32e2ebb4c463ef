import Platform
import Testing

/// Commands whose limit counts over all workers.
@Suite("a limit across the cluster", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct GateTests {
  private func place(_ policy: String, _ run: String) -> ClusterFolder {
    let place = ClusterFolder("")
    let run = place.inside(run)
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "deploy", aliases = {"d"}, across = "cluster", \(policy),
        params = {{name = "n", type = "integer", default = 0}}, run = "\(run)"}
      """, to: "commands.lua")
    return place
  }

  /// The greatest number of executions that ran at a time, by the lines that they wrote.
  private func most(_ lines: [String]) -> Int {
    var (running, most) = (0, 0)
    for line in lines {
      running += line.hasPrefix("begin") ? 1 : -1
      most = max(most, running)
    }
    return most
  }

  private static let ended = "SELECT bool_and(ended IS NOT NULL) FROM raclette.batch"
  private static let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
  private static let writing = "echo begin >> '@log'; sleep 0.02; echo end >> '@log'"

  @Test("lets no more execute than it says, over workers and batches", arguments: [1, 2])
  func limit(of limit: Int) async throws {
    let place = place("concurrency = \(limit)", Self.writing)
    let entries = [String](repeating: #"{"command": "deploy"}"#, count: 12)
    _ = await place.submit(entries)
    _ = await place.submit(entries + [#"{"command": "d"}"#])
    let workers = await place.start(3, place.worker("--jobs", "4"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    let lines = try place.lines("log")
    #expect(lines.count == 50)
    #expect(most(lines) <= limit, "\(lines)")
    #expect(await place.rows("SELECT DISTINCT state FROM raclette.ended") == ["completed"])
  }

  @Test("ends with the lease of a worker that stands still, and what it runs ends before")
  func pause() async throws {
    let place = place("concurrency = 1", "exec sh '@hold.sh'")
    place.folder.write(
      place.inside(
        """
        if [ $RACLETTE_ATTEMPT = 1 ]; then
          echo $$ > '@pid'; echo begin >> '@log'; exec sleep 1000
        fi
        first=/proc/$(cat '@pid')/status
        if [ -e $first ] && ! grep -q '^State:.Z' $first; then echo overlap >> '@log'; fi
        echo again >> '@log'
        """), to: "hold.sh")
    _ = await place.submit([#"{"command": "deploy"}"#])
    let workers = await place.start(1, place.worker("--jobs", "1"))
    #expect(await place.waitFor("1", Self.begun))
    workers[0].get(signal: SIGSTOP)
    let others = await place.start(1, place.worker("--jobs", "1"))
    #expect(await place.waitFor("t", Self.ended))
    workers[0].get(signal: SIGCONT)
    await place.end(workers + others)
    #expect(try place.lines("log") == ["begin", "again"])
    #expect(await place.rows("SELECT state, attempt FROM raclette.ended") == ["completed|2"])
  }

  @Test("is free again after a worker was killed")
  func kill() async throws {
    let place = place("concurrency = 1", "[ $RACLETTE_ATTEMPT = 2 ] || exec sleep 100")
    _ = await place.submit([#"{"command": "deploy"}"#])
    let workers = await place.start(1, place.worker("--jobs", "1"))
    #expect(await place.waitFor("1", Self.begun))
    let others = await place.start(1, place.worker("--jobs", "1"))
    workers[0].get(signal: SIGKILL)
    _ = await onThread { workers[0].finish() }
    #expect(await place.waitFor("t", Self.ended))
    await place.end(others)
    #expect(await place.rows("SELECT state, attempt FROM raclette.ended") == ["completed|2"])
  }

  @Test("makes equal entries one where executions are joined")
  func join() async throws {
    let place = place(
      #"concurrency = 1, when_busy = "join""#, "echo begin >> '@log'; echo done")
    let equal = [String](repeating: #"{"command": "deploy"}"#, count: 5)
    _ = await place.submit(equal + [#"{"command": "deploy", "input": {"n": 1}}"#])
    let workers = await place.start(2, place.worker("--jobs", "2"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    #expect(try place.lines("log").count == 2)
    let states = "SELECT state, count(*) FROM raclette.ended GROUP BY state"
    #expect(await place.rows(states) == ["completed|6"])
    let shown = await place.run(["attach", "1", "--json"])
    let ends = shown.output.matches(of: #/"type": ?"completed"/#)
    #expect(ends.count == 6, "\(shown)")
  }

  @Test("gives the last entry the place of those before where executions are restarted")
  func restart() async throws {
    let place = place(
      #"concurrency = 1, when_busy = "restart""#,
      "if [ -e '@go' ]; then echo last; else echo begin > '@log'; exec sleep 100; fi")
    _ = await place.submit([#"{"command": "deploy", "input": {"n": 1}}"#])
    let workers = await place.start(2, place.worker("--jobs", "2"))
    let hasBegun = await onThread { eventually { (try? place.lines("log"))?.count == 1 } }
    #expect(hasBegun)
    place.folder.write("", to: "go")
    _ = await place.submit((2...4).map { #"{"command": "deploy", "input": {"n": \#($0)}}"# })
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    let states = await place.rows("SELECT state FROM raclette.ended ORDER BY entry")
    #expect(states == ["cancelled", "cancelled", "cancelled", "completed"])
  }

  @Test("rejects an unknown reach")
  func definition() async {
    let folder = Folder(commands: #"rac.command{name = "x", across = "galaxy", run = "true"}"#)
    let launch = Launch(arguments: ["check"], folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect(
      run.output.contains(#"field 'across' must be "machine" or "cluster""#)
        || run.errors.contains(#"field 'across' must be "machine" or "cluster""#), "\(run)")
  }
}
