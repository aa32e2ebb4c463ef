/// Answers questions about recorded batches and executions: the file of a journal does, and so may a
/// server that several machines share.
package protocol JournalReader {
  /// The journal as messages name it.
  var name: String { get }

  /// All batches, the earliest first.
  func batches() throws -> [RecordedBatch]

  /// Passes the executions that match a filter to `body`, one by one, the earliest first, until it
  /// returns false.
  func forEachExecution(
    _ filter: ExecutionFilter, _ body: (RecordedExecution) -> Bool
  ) throws

  /// The names of all commands and the paths of all scripts that were executed.
  func commands() throws -> [String]

  /// The execution with a number.
  func execution(_ id: Int64) throws -> RecordedExecution?

  /// The last lines of an execution's output.
  func output(of execution: Int64) throws -> [RecordedLine]

  /// A reader of the same journal that can answer while this one passes executions on.
  func another() throws -> any JournalReader
}

extension Journal: JournalReader {
  package var name: String { path }

  package func another() throws -> any JournalReader { try Journal(path, isCreated: false) }
}

extension RecordedBatch {
  /// A batch that was recorded elsewhere.
  package init(
    shared id: Int64, plan: String, folder: String, bundledFile: String, started: Double,
    ended: Double?, status: Int?, counts: [RecordedState: Int]
  ) {
    self.id = id
    self.plan = plan
    self.folder = folder
    arguments = []
    self.bundledFile = bundledFile.isEmpty ? nil : bundledFile
    jobs = 0
    self.started = started
    self.ended = ended
    self.status = status
    self.counts = counts
  }
}

extension RecordedExecution {
  /// An execution that was recorded elsewhere.
  ///
  /// - Parameters:
  ///   - entry: what was executed.
  ///   - worker: the name of the worker that executed it.
  package init(
    shared id: Int64, batch: Int64, _ entry: PlanEntry, worker: String?, attempts: Int,
    state: RecordedState, claimed: Double, started: Double?, duration: Double?, code: Int?,
    errorKind: String?, error: String?, completedBy: Int64?
  ) {
    self.id = id
    self.batch = batch
    kind = entry.kind
    command = entry.command
    input = entry.input
    name = entry.name
    plan = entry.plan
    line = entry.line
    requester = entry.requester
    self.worker = worker
    self.attempts = attempts
    self.state = state
    self.claimed = claimed
    self.started = started
    self.duration = duration
    self.code = code
    self.errorKind = errorKind
    self.error = error
    self.completedBy = completedBy
  }
}
