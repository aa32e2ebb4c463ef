import CQueueFloor
import Platform

/// Batches over workers of a journal on a server: against a C program that only claims and records,
/// and against a batch with a journal in a file; and how long a first value takes to a reader.
func clusterBenchmark() {
  guard let server = BenchmarkServer() else { return print("PostgreSQL is not installed") }
  defer { server.end() }
  let place = ClusterPlace(server)
  let claims = alternatingTimes(
    rounds, { place.time(noops, "noop.jsonl", place.worker("--jobs", "8")) },
    { place.time(noops, "noop.jsonl", [CommandLine.arguments[0], "--queue-floor", ""]) })
  print(
    "\(noops) entries over 4 workers: \(microseconds(claims.one, noops)) µs each, the same claims and "
      + "results by C programs \(microseconds(claims.other, noops)) µs, ratio "
      + "\(twoDigits(claims.one / claims.other)) (at most 1.5)")
  let spawns = alternatingTimes(
    rounds, { place.time(processes, "true.jsonl", place.worker("--jobs", "2")) },
    {
      for ending in ["", "-wal", "-shm"] { unlink("\(place.folder)/journal.db\(ending)") }
      return elapsed {
        runProcess([
          raclettePath(), "-C", place.folder, "batch", "-q", "--jobs", "8", "--journal",
          "journal.db", "true.jsonl",
        ])
      }
    })
  print(
    "\(processes) × /bin/true over 4 workers with 2 jobs: \(microseconds(spawns.one, processes)) µs "
      + "each, a batch with 8 jobs \(microseconds(spawns.other, processes)) µs, ratio "
      + "\(twoDigits(spawns.one / spawns.other)) (at most 1.3)")
  for (plan, pause, workers) in [("now", "100", 1), ("soon", "20", 1), ("soon", "20", 4)] {
    let delays = place.firstValues("\(plan).jsonl", workers: workers)
    print(
      "the first value of an entry of \(pause) ms at an attached reader, \(workers) at a time: "
        + "\(twoDigits(median(delays))) ms after its print, at most "
        + "\(twoDigits(delays.max() ?? 0)) ms of \(delays.count) (median at most 20)")
  }
}

private let rounds = 3
private let noops = 20_000
private let processes = 2_000
private let prints = 40
/// The number of prints that follow each other before a worker has waited to notify again.
private let quickPrints = 150

private func microseconds(_ duration: Duration, _ count: Int) -> Int {
  Int(duration / .microseconds(count))
}

/// Commands and plans beside a server.
private final class ClusterPlace {
  let folder: String
  private let server: BenchmarkServer

  init(_ server: BenchmarkServer) {
    self.server = server
    folder = "\(server.folder)/commands"
    mkdir(folder, 0o755)
    write(
      """
      local rac = require "rac"
      local params = {{name = "n", type = "integer"}}
      rac.command {name = "noop", params = params, concurrency = "unlimited", run = function() end}
      rac.command {name = "true", params = params, concurrency = "unlimited", run = {"/bin/true"}}
      rac.command {name = "now", params = params, run = "date +%s%N; sleep 0.1"}
      rac.command {name = "soon", params = params, run = "date +%s%N; sleep 0.02"}
      """, "commands.lua")
    for (command, count) in [
      ("noop", noops), ("true", processes), ("now", prints), ("soon", quickPrints),
    ] {
      write(
        (0..<count).map { "{\"command\": \"\(command)\", \"input\": {\"n\": \($0)}}\n" }.joined(),
        "\(command).jsonl")
    }
    setenv("XDG_CACHE_HOME", "\(folder)/cache", 1)
  }

  private func write(_ text: String, _ name: String) {
    guard let file = fopen("\(folder)/\(name)", "we") else { return }
    fputs(text, file)
    fclose(file)
  }

  func worker(_ options: String...) -> [String] {
    [raclettePath(), "worker", "-q", "--once"] + options
  }

  /// The time in which four processes execute a plan that was handed over before.
  func time(_ count: Int, _ plan: String, _ words: [String]) -> Duration {
    let url = server.journal()
    setenv("RACLETTE_JOURNAL", url, 1)
    runProcess([raclettePath(), "-C", folder, "batch", "-q", "--submit", plan])
    server.settle()
    let time = elapsed {
      let workers = (0..<4).map { _ in startProcess(words.map { $0.isEmpty ? url : $0 }) }
      for worker in workers {
        var status: Int32 = 0
        waitpid(worker, &status, 0)
      }
    }
    let done = server.number(
      "SELECT count(*) FROM raclette.ended WHERE state = $$completed$$", in: url)
    guard done == count else {
      print("\(done) of \(count) entries were executed; the time means nothing")
      exit(1)
    }
    return time
  }

  /// The milliseconds between the prints of entries that follow each other and their values at a reader,
  /// with workers of one job.
  func firstValues(_ plan: String, workers: Int) -> [Double] {
    let url = server.journal()
    setenv("RACLETTE_JOURNAL", url, 1)
    runProcess([raclettePath(), "-C", folder, "batch", "-q", "--submit", plan])
    let workers = (0..<workers).map { _ in startProcess(worker("--jobs", "1")) }
    var delays: [Double] = []
    guard let events = popen("'\(raclettePath())' attach 1 --json", "re") else { return [0] }
    var line = [CChar](repeating: 0, count: 4_096)
    while fgets(&line, Int32(line.count), events) != nil {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text.contains("\"type\":\"next\""), let value = text.firstRange(of: "\"value\":\"")
      else {
        continue
      }
      let digits = text[value.upperBound...].prefix { $0.isNumber }
      let printed = Int(digits) ?? 0
      delays.append(Double(now.tv_sec * 1_000_000_000 + now.tv_nsec - printed) / 1e6)
    }
    pclose(events)
    for worker in workers {
      var status: Int32 = 0
      waitpid(worker, &status, 0)
    }
    return delays.isEmpty ? [0] : delays
  }
}
