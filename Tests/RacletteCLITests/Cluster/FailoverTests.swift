import Platform
import Testing
import TextFiles

/// What becomes of connections that the server or somebody between ends, and of a server that another one
/// takes the place of.
@Suite(
  "a server that changes", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct FailoverTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "hi", run = "echo hi"}
    rac.command{name = "nap", concurrency = 10, params = {{name = "n", type = "integer"}},
      run = "sleep 0.2; echo nap $n"}
    """
  private static let states = "SELECT state, count(*) FROM raclette.ended GROUP BY 1 ORDER BY 1"

  /// A text without the number of the process in the name of a worker.
  private func nameless(_ text: String) -> String {
    text.replacing(#/worker \S+:\d+:/#, with: "worker NAME:")
  }

  @Test("and its standby: a worker and a batch go on with the promoted one")
  func promotion() async {
    let primary = TestServer(["fsync=off", "wal_level=replica"])
    defer { primary.stop() }
    let place = ClusterFolder(Self.commands, on: primary)
    let standby = TestServer(following: primary)
    defer { standby.stop() }
    // What the primary acknowledges, the standby has.
    _ = await place.rows("ALTER SYSTEM SET synchronous_standby_names = '*'")
    _ = await place.rows("SELECT pg_reload_conf()")
    #expect(await place.waitFor("sync", "SELECT sync_state FROM pg_stat_replication"))
    let servers = "\(primary.folder),\(standby.folder)"
    let url = "postgresql://postgres@/\(place.database)?host=\(servers)"
    func launch(_ arguments: String...) -> Launch {
      var launch = place.launch(arguments)
      launch.environment["RACLETTE_JOURNAL"] = url + "&target_session_attrs=read-write"
      return launch
    }
    place.folder.write(
      (1...40).map { #"{"command": "nap", "input": {"n": \#($0)}}"# + "\n" }.joined(),
      to: "plan.jsonl")
    let launches = [
      launch("worker", "--jobs", "2"),
      launch("batch", "plan.jsonl", "--jobs", "2", "--progress", "never"),
    ]
    let programs = await onThread { launches.map { Running($0) } }
    let lost = "the connection to \(servers)/\(place.database) is lost: "
    await onThread {
      programs[1].waitForOutputLines(8)
      primary.kill()
      // One that is lost while it has nothing to do is told when it cannot be made again.
      for program in programs { program.waitForErrors(lost) }
      standby.promote()
    }
    let run = await onThread { programs[1].finish() }
    #expect(run.status == 0 && Set(run.lines).count == 40, "\(run)")
    programs[0].get(signal: SIGTERM)
    let end = await onThread { programs[0].finish() }
    #expect(end.status == 0, "\(end)")
    for outcome in [run, end] {
      #expect(outcome.errors.ranges(of: lost).count == 1, "\(outcome)")
      #expect(
        outcome.errors.contains("the connection to \(servers)/\(place.database) is back\n"),
        "\(outcome)")
    }
    let there = "postgresql://postgres@/\(place.database)?host=\(standby.folder)"
    #expect(await standby.rows(Self.states, in: there) == ["completed|40"])
  }

  @Test("by a standby that only reads: it answers questions, and refuses the rest with the way out")
  func standby() async {
    let primary = TestServer(["fsync=off", "wal_level=replica"])
    defer { primary.stop() }
    let place = ClusterFolder(Self.commands, on: primary)
    #expect(await place.submit([#"{"command": "hi"}"#]).status == 0)
    let standby = TestServer(following: primary)
    defer { standby.stop() }
    let url = "postgresql://postgres@/\(place.database)?host=\(standby.folder)"
    func run(_ arguments: String...) async -> Outcome {
      var launch = place.launch(arguments)
      launch.environment["RACLETTE_JOURNAL"] = url
      return await onThread { [launch] in Running(launch).finish() }
    }
    let jobs = await run("jobs")
    #expect(jobs.status == 0 && jobs.output.hasPrefix("1 queued, 0 running"), "\(jobs)")
    for (arguments, verb) in [
      (["worker"], "UPDATE"), (["cancel", "1"], "SELECT FOR NO KEY UPDATE"),
      (["batch", "plan.jsonl", "--submit"], "INSERT"),
    ] {
      var launch = place.launch(arguments)
      launch.environment["RACLETTE_JOURNAL"] = url
      let refused = await onThread { [launch] in Running(launch).finish() }
      #expect(refused.status == 1 && refused.output == "")
      #expect(
        refused.errors
          == "raclette: error: the journal on \(standby.folder)/\(place.database) cannot be changed "
          + "there: cannot execute \(verb) in a read-only transaction; if it is a standby, name the "
          + "primary, or all servers: "
          + "postgresql://HOST1,HOST2/DATABASE?target_session_attrs=read-write\n",
        "\(arguments)")
    }
  }

  @Test("to one for reading only, for a while, is waited for")
  func maintenance() async {
    let server = TestServer(["fsync=off"])
    defer { server.stop() }
    let place = ClusterFolder(Self.commands, on: server)
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("1", "SELECT count(*) FROM raclette.worker"))
    _ = await place.rows("ALTER SYSTEM SET default_transaction_read_only = on")
    _ = await place.rows("SELECT pg_reload_conf()")
    let isTold = await onThread {
      worker.waitForErrors("is lost: it only reads for now; waiting for it\n")
    }
    #expect(isTold)
    _ = await server.rows(
      [
        "SET default_transaction_read_only = off",
        "ALTER SYSTEM RESET default_transaction_read_only",
      ],
      in: place.url)
    _ = await place.rows("SELECT pg_reload_conf()")
    #expect(await place.submit([#"{"command": "hi"}"#]).status == 0)
    #expect(await place.waitFor("completed|1", Self.states))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0 && end.errors.ranges(of: " is back\n").count == 1, "\(end)")
  }

  @Test("by one of several that does not answer: the next is tried")
  func silentServer() async {
    let place = ClusterFolder(Self.commands)
    // A socket to which one can connect, and nobody accepts.
    let silent = Folder()
    let socket = Platform.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: silent[".s.PGSQL.5432"].utf8)
    }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    #expect(isBound && listen(socket, 8) == 0)
    let url = "postgresql://postgres@/\(place.database)?host=\(silent.path),"
    var launch = place.launch(["jobs"])
    launch.environment["RACLETTE_JOURNAL"] = url + place.server.folder
    let jobs = await onThread { [launch] in Running(launch).finish() }
    #expect(
      jobs.status == 0 && jobs.errors == ""
        && jobs.output == "0 queued, 0 running, 0 ended in the last minute\n  no workers\n",
      "\(jobs)")
    launch.environment["RACLETTE_JOURNAL"] = url + silent.path
    let none = await onThread { [launch] in Running(launch).finish() }
    #expect(none.status == 1 && none.output == "")
    #expect(
      none.errors == "raclette: error: cannot connect to \(silent.path),\(silent.path)/"
        + "\(place.database): the server does not answer\n")
  }

  @Test("that ends idle sessions does not end a worker's")
  func idleSessions() async {
    let place = ClusterFolder(Self.commands)
    _ = await place.rows("ALTER DATABASE \(place.database) SET idle_session_timeout = 1000")
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(
      await place.waitFor("t", "SELECT seen > joined + interval '3 s' FROM raclette.worker"))
    #expect(await place.submit([#"{"command": "hi"}"#]).status == 0)
    #expect(await place.waitFor("completed|1", Self.states))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish() }
    #expect(end.status == 0)
    #expect(
      nameless(end.errors)
        == "raclette: worker NAME: 1 job, journal on \(place.server.folder)/\(place.database)\n")
  }

  @Test("loses a connection that does nothing without a word")
  func idleLoss() async {
    let place = ClusterFolder(Self.commands)
    #expect(await place.submit([#"{"command": "hi"}"#]).status == 0)
    // Without a worker it asks once a second.
    let launch = place.launch(["attach", "1"])
    let reader = await onThread { Running(launch) }
    let session = """
      FROM pg_stat_activity WHERE application_name = 'raclette' AND datname = current_database()
        AND state = 'idle' AND clock_timestamp() - state_change
          BETWEEN interval '100 ms' AND interval '300 ms' AND query LIKE '%follow%'
      """
    #expect(await place.waitFor("1", "SELECT count(pg_terminate_backend(pid)) \(session)"))
    #expect(await place.waitFor("1", "SELECT count(*) \(session)"))
    #expect(await place.run(["cancel", "1"]).status == 0)
    let end = await onThread { reader.finish() }
    #expect(end.status == 1 && end.output == "" && !end.errors.contains("connection"), "\(end)")
  }
}
