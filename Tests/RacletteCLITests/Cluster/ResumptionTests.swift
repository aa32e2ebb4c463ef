import Platform
import Testing

/// Batches on a server that resume beside what other batches have left or still execute.
@Suite(
  "a resumed batch on a server", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct ResumptionTests {
  private let place = ClusterFolder("")

  init() {
    place.folder.write(
      place.inside(
        """
        local rac = require "rac"
        rac.command{name = "note", concurrency = 10, params = {{name = "n", type = "integer"}},
          run = "echo $n >> '@notes'; sleep 0.1"}
        rac.command{name = "hold", concurrency = 10, run = "while [ ! -e '@go' ]; do sleep 0.05; done"}
        rac.command{name = "once", concurrency = 10,
          run = "while [ ! -e '@go' ]; do sleep 0.05; done; mkdir '@failed' 2>'@why' && exit 1; exit 0"}
        """), to: "commands.lua")
  }

  private func note(_ number: Int) -> String { #"{"command": "note", "input": {"n": \#(number)}}"# }

  private func write(_ plan: [String]) {
    place.folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
  }

  private func batch(_ options: String...) -> Launch {
    place.launch(["batch", "plan.jsonl", "--progress", "never"] + options)
  }

  private static let states =
    "SELECT batch, state, count(*) FROM raclette.ended GROUP BY 1, 2 ORDER BY 1, 2"

  @Test(
    "executes what only a killed worker had, before its lease is over and after",
    arguments: [false, true])
  func killed(isLate: Bool) async throws {
    let count = 68
    write((1...count).map(note))
    let launch = batch("--jobs", "4")
    await onThread {
      let running = Running(launch)
      #expect(eventually { (try? place.lines("notes").count) ?? 0 >= 12 })
      running.get(signal: SIGKILL)
      _ = running.finish()
    }
    if isLate {
      let isOver = "SELECT bool_and(deadline < clock_timestamp()) FROM raclette.worker"
      #expect(await place.waitFor("t", isOver))
    } else {
      // However long the resumption takes to come.
      _ = await place.rows(
        "UPDATE raclette.worker SET deadline = clock_timestamp() + interval '15 s'")
    }
    let before = await place.rows("SELECT count(*) FROM raclette.ended").first.flatMap { Int($0) }
    let resumption = batch("--jobs", "4", "--resume")
    let run = await onThread { Running(resumption).finish() }
    #expect(run.status == 0, "\(run)")
    let completed = try #require(before)
    #expect(
      run.errors.contains("\(count - completed) completed, \(completed) skipped"), "\(run)")
    #expect(
      run.errors.contains(
        "\(count - completed) entries wait for batch 1, which executes equal ones\n") == !isLate,
      "\(run)")
    let notes = try place.lines("notes")
    #expect(Set(notes).count == count)
    // What the killed worker had begun.
    #expect(notes.count <= count + 4, "\(notes.count)")
    // The first batch has got to its end with the second.
    #expect(
      await place.rows(Self.states) == [
        "1|completed|\(completed)", "1|skipped|\(count - completed)",
        "\(count + 2)|completed|\(count - completed)",
      ])
    let jobs = await place.run(["jobs"])
    #expect(jobs.output.hasPrefix("0 queued, 0 running, "), "\(jobs)")
    #expect(await place.rows("SELECT count(*) FROM raclette.awaiting") == ["0"])
  }

  @Test("waits for what a worker executes, and executes it if that fails")
  func living() async throws {
    let plan = [#"{"command": "hold"}"#, #"{"command": "once"}"#]
    #expect(await place.submit(plan).status == 0)
    let work = place.worker("--jobs", "2")
    let worker = await onThread { Running(work) }
    let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
    #expect(await place.waitFor("2", begun))
    let launch = batch("--resume", "--json")
    let path = place.folder["go"]
    let run = await onThread {
      let running = Running(launch)
      #expect(
        running.waitForErrors("2 entries wait for batch 1, which executes equal ones"))
      close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
      return running.finish()
    }
    #expect(run.status == 0, "\(run)")
    #expect(
      run.lines.last?.contains(#""completed":1,"failed":0,"cancelled":0,"skipped":1"#) == true)
    let skipped = run.lines.filter { $0.contains(#""type": "skipped""#) }
    #expect(skipped.count == 1 && skipped[0].contains(#""reason": "completed as #2""#), "\(run)")
    await place.end([worker])
    #expect(
      await place.rows(Self.states) == [
        "1|completed|1", "1|failed|1", "4|completed|1", "4|skipped|1",
      ])
  }

  @Test("takes the place of what waits, whose batch ends with it")
  func waiting() async throws {
    #expect(await place.submit([note(1), note(2), note(2)]).status == 0)
    let follow = place.launch(["attach", "1", "--progress", "never"])
    let follower = await onThread { Running(follow) }
    let launch = batch("--resume")
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 0 && run.errors.contains("3 completed"), "\(run)")
    let attached = await onThread { follower.finish() }
    #expect(
      attached.status == 0 && attached.errors.contains("0 completed, 3 skipped"), "\(attached)")
    #expect(try place.lines("notes").sorted() == ["1", "2", "2"])
    #expect(await place.run(["history", "1", "--json"]).output == "")
  }

  @Test("gives back what it took when it is cancelled")
  func cancelled() async {
    #expect(await place.execute(fixture: "queue"))
    let found = await place.server.rows(
      [
        "SELECT t.batch('{a,b}')", "SELECT t.batch('{a,b}', resumes => true)",
        "SELECT * FROM raclette.cancel_batch(4)", "SELECT t.beat(1)",
        "SELECT array_agg(entry ORDER BY entry), min(batch), max(batch) FROM raclette.queue",
        "SELECT count(*) FROM raclette.awaiting",
      ], in: place.url)
    #expect(found == ["1", "4", "2|0", "{}", "{2,3}|1|1", "0"])
  }

  @Test("lets one of several take the place, and the others wait for it")
  func several() async {
    #expect(await place.execute(fixture: "queue"))
    let found = await place.server.rows(
      [
        "SELECT t.batch('{a}')", "SELECT t.claim(1, 1)",
        "SELECT t.batch('{a}', resumes => true)", "SELECT t.batch('{a}', resumes => true)",
        "SELECT t.lose(1), t.beat(2)", "SELECT entry FROM raclette.queue",
        "SELECT entry, other, is_replaced FROM raclette.awaiting ORDER BY 1",
        "SELECT t.finish(2, t.claim(2, 1), 'completed')", "SELECT t.beat(2)",
        "SELECT entry, state, error FROM raclette.ended ORDER BY 1",
        "SELECT count(*) FROM raclette.batch WHERE ended IS NULL",
      ], in: place.url)
    #expect(
      found == [
        "1", "{1}", "3", "5", "|{}", "4", "2|4|t", "6|4|f", "{}",
        "2|skipped|completed as #6", "4|skipped|completed as #6", "6|completed|e", "0",
      ])
  }

  @Test("counts equal entries: as many are left out as have completed")
  func equals() async throws {
    write([note(1)])
    let first = batch()
    #expect(await onThread { Running(first).finish() }.status == 0)
    write([note(1), note(1), note(1)])
    let resumption = batch("--resume")
    for counts in ["2 completed, 1 skipped", "0 completed, 3 skipped"] {
      let run = await onThread { Running(resumption).finish() }
      #expect(run.status == 0 && run.errors.contains(counts), "\(run)")
    }
    #expect(try place.lines("notes").count == 3)
  }

  @Test("is not said to run by jobs and history once the lease of its worker is over")
  func lapsed() async {
    write([#"{"command": "hold"}"#, #"{"command": "hold"}"#])
    let launch = batch("--jobs", "2")
    let begun = "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"
    let running = await onThread { Running(launch) }
    #expect(await place.waitFor("2", begun))
    let early = await place.run(["history", "--json"])
    #expect(early.lines.count == 2, "\(early)")
    running.get(signal: SIGKILL)
    _ = await onThread { running.finish() }
    let isOver = "SELECT bool_and(deadline < clock_timestamp()) FROM raclette.worker"
    #expect(await place.waitFor("t", isOver))
    let jobs = await place.run(["jobs"])
    #expect(jobs.output.hasPrefix("2 queued, 0 running, 0 ended in the last minute; "), "\(jobs)")
    #expect(jobs.lines.last == "  no workers" && !jobs.lines[1].contains("running"), "\(jobs)")
    let batches = await place.run(["history", "--batches", "--json"])
    #expect(batches.output.contains(#""running":0"#), "\(batches)")
    #expect(await place.run(["history", "--json"]).output == "")
  }
}
