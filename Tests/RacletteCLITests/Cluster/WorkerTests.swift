import Platform
import Testing

/// What a worker does with what it claims.
@Suite("a worker", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct WorkerTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "tell", params = {{name = "n", type = "integer", default = 0}},
      run = {"sh", "-c", "echo attempt $RACLETTE_ATTEMPT, ${RACLETTE_TOKEN:+a token}, url $RACLETTE_JOURNAL"}}
    rac.command{name = "fail", run = "echo why >&2; exit 3"}
    rac.command{name = "hold", concurrency = 10, run = "while [ ! -e '@go' ]; do sleep 0.05; done; echo done"}
    rac.command{name = "forever", run = "echo begun; exec sleep 1000"}
    rac.command{name = "off", enabled = rac.just(false), run = "true"}
    rac.command{name = "note", concurrency = 10, run = function() return 1 end}
    """

  private func place() -> ClusterFolder {
    let place = ClusterFolder("")
    place.folder.write(
      Self.commands.split(separator: "@go", omittingEmptySubsequences: false)
        .joined(separator: place.folder["go"]), to: "commands.lua")
    return place
  }

  @Test("claims what needs tags only if it has them")
  func tags() async {
    let place = place()
    _ = await place.submit([#"{"command": "note", "tags": ["gpu"]}"#, #"{"command": "note"}"#])
    let plain = place.worker("--once")
    _ = await onThread { Running(plain).finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["1"])
    let tagged = place.worker("--once", "--tags", "eu,gpu")
    _ = await onThread { Running(tagged).finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["2"])
  }

  @Test("leaves a batch whose command file does not load here to others")
  func loading() async {
    let place = ClusterFolder(
      """
      if not io.open("plan.jsonl") then error("not on this machine") end
      rac.command{name = "note", run = "true"}
      """)
    _ = await place.submit([#"{"command": "note"}"#, #"{"command": "note"}"#])
    let worker = place.worker("--once")
    let run = await onThread { Running(worker).finish() }
    #expect(run.errors.contains("not on this machine"), "\(run)")
    #expect(await place.rows("SELECT count(*), max(attempt) FROM raclette.queue") == ["2|0"])
    let shown = await place.rows("SELECT events FROM raclette.output")
    #expect(shown.count == 1 && shown[0].contains("not on this machine"), "\(shown)")
  }

  @Test("fails entries with the reason when no worker there can load their command file")
  func refusal() async {
    let place = ClusterFolder(
      """
      if not io.open("plan.jsonl") then error("not on this machine") end
      rac.command{name = "note", run = "true"}
      """)
    place.folder.write("{\"command\": \"note\"}\n", to: "plan.jsonl")
    let run = await place.run(["batch", "plan.jsonl", "--enabled-timeout", "500ms"])
    #expect(run.status == 1 && run.errors.contains("cannot execute this batch"), "\(run)")
    let errors = await place.rows("SELECT error_kind, error FROM raclette.ended")
    #expect(errors.count == 1 && errors[0].contains("lua|"), "\(errors)")
    #expect(errors.allSatisfy { $0.contains("not on this machine") }, "\(errors)")
  }

  @Test(
    "takes no more than it has jobs of what comes after a pause, however short entries were before")
  func share() async {
    let place = place()
    _ = await place.submit([String](repeating: #"{"command": "note"}"#, count: 100))
    let launch = place.worker("--jobs", "1")
    let busy = await onThread { Running(launch) }
    #expect(await place.waitFor("t", "SELECT ended IS NOT NULL FROM raclette.batch"))
    _ = await place.submit(
      [#"{"command": "hold"}"#] + [String](repeating: #"{"command": "note"}"#, count: 9))
    #expect(await place.waitFor("1", Self.begun))
    // It leaves when there is nothing to claim.
    let other = place.worker("--once")
    _ = await onThread { Running(other).finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["109"])
    // Two signals that come together are one request.
    _ = await onThread { busy.finish(repeating: SIGTERM) }
  }

  @Test("finishes what runs and gives the rest back when it is told to end")
  func draining() async {
    let place = place()
    let entries = [String](repeating: #"{"command": "hold"}"#, count: 6)
    _ = await place.submit(entries)
    let launch = place.worker("--jobs", "2")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("2", Self.begun))
    worker.get(signal: SIGTERM)
    #expect(await place.waitFor("4|0", "SELECT count(*), max(attempt) FROM raclette.queue"))
    #expect(await place.waitFor("t", "SELECT is_draining FROM raclette.worker"))
    place.folder.write("", to: "go")
    let end = await onThread { worker.finish() }
    #expect(end.status == 0 && end.errors.contains("draining: 2 still running"), "\(end)")
    #expect(
      await place.rows("SELECT state, attempt FROM raclette.ended") == [
        "completed|1", "completed|1",
      ])
    #expect(await place.rows("SELECT count(*) FROM raclette.worker") == ["0"])
  }

  @Test("cancels what runs at a second signal, and others execute it", arguments: [false, true])
  func interruption(isLimited: Bool) async {
    let place = place()
    _ = await place.submit([#"{"command": "hold"}"#])
    let launch = isLimited ? place.worker("--drain", "100ms") : place.worker()
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("1", Self.begun))
    worker.get(signal: SIGTERM)
    let end = await onThread { worker.finish(repeating: isLimited ? nil : SIGTERM) }
    #expect(end.status == 0, "\(end)")
    #expect(await place.rows("SELECT attempt, losses FROM raclette.queue") == ["1|0"])
    place.folder.write("", to: "go")
    let other = place.worker("--once")
    _ = await onThread { Running(other).finish() }
    #expect(await place.rows("SELECT state, attempt FROM raclette.ended") == ["completed|2"])
  }

  @Test("takes a signal that timeout(1) repeats for one")
  func repetition() async throws {
    let place = place()
    _ = await place.submit([#"{"command": "hold"}"#])
    // The program is known by its name, which the shell has here.
    place.folder.write(
      "printf timeout >/proc/$$/comm; '\(Program.path)' worker & echo $! >pid; wait $!; exit $?",
      to: "timeout.sh")
    var launch = place.worker()
    launch.program = "/bin/sh"
    launch.arguments = ["timeout.sh"]
    let shell = await onThread { [launch] in Running(launch) }
    #expect(await place.waitFor("1", Self.begun))
    let worker = try #require(try place.lines("pid").first.flatMap { pid_t($0) })
    kill(worker, SIGTERM)
    #expect(await place.waitFor("t", "SELECT is_draining FROM raclette.worker"))
    kill(worker, SIGTERM)
    // What it does at that comes before what it does after the next beat.
    let time = await place.rows("SELECT clock_timestamp() + interval '1 second'").first ?? ""
    #expect(await place.waitFor("t", "SELECT seen > '\(time)' FROM raclette.worker"))
    place.folder.write("", to: "go")
    let end = await onThread { shell.finish() }
    #expect(end.status == 0, "\(end)")
    #expect(await place.rows("SELECT state, attempt FROM raclette.ended") == ["completed|1"])
  }

  @Test("ends what is cancelled elsewhere, with its processes")
  func cancellation() async {
    let place = place()
    _ = await place.submit([#"{"command": "forever"}"#])
    let launch = place.worker("--once")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("1", Self.begun))
    let number = await place.rows("SELECT id FROM raclette.entry")
    let cancel = await place.run(["cancel"] + number)
    #expect(cancel.status == 0, "\(cancel)")
    let end = await onThread { worker.finish() }
    #expect(end.status == 0, "\(end)")
    #expect(await place.rows("SELECT state FROM raclette.ended") == ["cancelled"])
  }

  @Test("gives back an entry whose command is not enabled, which fails after the time for that")
  func condition() async {
    let place = place()
    _ = await place.submit(
      [#"{"command": "off"}"#, #"{"command": "note"}"#], "--enabled-timeout", "2s")
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(
      await place.waitFor("1", "SELECT count(*) FROM raclette.ended WHERE state = 'completed'"))
    #expect(
      await place.waitFor(
        "not_enabled|1", "SELECT error_kind, attempt FROM raclette.ended WHERE state = 'failed'"))
    worker.get(signal: SIGTERM)
    _ = await onThread { worker.finish() }
  }

  @Test("takes an entry with it three times at most")
  func loss() async {
    let place = place()
    _ = await place.submit([#"{"command": "hold"}"#])
    let launch = place.worker("--jobs", "1")
    for attempt in 1...3 {
      let worker = await onThread { Running(launch) }
      #expect(
        await place.waitFor(
          "\(attempt)", "SELECT attempt FROM raclette.claim WHERE begun IS NOT NULL"))
      worker.get(signal: SIGKILL)
      _ = await onThread { worker.finish() }
    }
    // Leases end when any worker renews its own.
    let last = await onThread { Running(launch) }
    #expect(await place.waitFor("failed|lost", "SELECT state, error_kind FROM raclette.ended"))
    last.get(signal: SIGTERM)
    _ = await onThread { last.finish() }
  }

  @Test("that was stopped beyond its lease has its result refused, and says so")
  func pause() async {
    let place = place()
    _ = await place.submit([#"{"command": "hold"}"#])
    let launch = place.worker("--jobs", "1")
    let first = await onThread { Running(launch) }
    #expect(await place.waitFor("1", Self.begun))
    first.get(signal: SIGSTOP)
    let second = await onThread { Running(launch) }
    #expect(await place.waitFor("2", "SELECT attempt FROM raclette.claim WHERE begun IS NOT NULL"))
    place.folder.write("", to: "go")
    #expect(await place.waitFor("completed|2", "SELECT state, attempt FROM raclette.ended"))
    first.get(signal: SIGCONT)
    #expect(await place.waitFor("2", "SELECT count(*) FROM raclette.worker"))
    for worker in [first, second] { worker.get(signal: SIGTERM) }
    let end = await onThread { first.finish() }
    #expect(end.errors.contains("the lease is lost"), "\(end)")
    _ = await onThread { second.finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["1"])
  }

  @Test("executes a sealed input only with the key that has sealed it, and shows no secret")
  func sealing() async throws {
    let place = ClusterFolder("")
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "login", secrets = {"token"}, params = {{name = "token"}},
        run = function(input)
          if input.token ~= "geheim-123" then error("another token") end
          return "in with " .. input.token
        end}
      """, to: "commands.lua")
    let digits = [String](repeating: "0123456789abcdef", count: 4).joined()
    place.folder.write(digits + "\n", to: "key")
    place.folder.write(String(digits.reversed()), to: "other")
    place.folder.write("short", to: "bad")
    let entry = #"{"command": "login", "input": {"token": "geheim-123"}}"#
    let bad = await place.submit([entry], "--queue-key", "bad")
    #expect(bad.status == 2 && bad.errors.contains("is not 64 hexadecimal digits"), "\(bad)")
    let run = await place.submit([entry], "--queue-key", "key")
    #expect(run.status == 0, "\(run)")
    let inputs = await place.rows("SELECT input FROM raclette.entry")
    #expect(inputs.count == 1 && inputs[0].hasPrefix("sealed:v2:"), "\(inputs)")
    for options in [[], ["--queue-key", "other"], ["--queue-key", "key"]] {
      #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["0"])
      let worker = await place.run(["worker", "--once"] + options)
      #expect(worker.status == 0, "\(worker)")
    }
    #expect(await place.rows("SELECT state, error FROM raclette.ended") == ["completed|"])
    let all = await place.rows("SELECT events FROM raclette.output")
    #expect(!all.isEmpty && !all.joined().contains("geheim"), "\(all)")
    let without = await place.run(["retry", "2"])
    #expect(without.status == 2 && without.errors.contains("is sealed"), "\(without)")
    let again = await place.run(["retry", "2", "--queue-key", "key", "--progress", "never"])
    #expect(again.status == 0 && again.errors.contains("1 completed"), "\(again)")
  }

  @Test("works in a folder of its own, which it removes")
  func folder() async throws {
    let place = ClusterFolder("")
    place.folder.write(
      """
      local rac = require "rac"
      rac.command{name = "note", steps = {"echo -- changed >> commands.lua", "pwd >> '\(place.folder["places"])'"}}
      """, to: "commands.lua")
    _ = await place.submit([#"{"command": "note"}"#, #"{"command": "note"}"#])
    let worker = place.worker("--once")
    let run = await onThread { Running(worker).finish() }
    #expect(run.status == 0, "\(run)")
    #expect(await place.rows("SELECT DISTINCT state FROM raclette.ended") == ["completed"])
    let places = try place.lines("places")
    #expect(places.count == 2 && Set(places).count == 1)
    #expect(access(places.first ?? "/", F_OK) != 0)
    #expect(names(inFolder: place.folder["cache/raclette/work"]) == [])
  }

  private static let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
}
