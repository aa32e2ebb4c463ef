import Platform
import Testing

/// A journal on a server that is reached by way of PgBouncer.
@Suite(
  "a journal behind a pooler",
  .enabled(if: TestPooler.isInstalled, "pgbouncer is not installed"), .timeLimit(.minutes(10)))
struct PoolerTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "hi", params = {{name = "n", type = "integer"}}, run = "echo hi"}
    rac.command{name = "nap", concurrency = 10, params = {{name = "n", type = "integer"}},
      run = "sleep 0.2; echo nap $n"}
    rac.command{name = "forever", run = "echo begun; exec sleep 1000"}
    """
  private static let states = "SELECT state, count(*) FROM raclette.ended GROUP BY 1 ORDER BY 1"

  /// A folder whose journal is reached by way of a pooler; its rows are asked for directly.
  private struct Place {
    let direct: ClusterFolder
    let pooler: TestPooler

    init(_ mode: TestPooler.Mode, _ settings: String..., on server: TestServer = .shared) {
      direct = ClusterFolder(PoolerTests.commands, on: server)
      pooler = TestPooler(server, mode, settings)
    }

    func launch(_ arguments: String...) -> Launch {
      var launch = direct.launch(arguments)
      launch.environment["RACLETTE_JOURNAL"] = pooler.url(of: direct)
      return launch
    }

    func run(_ arguments: String...) async -> Outcome {
      var launch = direct.launch(arguments)
      launch.environment["RACLETTE_JOURNAL"] = pooler.url(of: direct)
      return await onThread { [launch] in Running(launch).finish() }
    }

    /// The message that notifications do not arrive.
    var silence: String {
      "raclette: notifications from \(pooler.name(of: direct)) do not arrive, as is usual behind a "
        + "pooler in transaction mode; polling more often instead\n"
    }
  }

  @Test("in session mode works as without one")
  func session() async throws {
    let place = Place(.session)
    defer { place.pooler.stop() }
    try await use(place, isSilent: false)
  }

  @Test("in transaction mode asks more often, and says so once")
  func transaction() async throws {
    let place = Place(.transaction)
    defer { place.pooler.stop() }
    try await use(place, isSilent: true)
    // Nothing is left in processes that others use, too.
    let launch = place.pooler.url(of: place.direct)
    #expect(await TestServer.shared.rows("SHOW jit", in: launch) == ["on"])
  }

  /// Executes a batch beside a worker, cancels an execution, and looks at what the worker says.
  private func use(_ place: Place, isSilent: Bool) async throws {
    let direct = place.direct
    let work = place.launch("worker", "--jobs", "2")
    let worker = await onThread { Running(work) }
    #expect(await direct.waitFor("1", "SELECT count(*) FROM raclette.worker"))
    if isSilent { _ = await onThread { worker.waitForErrors(place.silence) } }
    direct.folder.write(
      (1...20).map { #"{"command": "hi", "input": {"n": \#($0)}}"# + "\n" }.joined(),
      to: "plan.jsonl")
    let run = await place.run("batch", "plan.jsonl", "--progress", "never")
    #expect(run.status == 0 && run.lines == [String](repeating: "hi", count: 20), "\(run)")
    direct.folder.write(#"{"command": "forever"}"# + "\n", to: "plan.jsonl")
    let number = try #require(await place.run("batch", "--submit", "plan.jsonl").lines.first)
    #expect(
      await direct.waitFor("1", "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"))
    let cancelled = await place.run("cancel", number)
    #expect(
      cancelled.status == 0
        && cancelled.errors
          == "raclette: cancelled batch \(number): 1 that workers hold and now end\n",
      "\(cancelled)")
    #expect(await direct.waitFor("t", "SELECT bool_and(ended IS NOT NULL) FROM raclette.batch"))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0, "\(end)")
    let name = end.errors.firstMatch(of: #/worker (\S+): /#).map { String($0.1) } ?? ""
    #expect(
      end.errors
        == "raclette: worker \(name): 2 jobs, journal on \(place.pooler.name(of: direct))\n"
        + (isSilent ? place.silence : ""))
    #expect(await direct.rows(Self.states) == ["cancelled|1", "completed|20"])
  }

  @Test("says it beside other work, and to those who only look", arguments: [1, 20])
  func busy(connections: Int) async throws {
    // With one connection of the pooler, all statements of everybody go to one process of the server.
    let place = Place(.transaction, "default_pool_size = \(connections)")
    defer { place.pooler.stop() }
    let direct = place.direct
    direct.folder.write(
      (1...60).map { #"{"command": "nap", "input": {"n": \#($0)}}"# + "\n" }.joined(),
      to: "plan.jsonl")
    let launches = [
      place.launch("worker", "--jobs", "2"),
      place.launch("batch", "plan.jsonl", "--jobs", "2", "--progress", "never"),
    ]
    let programs = await onThread { launches.map { Running($0) } }
    for program in programs { _ = await onThread { program.waitForErrors(place.silence) } }
    let run = await onThread { programs[1].finish() }
    #expect(run.status == 0 && Set(run.lines).count == 60, "\(run)")
    programs[0].get(signal: SIGTERM)
    let end = await onThread { programs[0].finish() }
    for outcome in [run, end] {
      #expect(outcome.errors.ranges(of: place.silence).count == 1, "\(outcome)")
    }
    #expect(await direct.rows(Self.states) == ["completed|60"])
  }

  @Test(
    "makes its journal, and leaves no lock", arguments: [TestPooler.Mode.session, .transaction])
  func makingJournal(mode: TestPooler.Mode) async {
    let place = Place(mode)
    defer { place.pooler.stop() }
    _ = await place.direct.rows("DROP SCHEMA raclette CASCADE")
    let url = place.pooler.url(of: place.direct)
    let made = await place.run("journal", "init", url)
    #expect(
      made.status == 0
        && made.errors.hasPrefix(
          "raclette: made the journal in \(place.pooler.name(of: place.direct)), version 4\n"),
      "\(made)")
    let again = await place.run("journal", "init", url)
    #expect(again.status == 0 && again.errors.contains(" has version 4 already\n"), "\(again)")
    let locks = await place.direct.rows(
      """
      SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """)
    #expect(locks == ["0"])
  }

  @Test(
    "goes on when the server was started again",
    arguments: [TestPooler.Mode.session, .transaction])
  func restart(mode: TestPooler.Mode) async {
    let server = TestServer(["fsync=off"])
    defer { server.stop() }
    let place = Place(mode, on: server)
    defer { place.pooler.stop() }
    place.direct.folder.write(
      (1...40).map { #"{"command": "nap", "input": {"n": \#($0)}}"# + "\n" }.joined(),
      to: "plan.jsonl")
    let launches = [
      place.launch("worker", "--jobs", "2"),
      place.launch("batch", "plan.jsonl", "--jobs", "2", "--progress", "never"),
    ]
    let programs = await onThread { launches.map { Running($0) } }
    await onThread { programs[1].waitForOutputLines(8) }
    await onThread { server.restart() }
    let run = await onThread { programs[1].finish() }
    #expect(run.status == 0 && Set(run.lines).count == 40, "\(run)")
    programs[0].get(signal: SIGTERM)
    let end = await onThread { programs[0].finish() }
    #expect(end.status == 0, "\(end)")
    #expect(await place.direct.rows(Self.states) == ["completed|40"])
  }
}
