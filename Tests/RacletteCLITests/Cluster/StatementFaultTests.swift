import Platform
import Testing

/// What is done about statements that the server does not carry out.
@Suite("a statement that fails", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct StatementFaultTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "talk", run = "echo talks"}
    rac.command{name = "hold", run = "while [ ! -e '@go' ]; do sleep 0.05; done"}
    """

  private func place() -> ClusterFolder {
    let place = ClusterFolder("")
    place.folder.write(place.inside(Self.commands), to: "commands.lua")
    return place
  }

  /// Makes the server raise an error before a row of a table is kept for which a condition holds.
  private func raise(
    _ code: String, _ condition: String, on table: String = "ended", in place: ClusterFolder
  ) async {
    _ = await place.rows(
      """
      CREATE SEQUENCE raised;
      GRANT ALL ON SEQUENCE raised TO PUBLIC;
      CREATE FUNCTION raclette.trip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF \(condition) THEN
          PERFORM nextval('public.raised');
          RAISE EXCEPTION 'tripped' USING ERRCODE = '\(code)';
        END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER trip BEFORE INSERT OR UPDATE ON raclette.\(table)
        FOR EACH ROW EXECUTE FUNCTION raclette.trip();
      """)
  }

  @Test("for one result fails that entry, and the worker goes on with the others")
  func single() async {
    let place = place()
    _ = await place.submit([#"{"command": "talk"}"#, #"{"command": "hold"}"#])
    await raise("22000", "NEW.output IS NOT NULL", in: place)
    let launch = place.worker("--jobs", "2")
    let worker = await onThread { Running(launch) }
    let failed = "SELECT state, error_kind, error FROM raclette.ended"
    #expect(
      await place.waitFor("failed|limit|its result cannot be recorded: tripped (22000)", failed))
    place.folder.write("", to: "go")
    #expect(await place.waitFor("2", "SELECT count(*) FROM raclette.ended"))
    let ends = await place.rows(
      "SELECT state, attempt FROM raclette.ended ORDER BY entry")
    #expect(ends == ["failed|1", "completed|1"])
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0 && end.errors.contains("does not accept a result: tripped"), "\(end)")
  }

  @Test("for all results ends the worker with the reason, and what it holds goes back")
  func all() async {
    let place = place()
    _ = await place.submit([#"{"command": "talk"}"#, #"{"command": "hold"}"#])
    await raise("22000", "true", in: place)
    let launch = place.worker("--jobs", "2")
    let end = await onThread { Running(launch).finish() }
    #expect(end.status == 1 && end.errors.contains("tripped (22000)"), "\(end)")
    #expect(await place.rows("SELECT sum(losses), count(*) FROM raclette.queue") == ["0|2"])
    #expect(await place.rows("SELECT count(*) FROM raclette.worker") == ["0"])
  }

  @Test("for a passing reason is sent again, and what is said about that is so")
  func passing() async {
    let place = place()
    _ = await place.submit([#"{"command": "talk"}"#])
    await raise("53100", "NOT EXISTS (SELECT FROM pg_class WHERE relname = 'passed')", in: place)
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("t", "SELECT last_value > 2 FROM raised"))
    _ = await place.rows("CREATE TABLE passed ()")
    let isBack = await onThread { worker.waitForErrors("is back") }
    #expect(isBack)
    #expect(await place.waitFor("completed", "SELECT state FROM raclette.ended"))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.errors.matches(of: #/is back/#).count == 1, "\(end)")
  }

  @Test("because the server cancels it each time is not sent for ever")
  func cancelled() async {
    let place = place()
    _ = await place.submit([#"{"command": "talk"}"#])
    await raise("57014", "true", in: place)
    let run = await place.run(["cancel", "1"])
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("; waiting for it"), "\(run)")
    #expect(run.errors.contains("has failed: tripped (57014)"), "\(run)")
  }

  @Test(
    "because it is cancelled now and then is sent again, whatever it is",
    arguments: ["57014", "55P03"], ["ended", "worker", "claim"])
  func cancelledTwice(code: String, table: String) async {
    let place = place()
    // Three times, after which a statement is given up. A sequence counts what is rolled back, too.
    await raise(code, "(SELECT last_value FROM public.raised) < 3", on: table, in: place)
    _ = await place.submit([#"{"command": "talk"}"#])
    let launch = place.worker("--once")
    let end = await onThread { Running(launch).finish() }
    #expect(end.status == 0, "\(end)")
    #expect(await place.rows("SELECT last_value FROM raised") == ["3"])
    // Where the statement is late by a lease, the entry is claimed again.
    let ends = await place.rows("SELECT state, attempt FROM raclette.ended")
    #expect([["completed|1"], ["completed|2"]].contains(ends), "\(ends)")
  }

  @Test("because a lock is held for longer than lock_timeout does not end the worker")
  func lock() async {
    let place = place()
    _ = await place.rows("ALTER DATABASE \(place.database) SET lock_timeout = 50")
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("1", "SELECT count(*) FROM raclette.worker"))
    let holder = Task {
      await place.rows(
        """
        SET lock_timeout = 0;
        DO $$ BEGIN
          LOCK TABLE raclette.worker IN EXCLUSIVE MODE;
          WHILE NOT EXISTS (SELECT FROM pg_class WHERE relname = 'passed') LOOP
            PERFORM pg_sleep(0.05);
          END LOOP;
        END $$
        """)
    }
    let problem = "has failed: canceling statement due to lock timeout (55P03); waiting for it"
    let isTold = await onThread { worker.waitForErrors(problem) }
    #expect(isTold)
    // Statements are given up after three times, and the next renewal tries again.
    let isLost = await onThread {
      worker.waitForErrors("the lease is lost: nothing was running here")
    }
    #expect(isLost)
    _ = await place.rows("CREATE TABLE passed ()")
    _ = await holder.value
    _ = await place.submit([#"{"command": "talk"}"#])
    #expect(await place.waitFor("completed", "SELECT state FROM raclette.ended"))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0, "\(end)")
  }
}
