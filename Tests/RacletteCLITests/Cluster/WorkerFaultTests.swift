import Platform
import Testing

/// What becomes of a batch when a worker is cut off, is set up otherwise, or is one of a thousand.
@Suite(
  "workers beside others", .serialized, .enabled(if: TestServer.isInstalled),
  .timeLimit(.minutes(30)))
struct WorkerFaultTests {
  private static let ended = "SELECT bool_and(ended IS NOT NULL) FROM raclette.batch"
  private static let states = "SELECT state, count(*) FROM raclette.ended GROUP BY state"

  @Test(
    "end what they execute when they are cut off, before others begin it",
    .enabled(if: TestNetwork.isAllowed, "this machine allows no network namespaces"))
  func partition() async throws {
    let network = TestNetwork()
    defer { network.remove() }
    let server = TestServer(["fsync=off", "listen_addresses=\(network.address)"])
    defer { server.stop() }
    server.configure("pg_hba.conf", ["host all all 10.0.0.0/8 trust"])
    server.restart()
    let place = ClusterFolder("", on: server)
    let log = place.folder["log"]
    place.folder.write(
      """
      if [ $RACLETTE_ATTEMPT = 1 ]; then
        echo $$ > '\(log).pid'; echo begin >> '\(log)'; exec sleep 100
      fi
      first=/proc/$(cat '\(log).pid')/status
      if [ -e $first ] && ! grep -q '^State:.Z' $first; then echo overlap >> '\(log)'; fi
      echo again >> '\(log)'
      """, to: "hold.sh")
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "hold", run = {"sh", "\(place.folder["hold.sh"])"}}
      """, to: "commands.lua")
    _ = await place.submit([#"{"command": "hold"}"#])
    let launch = place.worker("--jobs", "1")
    var far = network.behind(launch)
    far.environment["RACLETTE_JOURNAL"] =
      "postgresql://postgres@\(network.address)/\(place.database)?sslmode=disable"
    let cutOff = await onThread { [far] in Running(far) }
    let hasBegun = await onThread { eventually { (try? place.lines("log")) == ["begin"] } }
    #expect(hasBegun)
    network.cut()
    let near = await onThread { Running(launch) }
    #expect(await place.waitFor("t", Self.ended))
    #expect(try place.lines("log") == ["begin", "again"])
    let isTold = await onThread { cutOff.waitForErrors("the lease is lost: ") }
    #expect(isTold)
    network.mend()
    // It goes on as another worker.
    #expect(await place.waitFor("2", "SELECT count(*) FROM raclette.worker"))
    await place.end([cutOff, near])
    #expect(await place.rows("SELECT state, attempt FROM raclette.ended") == ["completed|2"])
  }

  @Test("execute two versions of a project at once")
  func versions() async throws {
    let place = ClusterFolder(#"rac.command{name = "tell", run = "echo one; sleep 0.2"}"#)
    let entries = [String](repeating: #"{"command": "tell"}"#, count: 6)
    _ = await place.submit(entries)
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "tell", run = "echo two; sleep 0.2"}
      """, to: "commands.lua")
    _ = await place.submit(entries)
    let launch = place.worker("--jobs", "2")
    let workers = await place.start(2, launch)
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    for (batch, word) in [(1, "one"), (8, "two")] {
      let shown = await place.run(["attach", "\(batch)"])
      #expect(shown.lines.count { $0 == word } == 6, "\(shown)")
      #expect(shown.lines.allSatisfy { $0 == word }, "\(shown)")
    }
  }

  @Test("leave to others what needs a secret that they do not have")
  func secret() async throws {
    let place = ClusterFolder(
      """
      rac.command{name = "publish", secrets = {"REGISTRY_TOKEN"}, run = "echo with $REGISTRY_TOKEN"}
      if not os.getenv("REGISTRY_TOKEN") and not os.getenv("SUBMITS") then
        error("REGISTRY_TOKEN is not set")
      end
      """)
    var submission = place.launch(["batch", "--submit", "plan.jsonl"])
    submission.environment["SUBMITS"] = "1"
    place.folder.write("{\"command\": \"publish\"}\n", to: "plan.jsonl")
    let submitted = await onThread { [submission] in Running(submission).finish() }
    #expect(submitted.status == 0, "\(submitted)")
    let launch = place.worker("--jobs", "1")
    let without = await onThread { Running(launch) }
    let isTold = await onThread { without.waitForErrors("REGISTRY_TOKEN is not set") }
    #expect(isTold)
    var holder = launch
    holder.environment["REGISTRY_TOKEN"] = "geheim-4711"
    let with = await onThread { [holder] in Running(holder) }
    #expect(await place.waitFor("t", Self.ended))
    await place.end([without, with])
    #expect(await place.rows(Self.states) == ["completed|1"])
    let shown = await place.run(["attach", "1"])
    #expect(shown.output == "with [secret]\n" || shown.output.contains("***"), "\(shown)")
    let kept = "SELECT count(*) FROM raclette.output WHERE events LIKE '%geheim%'"
    #expect(await place.rows(kept) == ["0"])
  }

  @Test(
    "go by the server's clock, whatever time theirs shows",
    .enabled(if: access("/usr/bin/faketime", X_OK) == 0, "faketime is not installed"),
    arguments: ["+1h", "-1h"])
  func clock(difference: String) async throws {
    let place = ClusterFolder(#"rac.command{name = "note", run = "date +%s"}"#)
    _ = await place.submit([String](repeating: #"{"command": "note"}"#, count: 3))
    var wrong = place.worker("--once")
    wrong.arguments = ["-f", difference, wrong.program] + wrong.arguments
    wrong.program = "/usr/bin/faketime"
    // A wrong clock runs on as others do.
    wrong.environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
    let run = await onThread { [wrong] in Running(wrong).finish() }
    #expect(run.status == 0 && !run.errors.contains("lost"), "\(run)")
    #expect(await place.rows(Self.states) == ["completed|3"])
    // Its commands see its time, and the record has the server's.
    let values = await place.run(["replay", "2"])
    let seen = Int(values.lines.first ?? "") ?? 0
    let recorded = await place.rows(
      """
      SELECT abs(extract(epoch FROM started) - \(seen)) > 3500,
        started > clock_timestamp() - interval '10 min' FROM raclette.ended WHERE entry = 2
      """)
    #expect(recorded == ["t|t"])
  }

  @Test(
    "share a queue when they are a thousand",
    .enabled(if: access("/usr/bin/pgbench", X_OK) == 0, "pgbench is not installed"))
  func thousand() async throws {
    let place = ClusterFolder(
      """
      rac.command{name = "note", concurrency = 10, params = {{name = "n", type = "integer"}},
        run = function() end}
      """)
    let count = 20_000
    let plan = (1...count).map { #"{"command": "note", "input": {"n": \#($0)}}"# }
    #expect(await place.submit(plan).status == 0)
    let session = "('00000000-0000-4000-8000-' || lpad((:worker)::text, 12, '0'))::uuid"
    place.folder.write(
      """
      \\set worker random(1, 1000)
      SELECT raclette.beat(\(session), true, 'worker ' || :worker, '1', '{}', 16, false, NULL, 600, NULL);
      SELECT quote_literal(coalesce(array_agg(token), '{}')) AS tokens FROM raclette.claim(\(session), 16) \\gset
      SELECT count(*) FROM raclette.finish(\(session), :tokens,
        ARRAY(SELECT 'completed' FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT 0.001 FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT 1 FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT NULL::integer FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT NULL FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT NULL FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT NULL::bytea FROM unnest(:tokens::bigint[])),
        ARRAY(SELECT '' FROM unnest(:tokens::bigint[])),
        '{}', '{}', '{}', '{}', '{}', 0);
      """, to: "claims.sql")
    let simulation = Launch(
      program: "/usr/bin/pgbench",
      arguments: [
        "--no-vacuum", "-c", "32", "-j", "2", "-t", "100", "-f", "claims.sql", place.url,
      ], folder: place.folder.path)
    let run = await onThread { Running(simulation).finish() }
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("number of failed transactions: 0 "), "\(run)")
    #expect(await place.rows(Self.states) == ["completed|\(count)"])
    #expect(await place.rows("SELECT count(*) > 900 FROM raclette.worker") == ["t"])
    #expect(await place.rows(Self.ended) == ["t"])
    for table in ["queue", "claim"] {
      #expect(await place.rows("SELECT count(*) FROM raclette.\(table)") == ["0"], "\(table)")
    }
  }

  @Test("keeps what it claims after its lease and its connection were lost together")
  func lostTogether() async {
    let place = ClusterFolder(
      """
      rac.command{name = "note", concurrency = 10, params = {{name = "n", type = "integer"}},
        run = function() end}
      """)
    let count = 2_000
    _ = await place.submit(
      (1...count).map { #"{"command": "note", "input": {"n": \#($0)}}"# })
    let launch = place.worker("--jobs", "2")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("t", "SELECT count(*) > 100 FROM raclette.ended"))
    // A step of the worker is under way until its connection ends.
    let lock = Launch(program: "/usr/bin/psql", arguments: [place.url], input: .open)
    let holder = await onThread {
      let holder = Running(lock)
      holder.send("BEGIN; SELECT 'held' FROM raclette.worker FOR UPDATE;\n")
      holder.waitForOutput("held")
      return holder
    }
    let steps = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%finish(%'"
    #expect(await place.waitFor("1", "SELECT count(*) \(steps)"))
    worker.get(signal: SIGSTOP)
    #expect(
      await place.waitFor("t", "SELECT bool_and(deadline < clock_timestamp()) FROM raclette.worker")
    )
    #expect(await place.rows("SELECT pg_terminate_backend(pid) \(steps)") == ["t"])
    await onThread {
      holder.endInput()
      _ = holder.finish()
    }
    worker.get(signal: SIGCONT)
    #expect(await place.waitFor("\(count)", "SELECT count(*) FROM raclette.ended"))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0, "\(end)")
    #expect(end.errors.ranges(of: "late result").count <= 1, "\(end)")
    #expect(await place.rows(Self.states) == ["completed|\(count)"])
  }
}
