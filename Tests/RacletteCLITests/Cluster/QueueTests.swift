import Testing

/// The queue of a journal on a server while several of its users do something at once. Batches and
/// workers are those of `Fixtures/queue.sql`; no program executes anything.
@Suite(
  "the queue on a server", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct QueueTests {
  private let place = ClusterFolder("")
  private static let states =
    "SELECT string_agg(coalesce(d.state, 'open'), ' ' ORDER BY e.id) "
    + "FROM raclette.entry e LEFT JOIN raclette.ended d ON d.entry = e.id"

  init() async {
    #expect(await place.execute(fixture: "queue"))
  }

  /// Executes statements one after the other in one session, and returns their rows.
  private func rows(_ statements: String...) async -> [String] {
    await place.server.rows(["SET lock_timeout = '20s'"] + statements, in: place.url)
  }

  @Test("takes a page that is sent again as the one that it has")
  func repeatedPage() async {
    let refused = await rows(
      "SELECT t.batch('{1,2}', is_sealed => false)", "SELECT t.claim(1, 1)",
      "UPDATE raclette.batch SET cancelled = clock_timestamp()",
      "SELECT count(*) FROM t.page(1, 1, '{1,2}')",
      "SELECT t.finish(1, '{1}', 'completed')")
    #expect(refused == ["1", "{1}", "2"])
    #expect(await rows(Self.states) == ["completed open"])
  }

  @Test("refuses the result of an entry that has ended otherwise")
  func otherEnd() async {
    let found = await rows(
      "SELECT t.batch('{1}')", "SELECT t.claim(1, 1)",
      "SELECT raclette.conclude('{2}', 'cancelled', 'k', 'e')",
      "SELECT t.finish(1, '{1}', 'completed')", Self.states)
    #expect(found == ["1", "{1}", "{-1}", "cancelled"])
  }

  @Test(
    "does not take back what is cancelled",
    arguments: ["returned", "interrupted", "crashed", "not_enabled", "leave", "forgotten", "lost"])
  func givenBack(how: String) async {
    let back =
      switch how {
      case "leave": "SELECT raclette.leave(t.session(1))"
      case "forgotten":
        "SELECT FROM raclette.beat(t.session(1), false, '', '', '{}', 1, false, NULL, 60, '{}')"
      case "lost": "SELECT t.lose(1), t.beat(2)"
      default: "SELECT t.finish(1, '{1}', '\(how)')"
      }
    let found = await rows(
      "SELECT t.batch('{1}')", "SELECT t.claim(1, 1)", "SELECT * FROM raclette.cancel_batch(1)",
      back,
      "SELECT count(*) FROM raclette.claim", Self.states)
    #expect(found.prefix(3) == ["1", "{1}", "0|1"])
    #expect(found.suffix(2) == ["0", "cancelled"])
  }

  @Test("cancels what goes back while its batch is cancelled")
  func cancelledOnItsWay() async {
    let found = await rows(
      "SELECT t.batch('{1}')", "SELECT t.claim(1, 1)", "SELECT t.connect('a')",
      "SELECT dblink_exec('a', 'BEGIN')",
      "SELECT * FROM dblink('a', $$SELECT t.finish(1, '{1}', 'returned')$$) AS x(y bigint[])",
      "SELECT * FROM raclette.cancel_batch(1)", "SELECT dblink_exec('a', 'COMMIT')",
      "SELECT t.claim(1, 1)", Self.states)
    #expect(found.suffix(3) == ["0|1", "COMMIT", "cancelled"], "\(found)")
  }

  @Test("finds an entry that is cancelled while it goes back")
  func cancelledEntry() async {
    let found = await rows(
      "SELECT t.batch('{1}')", "SELECT t.claim(1, 1)", "SELECT t.connect('a'), t.connect('b')",
      "SELECT dblink_exec('a', 'BEGIN')",
      "SELECT * FROM dblink('a', $$SELECT t.finish(1, '{1}', 'returned')$$) AS x(y bigint[])",
      "SELECT dblink_send_query('b', 'SELECT * FROM raclette.cancel_entry(2)')",
      "SELECT t.wait_for_waiting(1)", "SELECT dblink_exec('a', 'COMMIT')",
      "SELECT * FROM dblink_get_result('b') AS x(waiting bigint, running bigint)", Self.states)
    #expect(found.suffix(3) == ["COMMIT", "1|0", "cancelled"], "\(found)")
  }

  @Test("lets workers report failures of a batch with --fail-fast at once")
  func failures() async {
    let found = await rows(
      "SELECT t.batch('{1,2,3}', true)", "SELECT t.claim(1, 1), t.claim(2, 1)",
      "SELECT t.connect('a'), t.connect('b'), t.connect('c')", "SELECT dblink_exec('c', 'BEGIN')",
      "SELECT * FROM dblink('c', 'SELECT id FROM raclette.batch FOR NO KEY UPDATE') AS x(y bigint)",
      "SELECT dblink_send_query('a', $$SELECT t.finish(1, '{1}', 'failed')$$)",
      "SELECT dblink_send_query('b', $$SELECT t.finish(2, '{2}', 'failed')$$)",
      "SELECT t.wait_for_waiting(2)", "SELECT dblink_exec('c', 'COMMIT')",
      "SELECT 'a', y FROM dblink_get_result('a') AS x(y bigint[])",
      "SELECT 'b', y FROM dblink_get_result('b') AS x(y bigint[])", Self.states)
    #expect(found.suffix(4) == ["COMMIT", "a|", "b|", "failed failed cancelled"], "\(found)")
  }

  @Test("ends a batch whose submitter is gone, once it is cancelled or not heard of")
  func abandoned() async {
    let cancelled = await rows(
      "SELECT t.batch('{1,2}', is_sealed => false)", "SELECT * FROM raclette.cancel_batch(1)",
      "SELECT count(*) FROM t.page(1, 3, '{3}')", "SELECT raclette.seal_batch(1, 3)",
      "SELECT ended IS NOT NULL, size FROM raclette.batch")
    #expect(cancelled == ["1", "2|0", "0", "t|2"])
    let left = await rows(
      "SELECT t.batch('{1}', is_sealed => false)", "SELECT t.finish(1, t.claim(1, 1), 'completed')",
      "UPDATE raclette.batch SET submitted = now() - interval '1 hour', submitter_seen = now() - interval '59 s'",
      "SELECT t.beat(1)", "SELECT count(*) FROM raclette.batch WHERE ended IS NULL")
    #expect(left.last == "1")
    #expect(await place.rows("SELECT raclette.keep_submission(4)") == [])
    let why =
      "SELECT events::json ->> 'message' FROM raclette.output WHERE events LIKE '%submitter%'"
    let closed = await rows(
      "CREATE OR REPLACE FUNCTION raclette.server_started() RETURNS timestamptz LANGUAGE sql AS "
        + "$$SELECT timestamptz '2000-01-01'$$",
      "UPDATE raclette.batch SET submitter_seen = now() - interval '61 s' WHERE ended IS NULL",
      "SELECT t.beat(1)", "SELECT count(*) FROM raclette.batch WHERE ended IS NULL", why)
    #expect(
      closed.suffix(2) == [
        "0", "the submitter of this batch is gone: only the first 1 entry was handed over",
      ], "\(closed)")
  }

  @Test("counts what a process or a worker takes with it, begun or not")
  func losses() async {
    _ = await rows("SELECT t.batch('{1}')")
    for attempt in 1...3 {
      #expect(
        await rows(
          "UPDATE raclette.later SET due = now()", "SELECT t.finish(1, t.claim(1, 1), 'crashed')",
          "SELECT count(*) FROM raclette.later") == [attempt == 3 ? "0" : "1"])
    }
    #expect(await rows(Self.states) == ["failed"])
    _ = await rows("SELECT t.batch('{1}')")
    for _ in 1...6 {
      _ = await rows("SELECT t.claim(1, 1)", "SELECT t.lose(1)", "SELECT t.beat(2)")
    }
    #expect(
      await rows("SELECT state, error_kind FROM raclette.ended ORDER BY entry DESC LIMIT 1")
        == ["failed|lost"])
  }

  @Test("wakes workers at an end only if that has opened a gate, and looks up late results")
  func gates() async {
    let scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'ended'"
    _ = await rows("SELECT t.batch('{1}', gate => 'c', policy => 'join'), t.batch('{1}')")
    _ = await rows("SELECT t.beat(1)")
    // The entries of two lanes come in any order.
    let claims = await rows(
      "SELECT t.claim(1, 2)",
      "SELECT token, gate FROM raclette.claim JOIN raclette.lane ON lane.id = lane")
    let before = await place.rows(scans)
    for row in claims.dropFirst() {
      let fields = row.split(separator: "|", omittingEmptySubsequences: false)
      let told = await rows(
        "LISTEN raclette_work", "SELECT t.finish(1, '{\(fields[0])}', 'completed')")
      #expect(told.contains { $0.contains("raclette_work") } == (fields[1] == "c"), "\(told)")
    }
    #expect(await rows("SELECT t.finish(1, '{77}', 'completed')") == ["{-77}"])
    #expect(await place.rows(scans) == before)
  }

  @Test("cancels the rest of a batch with --fail-fast, however an entry fails")
  func failFast() async {
    let commands = ClusterFolder(#"rac.command{name = "hi", run = "true"}"#)
    _ = await commands.submit(
      ["{", #"{"command": "hi"}"#, #"{"command": "hi"}"#], "--fail-fast")
    #expect(await commands.rows(Self.states) == ["failed cancelled cancelled"])
    let joined = await rows(
      "SELECT t.batch('{1}', false, 'c', 'join')", "SELECT t.claim(1, 1)",
      "SELECT t.batch('{1,2}', true, 'c', 'join')", "SELECT t.finish(1, '{1}', 'failed')",
      Self.states)
    #expect(joined.last == "failed failed cancelled", "\(joined)")
  }

  @Test("replaces entries that become claimable later, and those before them")
  func restart() async {
    let found = await rows(
      "SELECT t.batch('{1,2}', gate => 'c', policy => 'restart', is_sealed => false)",
      "INSERT INTO raclette.later SELECT entry, now() + interval '1 hour', lane, batch, 0, 0 FROM raclette.queue WHERE entry = 3",
      "DELETE FROM raclette.queue WHERE entry = 3",
      "SELECT t.claim(1, 1)", Self.states,
      "SELECT count(*) FROM t.page(1, 3, '{3}', NULL, 'c', 'restart')",
      "SELECT t.claim(1, 1) IS NULL", Self.states)
    #expect(found == ["1", "cancelled open", "1", "f", "cancelled cancelled open"], "\(found)")
  }

  @Test("has numbers beyond those of 32 bits")
  func largeNumbers() async {
    let found = await rows(
      "SELECT setval('raclette.number', 3000000000)", "SELECT t.batch('{1}', true)",
      "SELECT * FROM raclette.cancel_batch(3000000001)", Self.states)
    #expect(found.suffix(2) == ["1|0", "cancelled"], "\(found)")
  }

  @Test("keeps no digest of an input that could be compared with that of another batch")
  func needs() async {
    let found = await rows(
      "SELECT t.batch('{1}'), t.batch('{1}')", "SELECT t.beat(1)",
      "SELECT state FROM raclette.take_need(t.session(1), 1, 'k')",
      "SELECT state FROM raclette.take_need(t.session(1), 3, 'k')",
      "SELECT count(DISTINCT key), bool_or(key = 'k') FROM raclette.need",
      "SELECT raclette.end_need(t.session(1), 1, 'k', 'completed', '', '')",
      "SELECT state FROM raclette.take_need(t.session(1), 1, 'k')",
      "SELECT 1 FROM raclette.cancel_batch(1)", "SELECT count(*) FROM raclette.need WHERE batch = 1"
    )
    #expect(
      found == ["1|3", "{}", "execute", "execute", "2|f", "completed", "1", "0"], "\(found)")
  }

  @Test("prunes no file of a bundle that is being listed")
  func pruning() async {
    let found = await rows(
      "INSERT INTO raclette.blob VALUES ('x', 0, 'x'), ('y', 0, 'y')",
      "INSERT INTO raclette.bundle VALUES ('b', 'c')", "SELECT t.connect('a'), t.connect('b')",
      "SELECT dblink_exec('a', 'BEGIN')",
      "SELECT * FROM dblink('a', 'SELECT pg_advisory_xact_lock_shared(raclette.listing_lock())') AS l(x text)",
      "SELECT dblink_exec('a', $$INSERT INTO raclette.bundle_file VALUES ('b', 'p', 'x', 1, 420)$$)",
      "SELECT dblink_send_query('b', 'SELECT raclette.prune_blobs()')",
      "SELECT t.wait_for_waiting(1)", "SELECT dblink_exec('a', 'COMMIT')",
      "SELECT * FROM dblink_get_result('b') AS x(size bigint)", "SELECT digest FROM raclette.blob")
    #expect(found.suffix(3) == ["COMMIT", "1", "x"], "\(found)")
  }
}
