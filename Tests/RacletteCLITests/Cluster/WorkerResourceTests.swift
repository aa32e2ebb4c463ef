import Platform
import Testing

/// What workers offer, and what entries use of it.
@Suite(
  "the resources of workers", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct WorkerResourceTests {
  /// A command whose executions fail if two of them have one device at the same time.
  private static let commands = """
    local rac = require "rac"
    rac.defaults{concurrency = "unlimited"}
    rac.command{name = "train", uses = {gpu = 1},
      params = {{name = "n", type = "integer", default = 0}},
      run = "mkdir '@dev'$CUDA_VISIBLE_DEVICES && cat /dev/null && rmdir '@dev'$CUDA_VISIBLE_DEVICES"}
    rac.command{name = "needing", params = {{name = "n", type = "integer"}},
      needs = function(input) return {{"train", n = 100 + input.n}} end, run = "true"}
    rac.command{name = "hold", uses = {gpu = 1}, run = "read x <'@go'; echo $CUDA_VISIBLE_DEVICES"}
    rac.command{name = "pair", uses = {gpu = 2, memory = "2G"}, run = "echo $RACLETTE_GPU $RACLETTE_MEMORY"}
    rac.command{name = "four", uses = {gpu = 4}, run = "true"}
    rac.command{name = "note", run = "true"}
    """

  private func place(_ more: String = "") -> ClusterFolder {
    let place = ClusterFolder("")
    var text = Self.commands + "\n" + more
    for name in ["dev", "go"] { text = text.replacing("@\(name)", with: place.folder[name]) }
    place.folder.write(text, to: "commands.lua")
    return place
  }

  private static let ended =
    "SELECT state, count(*) FROM raclette.ended GROUP BY state ORDER BY state"

  @Test("are counted over all batches of a worker, needs included, and each execution has its own")
  func counted() async {
    let place = place()
    for batch in 0..<2 {
      let entries = (1...20).map { #"{"command": "train", "input": {"n": \#(batch * 50 + $0)}}"# }
      let needing = (1...5).map { #"{"command": "needing", "input": {"n": \#(batch * 50 + $0)}}"# }
      #expect(await place.submit(entries + needing).status == 0)
    }
    let worker = place.worker("--once", "--jobs", "8", "--resource", "gpu=2")
    let run = await onThread { Running(worker).finish() }
    #expect(run.status == 0, "\(run)")
    #expect(run.errors.contains(": 8 jobs, offers gpu=2, journal on "), "\(run)")
    #expect(await place.rows(Self.ended) == ["completed|50"])
  }

  @Test("leave to another worker what uses more; jobs says what none offers")
  func tooMuch() async {
    let place = place()
    _ = await place.submit([
      #"{"command": "four"}"#, #"{"command": "pair"}"#, #"{"command": "note"}"#,
    ])
    let small = place.worker("--resource", "gpu=2", "--resource", "memory=4G")
    let workers = await place.start(1, small)
    #expect(await place.waitFor("2", "SELECT count(*) FROM raclette.ended"))
    let jobs = await place.run(["jobs"])
    #expect(jobs.lines.contains("    no worker offers gpu=4"), "\(jobs)")
    #expect(jobs.lines.contains { $0.hasSuffix("  offers gpu=2, memory=4G") }, "\(jobs)")
    let large = place.worker("--once", "--resource", "gpu=4")
    _ = await onThread { Running(large).finish() }
    #expect(await place.rows(Self.ended) == ["completed|3"])
    #expect(
      await place.rows("SELECT worker FROM raclette.ended ORDER BY entry").first == "2")
    await place.end(workers)
  }

  @Test("a worker without the option has what the command file offers, as on one machine")
  func declared() async {
    let place = place("rac.defaults{resources = {gpu = 2}}")
    _ = await place.submit([#"{"command": "train"}"#, #"{"command": "pair"}"#])
    let worker = place.worker("--once")
    let run = await onThread { Running(worker).finish() }
    #expect(run.status == 0, "\(run)")
    // Nothing offers the memory that the other one uses.
    #expect(await place.rows(Self.ended) == ["completed|1"])
    #expect(await place.rows("SELECT count(*), max(attempt) FROM raclette.queue") == ["1|0"])
    let both = place.worker("--once", "--resource", "memory=2G")
    _ = await onThread { Running(both).finish() }
    #expect(await place.rows(Self.ended) == ["completed|2"])
    // A number is no size.
    _ = await place.submit([#"{"command": "pair"}"#])
    let other = place.worker("--once", "--resource", "memory=5000000000")
    _ = await onThread { Running(other).finish() }
    #expect(await place.rows("SELECT count(*) FROM raclette.queue") == ["1"])
  }

  @Test("later entries that use less do not pass an earlier one")
  func order() async {
    let place = place()
    let pipe = place.folder.makePipe("go")
    _ = await place.submit([#"{"command": "hold"}"#])
    let offers = ["--jobs", "8", "--resource", "gpu=2", "--resource", "memory=2G"]
    let workers = await place.start(1, place.launch(["worker"] + offers))
    #expect(await place.waitFor("1", "SELECT count(*) FROM raclette.claim WHERE begun IS NOT NULL"))
    _ = await place.submit([#"{"command": "pair"}"#])
    _ = await place.submit([#"{"command": "train"}"#, #"{"command": "note"}"#])
    #expect(await place.waitFor("1", "SELECT count(*) FROM raclette.ended"))
    // What uses nothing was claimed; one device is free, and promised to nobody.
    #expect(await place.rows("SELECT count(*) FROM raclette.queue") == ["2"])
    #expect(await place.rows("SELECT count(*) FROM raclette.claim") == ["1"])
    await onThread { write("go\n", toPipe: pipe) }
    #expect(await place.waitFor("4", "SELECT count(*) FROM raclette.ended"))
    #expect(
      await place.rows(
        "SELECT e.command FROM raclette.ended d JOIN raclette.entry e ON e.id = d.entry ORDER BY d.at"
      )
        == ["note", "hold", "pair", "train"])
    await place.end(workers)
  }

  @Test("who follows a batch is told once what no worker offers")
  func missing() async {
    let place = place()
    place.folder.write(#"{"command": "four"}"# + "\n", to: "plan.jsonl")
    let launch = place.launch(["batch", "plan.jsonl", "--progress", "never", "--resource", "gpu=2"])
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("no worker offers")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(
      run.errors.hasPrefix(
        """
        raclette: entries of batch 1 wait for gpu=4, which no worker offers; to start one: \
        raclette worker --resource gpu=4

        """), "\(run)")
    #expect(run.status == 130, "\(run)")
  }

  @Test("batch --journal offers them to its own worker")
  func batch() async {
    let place = place()
    place.folder.write(#"{"command": "pair"}"# + "\n", to: "plan.jsonl")
    let run = await place.run([
      "batch", "plan.jsonl", "--quiet", "--resource", "gpu=2", "--resource", "memory=3G",
    ])
    #expect(run.output == "0,1 2147483648\n", "\(run)")
    #expect(run.status == 0)
    let wrong = await place.run(["worker", "--resource", "gpu"])
    #expect(
      wrong.errors
        == "raclette: error: --resource takes NAME=N, such as gpu=2 or memory=12G, not 'gpu'\n")
    #expect(wrong.status == 2)
  }
}
