import Platform
import Testing

/// What is told about a server that cannot be used, and what a role of workers may not do.
@Suite("a journal on a server", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct ServerErrorTests {
  private func raclette(_ words: String...) async -> Outcome {
    let launch = Launch(arguments: words)
    return await onThread { Running(launch).finish() }
  }

  @Test("tells why it cannot be used, without the password")
  func messages() async {
    let nowhere = await raclette("worker", "--journal", "postgresql://me:geheim@127.0.0.1:1/x")
    #expect(nowhere.status == 1)
    #expect(nowhere.errors.contains("cannot connect to 127.0.0.1:1/x: "), "\(nowhere)")
    #expect(!nowhere.errors.contains("geheim"))
    let absent = await raclette("worker", "--journal", "postgresql:///x?host=/no/such/folder")
    #expect(absent.status == 1 && absent.errors.contains("No such file or directory"), "\(absent)")
    let bad = await raclette("worker", "--journal", "postgresql://me:geh%eim@h/x")
    #expect(bad.errors.contains("the URL of the journal is not valid"), "\(bad)")
    #expect(!bad.errors.contains("eim"))
    let file = await raclette("worker", "--journal", "j.db")
    #expect(file.status == 2 && file.errors.contains("needs a journal on a server"), "\(file)")
    let noServer = await raclette("journal", "init", "j.db")
    #expect(
      noServer.status == 2 && noServer.errors.contains("a journal in a file needs no init"),
      "\(noServer)")
    let role = TestServer.shared.database().split(separator: "postgres@").joined(
      separator: "nobody_known@")
    let unknown = await raclette("worker", "--journal", role)
    #expect(unknown.errors.contains(#"role "nobody_known" does not exist"#), "\(unknown)")
  }

  @Test("names the package of the library that is missing")
  func library() async {
    // What the loader finds first is no library.
    let folder = Folder(["libpq.so.5": ""])
    let launch = Launch(
      arguments: ["worker", "--journal", "postgresql://me@127.0.0.1:1/x"],
      environment: ["LD_LIBRARY_PATH": folder.path])
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 1)
    #expect(run.errors.contains("needs libpq, from the package libpq5: "), "\(run)")
  }

  @Test("is offered where there is none, is made once, and is not touched by an older program")
  func schema() async {
    let url = TestServer.shared.database()
    let again = await raclette("journal", "init", url)
    #expect(again.status == 0 && again.errors.contains("has version 4 already"), "\(again)")
    _ = await TestServer.shared.rows("UPDATE raclette.schema_version SET number = 9", in: url)
    for words in [["worker", "--journal", url], ["journal", "init", url]] {
      let launch = Launch(arguments: words)
      let newer = await onThread { Running(launch).finish() }
      #expect(newer.status == 1)
      #expect(newer.errors.contains("was made by a newer raclette: it has version 9"), "\(newer)")
    }
    _ = await TestServer.shared.rows("DROP SCHEMA raclette CASCADE", in: url)
    let none = await raclette("worker", "--journal", url)
    #expect(none.errors.contains("make one with: raclette :journal init URL"), "\(none)")
    let made = await raclette("journal", "init", url)
    #expect(made.status == 0 && made.errors.contains("made the journal in"), "\(made)")
  }

  @Test(
    "is made once by several at a time, whatever isolation transactions have by default",
    arguments: ["repeatable read", "serializable"])
  func isolation(level: String) async {
    let server = TestServer.shared
    let url = server.database()
    let name = url.dropFirst("postgresql://postgres@/".count).prefix { $0 != "?" }
    _ = await server.rows(
      [
        "DROP SCHEMA raclette CASCADE",
        "ALTER DATABASE \(name) SET default_transaction_isolation = '\(level)'",
      ], in: url)
    let inits = await onThread {
      (1...4).map { _ in Running(Launch(arguments: ["journal", "init", url])) }.map { $0.finish() }
    }
    #expect(inits.allSatisfy { $0.status == 0 }, "\(inits)")
    #expect(inits.count { $0.errors.contains("made the journal in") } == 1, "\(inits)")
    #expect(inits.count { $0.errors.contains("has version 4 already") } == 3, "\(inits)")
  }

  @Test(
    "is refused in a database whose encoding cannot keep every text",
    arguments: ["LATIN1", "EUC_JP", "SQL_ASCII"])
  func encoding(_ encoding: String) async {
    let server = TestServer.shared
    let name = "encoded_\(encoding.lowercased())"
    _ = await server.rows(
      "CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0",
      in: "postgresql://postgres@/postgres?host=\(server.folder)")
    let url = "postgresql://postgres@/\(name)?host=\(server.folder)"
    let made = await raclette("journal", "init", url)
    #expect(made.status == 1 && made.output == "")
    #expect(
      made.errors == "raclette: error: the database \(server.folder)/\(name) has the encoding "
        + "\(encoding), which cannot keep every text; make one for the journal with: createdb "
        + "--encoding UTF8 --locale C --template template0 DATABASE\n")
    #expect(await server.rows("SELECT to_regclass('raclette.batch') IS NULL", in: url) == ["t"])
    // One that an earlier version has made there.
    let schema = "CREATE SCHEMA raclette; CREATE FUNCTION raclette.version() RETURNS integer "
    _ = await server.rows(schema + "LANGUAGE sql AS 'SELECT 2'", in: url)
    let worker = await raclette("worker", "--journal", url)
    #expect(worker.status == 1 && worker.errors == made.errors)
  }

  @Test("is made by a user who may make no roles, who is told so")
  func owner() async {
    let server = TestServer(["fsync=off"], makesJournal: false)
    defer { server.stop() }
    let postgres = "postgresql://postgres@/postgres?host=\(server.folder)"
    _ = await server.rows("CREATE ROLE ann LOGIN", in: postgres)
    _ = await server.rows("CREATE DATABASE work OWNER ann", in: postgres)
    let url = "postgresql://ann@/work?host=\(server.folder)"
    let made = await raclette("journal", "init", url)
    #expect(made.status == 0, "\(made)")
    #expect(made.errors.contains("may not create the role raclette_worker"), "\(made)")
    let worker = await raclette("worker", "--once", "--journal", url)
    #expect(worker.status == 0, "\(worker)")
    _ = await server.rows("CREATE ROLE raclette_worker NOLOGIN", in: postgres)
    let again = await raclette("journal", "init", url)
    #expect(again.errors.contains("CREATE ROLE worker1 LOGIN IN ROLE raclette_worker"), "\(again)")
  }

  @Test("lets a role of workers call what workers call, and nothing else")
  func role() async {
    let url = TestServer.shared.database()
    _ = await TestServer.shared.rows(
      """
      DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'stolen') THEN
          CREATE ROLE stolen LOGIN IN ROLE raclette_worker; END IF; END $$
      """, in: url)
    let stolen = url.split(separator: "postgres@").joined(separator: "stolen@")
    let launch = Launch(arguments: ["worker", "--once", "--journal", stolen])
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 0, "\(run)")
    let tables = await TestServer.shared.rows(
      "SELECT relname FROM pg_class WHERE relnamespace = 'raclette'::regnamespace AND relkind = 'r'",
      in: url)
    #expect(tables.count > 14)
    var attempts: [String] = []
    for table in tables {
      attempts += [
        "SELECT * FROM raclette.\(table)", "DELETE FROM raclette.\(table)",
        "INSERT INTO raclette.\(table) DEFAULT VALUES", "LOCK TABLE raclette.\(table)",
        "COPY raclette.\(table) TO STDOUT", "ALTER TABLE raclette.\(table) ADD COLUMN mine int",
        "TRUNCATE raclette.\(table) CASCADE", "DROP TABLE raclette.\(table) CASCADE",
      ]
    }
    attempts += [
      "SELECT nextval('raclette.number')", "SELECT * FROM raclette.token",
      "SELECT raclette.settle()", "SELECT raclette.reap()", "SELECT raclette.cancel_batch(1)",
      "SELECT raclette.claim_entries(1, 1)", "SELECT raclette.conclude('{1}', 'a', 'b', 'c')",
      "SELECT raclette.tell(1, 'x')", "SELECT * FROM raclette.follow(1, '{}', '{}')",
      "SELECT raclette.seal_batch(1, 1)", "SELECT nextval('raclette.token')",
      "CREATE TABLE raclette.mine (x int)",
      "CREATE FUNCTION raclette.f() RETURNS int "
        + "LANGUAGE sql AS 'SELECT 1'", "SET ROLE postgres",
      "SELECT raclette.submit_batch(gen_random_uuid(), '', '', '', '', '', false, 1)",
    ]
    for attempt in attempts {
      // A row that says so if it is allowed.
      let rows = await TestServer.shared.rows("\(attempt); SELECT 'allowed'", in: stolen)
      #expect(!rows.contains("allowed"), "\(attempt)")
    }
    // Of all functions, it may call these.
    let allowed = await TestServer.shared.rows(
      """
      SELECT proname FROM pg_proc WHERE pronamespace = 'raclette'::regnamespace
        AND has_function_privilege('stolen', oid, 'EXECUTE') ORDER BY proname
      """, in: url)
    #expect(
      allowed == [
        "accept", "batch_of", "beat", "claim", "end_need", "files_of", "finish", "leave", "part_of",
        "refuse",
        "take_need", "version",
      ])
    // And no sequence, no type of privilege on a table, nothing of the schema but its use.
    let privileges = await TestServer.shared.rows(
      """
      SELECT relname FROM pg_class WHERE relnamespace = 'raclette'::regnamespace AND (
        relkind = 'r' AND (
          has_table_privilege('stolen', oid,
            'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
          OR has_any_column_privilege('stolen', oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
        OR relkind = 'S' AND has_sequence_privilege('stolen', oid, 'USAGE, SELECT, UPDATE'))
      UNION ALL
      SELECT nspname FROM pg_namespace
      WHERE nspname = 'raclette' AND has_schema_privilege('stolen', oid, 'CREATE')
      """, in: url)
    #expect(privileges == [])
    // Functions that it may call do nothing for a session that it does not know.
    let foreign = await TestServer.shared.rows(
      """
      SELECT count(*) FROM raclette.batch_of(gen_random_uuid(), 1)
      """, in: stolen)
    #expect(foreign == ["0"])
  }
}
