import EventLoop
import Platform
import Reactive
import RunnerCore
import Scripting

/// `raclette worker`.
package enum WorkerCommand {
  /// Executes entries until a signal ends the worker.
  package static func execute(_ line: CommandLine) throws -> Int32 {
    guard let url = JournalPath.server(line) else {
      throw UsageError.input(
        "a worker needs a journal on a server: --journal postgresql://HOST/DATABASE, or "
          + "RACLETTE_JOURNAL")
    }
    let address = try ServerAddress(url)
    var options = WorkerOptions()
    options.jobs = line.count(.jobs) ?? options.jobs
    options.tags = (line[.tags] ?? "").split(separator: ",").map(String.init).sorted()
    try options.offerResources(of: line)
    options.drain = line.duration(.drain)
    options.batch = line.count(.onlyBatch).map { Int64($0) }
    options.isOnce = line.has(.once)
    options.key = try QueueKey(line)
    options.collector = line[.otlp]
    _ = try TraceTarget(line)
    return try execute(options, address, line)
  }

  static func execute(
    _ options: WorkerOptions, _ address: ServerAddress, _ line: CommandLine
  ) throws -> Int32 {
    let loop = try EventLoop()
    Scheduler.main.use(loop)
    let report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose))
    let worker = Worker(options, address, on: loop, report)
    var first: (signal: Int32, time: Duration)?
    for signal in [SIGTERM, SIGINT] {
      try loop.onSignal(signal) {
        let now = EventLoop.now
        if let first, Interruption.isRepetition(signal, of: first.signal, after: now - first.time) {
          return
        }
        first = first ?? (signal, now)
        worker.drain()
      }
    }
    defer {
      // What executors have begun ends with them.
      loop.close()
      worker.removeFolders()
    }
    try worker.run()
    return ExitStatus.success
  }
}
