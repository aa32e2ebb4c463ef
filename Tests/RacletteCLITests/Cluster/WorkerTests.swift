import Testing

import Platform

/// What a worker does with what it claims.
@Suite("a worker", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct WorkerTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "show", params = {{name = "n", type = "integer", default = 0}},
      run = {"sh", "-c", "echo attempt $RACLETTE_ATTEMPT, ${RACLETTE_TOKEN:+a token}, url $RACLETTE_JOURNAL"}}
    rac.command{name = "fail", retry = 0, run = "echo why >&2; exit 3"}
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

  private static let states = """
    SELECT command, state, attempt, coalesce(error_kind, '-') FROM raclette.ended
    JOIN raclette.entry ON id = entry ORDER BY id
    """

  @Test("executes entries with their attempt and their token, and leaves when it is to do so once")
  func once() async {
    let place = place()
    _ = await place.submit([
      #"{"command": "show"}"#, #"{"command": "fail"}"#,
      #"{"command": "show", "input": {"n": "x"}}"#,
      "no entry",
    ])
    let worker = place.worker("--once", "--jobs", "2")
    let run = await onThread { Running(worker).finish() }
    #expect(run.status == 0, "\(run)")
    #expect(run.errors.contains(": 2 jobs, journal on "), "\(run)")
    #expect(
      await place.rows(Self.states) == [
        "show|completed|1|-", "fail|failed|1|exit", "show|failed|1|input", "|failed|0|input",
      ])
    let values = await place.rows(
      "SELECT events FROM raclette.output WHERE events LIKE '%attempt 1, a token, url%'")
    #expect(values.contains { $0.contains(#""value":"attempt 1, a token, url ""#) }, "\(values)")
    #expect(await place.rows("SELECT ended IS NOT NULL FROM raclette.batch") == ["t"])
    #expect(await place.rows("SELECT count(*) FROM raclette.worker") == ["0"])
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

  @Test("fails entries with the reason why their command file does not load here")
  func loading() async {
    let place = ClusterFolder(
      """
      if os.getenv("XDG_CACHE_HOME") == "WORKER" then end
      if not io.open("plan.jsonl") then error("not on this machine") end
      rac.command{name = "note", run = "true"}
      """)
    _ = await place.submit([#"{"command": "note"}"#, #"{"command": "note"}"#])
    let worker = place.worker("--once")
    let run = await onThread { Running(worker).finish() }
    #expect(run.errors.contains("not on this machine"), "\(run)")
    let errors = await place.rows("SELECT error FROM raclette.ended")
    #expect(errors.count == 2 && errors.allSatisfy { $0.contains("not on this machine") })
  }

  @Test("gives back what is not enabled, which fails after the time that the batch allows")
  func notEnabled() async {
    let place = place()
    _ = await place.submit([#"{"command": "off"}"#], "--enabled-timeout", "2s")
    let worker = place.worker()
    await withWorker(worker) { running in
      #expect(await place.waitFor("off|failed|1|not_enabled", Self.states))
      running.get(signal: SIGTERM)
    }
  }

  @Test("that drains finishes what runs and gives the rest back")
  func drain() async {
    let place = place()
    _ = await place.submit(Array(repeating: #"{"command": "hold"}"#, count: 5))
    let worker = place.worker("--jobs", "2")
    await withWorker(worker) { running in
      let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
      #expect(await place.waitFor("2", begun))
      running.get(signal: SIGTERM)
      await onThread { _ = running.waitForErrors("draining: 2 still running") }
      place.folder.write("", to: "go")
    }
    #expect(await place.rows("SELECT count(*) FROM raclette.ended") == ["2"])
    #expect(await place.rows("SELECT count(*) FROM raclette.queue") == ["3"])
    #expect(await place.rows("SELECT count(*) FROM raclette.claim") == ["0"])
  }

  @Test("that is told twice to end cancels what runs, which others execute again")
  func secondSignal() async {
    let place = place()
    _ = await place.submit([#"{"command": "forever"}"#])
    let worker = place.worker()
    await withWorker(worker) { running in
      let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
      #expect(await place.waitFor("1", begun))
      running.get(signal: SIGTERM)
      await onThread { _ = running.waitForErrors("again to cancel") }
      running.get(signal: SIGTERM)
    }
    #expect(await place.rows("SELECT attempt, losses FROM raclette.queue") == ["1|0"])
  }

  @Test("cancels what a user cancels")
  func cancel() async {
    let place = place()
    _ = await place.submit([#"{"command": "forever"}"#, #"{"command": "forever"}"#])
    let worker = place.worker()
    await withWorker(worker) { running in
      let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
      #expect(await place.waitFor("1", begun))
      let run = await place.run(["cancel", "1"])
      #expect(run.status == 0, "\(run)")
      #expect(await place.waitFor("2", "SELECT count(*) FROM raclette.ended"))
      running.get(signal: SIGTERM)
    }
    let states = await place.rows("SELECT DISTINCT state FROM raclette.ended")
    #expect(states == ["cancelled"])
    #expect(await place.rows("SELECT ended IS NOT NULL FROM raclette.batch") == ["t"])
  }

  @Test("that comes back after its lease stops what it ran, and its late result is refused")
  func lateResult() async {
    let place = place()
    _ = await place.submit([#"{"command": "hold"}"#])
    let first = place.worker()
    let second = place.worker()
    await withWorker(first) { stopped in
      let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
      #expect(await place.waitFor("1", begun))
      stopped.get(signal: SIGSTOP)
      await withWorker(second) { running in
        let again = "SELECT attempt FROM raclette.claim WHERE begun IS NOT NULL"
        #expect(await place.waitFor("2", again))
        place.folder.write("", to: "go")
        #expect(await place.waitFor("hold|completed|2|-", Self.states))
        stopped.get(signal: SIGCONT)
        await onThread { _ = stopped.waitForErrors("the lease is lost: 1 execution is cancelled") }
        stopped.get(signal: SIGTERM)
        running.get(signal: SIGTERM)
      }
    }
    #expect(await place.rows(Self.states) == ["hold|completed|2|-"])
  }

  @Test("is lost with its entry, which fails when it took three workers with it")
  func lost() async {
    let place = place()
    _ = await place.submit([#"{"command": "forever"}"#])
    for attempt in 1...3 {
      let worker = place.worker()
      await withWorker(worker) { running in
        let begun = "SELECT attempt FROM raclette.claim WHERE begun IS NOT NULL"
        #expect(await place.waitFor("\(attempt)", begun))
        running.get(signal: SIGKILL)
      }
    }
    let last = place.worker()
    await withWorker(last) { running in
      #expect(await place.waitFor("forever|failed|0|lost", Self.states))
      running.get(signal: SIGTERM)
    }
  }

  /// Calls `body` with a running worker, and waits for its end, which `body` causes.
  private func withWorker(_ launch: Launch, _ body: (Running) async -> Void) async {
    let running = await onThread { Running(launch) }
    await body(running)
    _ = await onThread { running.finish() }
  }
}
