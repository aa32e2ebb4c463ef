import Platform
import RunnerCore
import Scripting

/// `raclette batch-worker`: the worker that a submitter starts for its own batch. What it has to know
/// arrives on standard input, because the URL may hold a password, and other users can see arguments.
package enum BatchWorker {
  /// What it has to know.
  struct Order {
    let url: String
    let batch: Int64
    let jobs: Int
    /// The path of the queue key.
    let key: String?
    /// The address of a collector of traces, if one is asked for.
    let collector: String?

    var text: String {
      JSONValue.object([
        ("journal", .string(url)), ("batch", .integer(batch)), ("jobs", .integer(Int64(jobs))),
        ("key", key.map { .string($0) } ?? .null),
        ("otlp", collector.map { .string($0) } ?? .null),
      ]).text + "\n"
    }

    init(url: String, batch: Int64, jobs: Int, key: String?, collector: String?) {
      self.url = url
      self.batch = batch
      self.jobs = jobs
      self.key = key
      self.collector = collector
    }

    init?(_ text: String) {
      guard let json = JSONValue(text: text), let url = json[field: "journal"]?.string,
        let batch = json[field: "batch"]?.integer, let jobs = json[field: "jobs"]?.integer
      else { return nil }
      self.init(
        url: url, batch: batch, jobs: Int(jobs), key: json[field: "key"]?.string,
        collector: json[field: "otlp"]?.string)
    }
  }

  /// Executes entries of the batch until a signal ends the worker.
  package static func execute(_ line: CommandLine) throws -> Int32 {
    guard let text = readLine(), let order = Order(text) else {
      throw UsageError.input("batch-worker is started by 'raclette batch'")
    }
    var options = WorkerOptions()
    options.jobs = order.jobs
    options.batch = order.batch
    try options.offerResources(of: line)
    options.key = try order.key.map { path throws(UsageError) in try QueueKey(file: path) }
    options.collector = order.collector
    return try WorkerCommand.execute(options, ServerAddress(order.url), line)
  }
}
