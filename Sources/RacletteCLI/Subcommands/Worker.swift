import RunnerBatch
import RunnerCluster
import RunnerCore
import Scripting

extension Subcommand {
  static let worker: Subcommand = Subcommand(
    name: "worker", underMake: .leftOut, arguments: "",
    summary: "Execute batches of a journal on a server",
    options: Option.worker, passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 0, usage: Subcommand.worker.usage)
    try line.enterDirectory()
    return try WorkerCommand.execute(line)
  }

  /// The worker that a submitter starts for its own batch.
  static let batchWorker: Subcommand = Subcommand(
    name: "batch-worker", underMake: .leftOut, arguments: "",
    summary: "Execute entries of one batch",
    options: [.resource], passesArguments: false
  ) { line in
    try BatchWorker.execute(line)
  }

  /// The process in which a worker executes a batch.
  static let executor: Subcommand = Subcommand(
    name: "batch-executor", underMake: .leftOut, arguments: "",
    summary: "Execute entries for a worker",
    options: [.file, .traceParent] + Option.batch, passesArguments: false
  ) { line in
    try Executor.execute(line)
  }
}
