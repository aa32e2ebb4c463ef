import Platform
import Testing

/// Batches over four workers that are killed, stopped beyond their lease and drained, on a server that
/// is killed: every entry is recorded once, none is lost, and only what was in flight has effects twice.
@Suite(
  "a batch over workers that fail", .serialized, .enabled(if: TestServer.isInstalled),
  .timeLimit(.minutes(300)))
struct ClusterRoundTests {
  private static let isLong = getenv("RACLETTE_LONG") != nil
  private static let entries = isLong ? 10_000 : 1_000
  private static let jobs = 4
  /// The most entries that a worker holds beyond its jobs, if they are short.
  private static let mostAhead = 200

  private enum Fault: CaseIterable {
    case kill, pause, drain, killServer
  }

  @Test(arguments: 1...(isLong ? 100 : 5))
  func recordsEachEntryOnce(round: Int) async throws {
    let server = TestServer(["fsync=off"])
    defer { server.stop() }
    let place = ClusterFolder("", on: server)
    let effects = place.folder["effects"]
    let turns = place.folder["turns"]
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "work", concurrency = 100, params = {{name = "n", type = "integer"}},
        run = function(input)
          local file = io.open("\(effects)", "a")
          file:write(input.n .. "\\n")
          file:close()
          if input.n % 10 == 0 then return rac.exec{"sleep", "0.0" .. input.n // 10 % 9} end
          return input.n
        end}
      rac.command{name = "alone", across = "cluster", params = {{name = "n", type = "integer"}},
        run = "echo begin $RACLETTE_TOKEN >> '\(turns)'; sleep 0.05; echo end $RACLETTE_TOKEN >> '\(turns)'"}
      """, to: "commands.lua")
    let plan = (1...Self.entries).map {
      #"{"command": "\#($0 % 50 == 0 ? "alone" : "work")", "input": {"n": \#($0)}}"#
    }
    #expect(await place.submit(plan).status == 0)

    var random = SeededGenerator(seed: UInt64(round))
    var workers: [Running] = []
    let launch = place.worker("--jobs", "\(Self.jobs)")
    // One that starts while the server is away ends with the reason.
    func start() async -> Running {
      let worker = await onThread { Running(launch) }
      let joined = "SELECT count(*) FROM raclette.worker WHERE name LIKE '%:\(worker.pid)'"
      #expect(await place.waitFor("1", joined))
      return worker
    }
    for _ in 0..<4 { workers.append(await start()) }
    // The most executions that faults can repeat: what the workers held.
    var inFlight = 0
    func held(by worker: Running) async -> Int {
      let claims = """
        SELECT count(*) FROM raclette.claim c JOIN raclette.worker w ON w.id = c.worker
        WHERE w.name LIKE '%:\(worker.pid)'
        """
      return await place.rows(claims).first.flatMap { Int($0) } ?? 0
    }
    for step in 1...4 {
      // Faults are spread over the batch.
      let goal = Self.entries * step / 5
      let ended = "SELECT count(*) >= \(goal) FROM raclette.ended"
      #expect(await place.waitFor("t", ended))
      // Each round begins with another fault, so that few rounds have all of them.
      let fault = Fault.allCases[(round + step) % Fault.allCases.count]
      let index = Int(random.next() % 4)
      let worker = workers[index]
      switch fault {
      case .kill:
        worker.get(signal: SIGKILL)
        _ = await onThread { worker.finish() }
        inFlight += await held(by: worker)
      case .pause:
        worker.get(signal: SIGSTOP)
        inFlight += await held(by: worker)
        let left = "SELECT count(*) FROM raclette.worker"
        #expect(await place.waitFor("3", left))
        worker.get(signal: SIGCONT)
        continue
      case .drain:
        worker.get(signal: SIGTERM)
        let end = await onThread { worker.finish() }
        #expect(end.status == 0, "\(end)")
      case .killServer:
        await onThread {
          server.kill()
          server.start()
        }
        // What cannot renew its lease in time is cancelled.
        inFlight += 4 * (Self.jobs + Self.mostAhead)
        continue
      }
      workers[index] = await start()
    }
    #expect(await place.waitFor("t", "SELECT ended IS NOT NULL FROM raclette.batch"))
    // The lease of one that was killed has an end, too.
    #expect(await place.waitFor("4", "SELECT count(*) FROM raclette.worker"))
    for worker in workers { worker.get(signal: SIGTERM) }
    for worker in workers { _ = await onThread { worker.finish() } }

    let states = "SELECT state, count(*), count(DISTINCT entry) FROM raclette.ended GROUP BY state"
    #expect(await place.rows(states) == ["completed|\(Self.entries)|\(Self.entries)"])
    for table in ["queue", "later", "claim", "worker"] {
      #expect(await place.rows("SELECT count(*) FROM raclette.\(table)") == ["0"], "\(table)")
    }
    let shown = await place.rows(
      """
      SELECT count(*), count(DISTINCT event->'entry'->>'recorded') FROM raclette.output,
        LATERAL unnest(string_to_array(events, E'\\n')) AS line, LATERAL (SELECT line::json) AS e(event)
      WHERE event->>'type' = 'completed' AND event->'entry' IS NOT NULL
      """)
    #expect(shown == ["\(Self.entries)|\(Self.entries)"])
    let done = try place.lines("effects")
    // Only what was handed out again has its effect again.
    var attempts: [String: Int] = [:]
    let repeated = await place.rows(
      """
      SELECT e.input::json->>'n', d.attempt FROM raclette.ended d
      JOIN raclette.entry e ON e.id = d.entry WHERE d.attempt > 1
      """)
    for row in repeated {
      let columns = row.split(separator: "|").map(String.init)
      attempts[columns[0]] = Int(columns[1])
    }
    for (entry, effects) in Dictionary(grouping: done, by: { $0 }) where effects.count > 1 {
      #expect(effects.count <= attempts[entry, default: 1], "entry \(entry)")
    }
    let wanted = Self.entries - Self.entries / 50
    #expect(Set(done).count == wanted)
    #expect(done.count <= wanted + inFlight, "\(done.count - wanted) of \(inFlight)")
    checkTurns(try place.lines("turns"))
  }
}

/// Checks that no execution begins while another runs. One that was killed writes no end, and whatever
/// it was, nothing of it comes after the next has begun.
private func checkTurns(_ lines: [String]) {
  var current = 0
  for line in lines {
    let words = line.split(separator: " ")
    let token = words.last.flatMap { Int($0) } ?? 0
    if words.first == "begin" {
      #expect(token > current, "\(line): tokens rise")
      current = token
    } else {
      #expect(token == current, "\(line): another has begun")
    }
  }
}
