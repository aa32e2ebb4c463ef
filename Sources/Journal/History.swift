/// A recorded batch.
public struct RecordedBatch: Sendable {
  /// Its number in the journal.
  public let id: Int64
  /// The plans, as the user named them.
  public let plan: String
  /// The folder where it was started; with a bundle, that of the bundle.
  public package(set) var folder: String
  /// The command-line arguments.
  public let arguments: [String]
  /// The command file, relative to the folder of its bundle; nil without a bundle.
  public let bundledFile: String?
  /// The maximum number of executions that could run at a time.
  public let jobs: Int
  /// Seconds since 1970.
  public let started: Double
  /// Seconds since 1970; nil while the batch runs. For a batch that was killed, the last recorded
  /// time.
  public let ended: Double?
  /// Its exit status; nil while it runs, and if it was killed.
  public let status: Int?
  /// The number of executions in each state.
  public let counts: [RecordedState: Int]

  /// True while the batch has not ended.
  public var isAtWork: Bool { ended == nil }
}

/// A recorded execution.
public struct RecordedExecution: Sendable {
  /// Its number in the journal.
  public let id: Int64
  /// The batch it belongs to.
  public let batch: Int64
  /// The kind of its entry.
  public let kind: PlanEntry.Kind
  /// The name of the command, or the path of the script.
  public let command: String
  /// Canonical JSON.
  public package(set) var input: String
  /// The `id` that the plan gave the entry.
  public let name: String?
  /// The plan that contains the entry.
  public let plan: String
  /// The entry's line there, from 1.
  public let line: Int
  /// The number of attempts; 0 while it is unknown, and if the work was left out.
  public let attempts: Int
  /// Its state.
  public let state: RecordedState
  /// The time it was claimed, in seconds since 1970.
  public let claimed: Double
  /// The time it began, in seconds since 1970; nil if that is unknown.
  public let started: Double?
  /// Seconds; nil if it has not ended.
  public let duration: Double?
  /// The exit status of its process, if the execution failed because of it.
  public let code: Int?
  /// The kind of error it failed with.
  public let errorKind: String?
  /// The error's message.
  public let error: String?
  /// For an execution without success: the first execution of an equal entry that a later batch has
  /// completed. Of executions that are not of a plan, only those that were interrupted have it.
  public let completedBy: Int64?
  /// The origin of the request, such as a page; nil for an entry of a plan, and for a run.
  public let requester: String?
  /// The name of the worker that executed it, if several machines share the journal.
  public let worker: String?

  /// True if its work was left out because its command was up to date.
  public var isUpToDate: Bool { state == .completed && attempts == 0 }
}

/// A filter of executions.
public struct ExecutionFilter: Sendable {
  /// The executions of one batch; nil for all.
  public var batch: Int64?
  /// The executions in some states; empty for all.
  public var states: Set<RecordedState> = []
  /// The name of a command, or the path of a script; nil for all.
  public var command: String?
  /// True to leave out executions without success of entries that have completed since.
  public var leavesOutCompleted = false
  /// The maximum number of executions, taken from the latest ones.
  public var limit: Int?

  /// All executions.
  public init() {}
}

extension Journal {
  /// All batches, the earliest first.
  public func batches() throws(JournalError) -> [RecordedBatch] {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      var counts: [Int64: [RecordedState: Int]] = [:]
      try Statement(
        "SELECT batch, state, count(*) FROM execution GROUP BY batch, state", in: store.database
      ).forEach { row in
        let batch = row.integer(0)
        if let state = RecordedState(row.text(1), isAlive: alive.contains(batch)) {
          counts[batch, default: [:]][state, default: 0] += Int(row.integer(2))
        }
        return true
      }
      var batches: [RecordedBatch] = []
      try Statement("SELECT \(RecordedBatch.columns) FROM batch ORDER BY id", in: store.database)
        .forEach { row throws(JournalError) in
          batches.append(
            try RecordedBatch(row, alive, counts[row.integer(0)] ?? [:], in: store.database))
          return true
        }
      return batches
    }
  }

  /// Passes the executions that match a filter to `body`, one by one, the earliest first.
  ///
  /// - Parameter body: returns true to receive the next one.
  public func forEachExecution(
    _ filter: ExecutionFilter, _ body: (RecordedExecution) -> Bool
  ) throws(JournalError) {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      // A limit selects the latest ones, which are still delivered in their order.
      let sql = """
        SELECT * FROM (
          SELECT \(RecordedExecution.columns) FROM execution
          WHERE (?1 IS NULL OR batch = ?1) AND (?3 IS NULL OR command = ?3)
            AND \(filter.condition(alive))
            \(filter.leavesOutCompleted ? "AND (\(RecordedExecution.completedBy)) IS NULL" : "")
          ORDER BY id DESC LIMIT ?2
        ) ORDER BY id
        """
      try Statement(sql, in: store.database).forEach(
        filter.batch, filter.limit ?? -1, filter.command
      ) { row throws(JournalError) in
        body(try RecordedExecution(row, alive, in: store.database))
      }
    }
  }

  /// The names of all commands and the paths of all scripts that were executed.
  public func commands() throws(JournalError) -> [String] {
    try use { store throws(JournalError) in
      var names: [String] = []
      try Statement(
        "SELECT DISTINCT command FROM execution WHERE kind <> 'malformed'", in: store.database
      ).forEach { row in
        names.append(row.text(0))
        return true
      }
      return names
    }
  }

  /// The execution with a number.
  public func execution(_ id: Int64) throws(JournalError) -> RecordedExecution? {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      return try Statement(
        "SELECT \(RecordedExecution.columns) FROM execution WHERE id = ?", in: store.database
      ).first(id) { row throws(JournalError) in
        try RecordedExecution(row, alive, in: store.database)
      }
    }
  }

  /// The last lines of an execution's output.
  public func output(of execution: Int64) throws(JournalError) -> [RecordedLine] {
    try use { store throws(JournalError) in
      try Statement(
        "SELECT output, \(RecordedExecution.isOutputIntact) FROM execution WHERE id = ?",
        in: store.database
      ).first(execution) { row throws(JournalError) in
        try RecordedExecution.output(row, of: execution, in: store.database)
      } ?? []
    }
  }
}

extension ExecutionFilter {
  /// The SQL condition for the states: an execution recorded as running runs only if its batch
  /// does.
  fileprivate func condition(_ alive: Set<Int64>) -> String {
    if states.isEmpty { return "TRUE" }
    let isAlive = "batch IN (\(alive.sorted().map(String.init).joined(separator: ", ")))"
    let conditions = RecordedState.allCases.filter(states.contains).map { state in
      switch state {
      case .running: "(state = 'running' AND \(isAlive))"
      case .interrupted: "state = 'interrupted' OR (state = 'running' AND NOT \(isAlive))"
      case .completed, .failed, .cancelled: "state = '\(state.rawValue)'"
      }
    }
    return "(\(conditions.joined(separator: " OR ")))"
  }
}

extension RecordedState {
  /// The current state for a recorded one.
  fileprivate init?(_ text: String, isAlive: Bool) {
    self.init(rawValue: text)
    if self == .running, !isAlive { self = .interrupted }
  }
}

extension RecordedBatch {
  fileprivate static let columns = """
    id, plan, folder, arguments, jobs, started, ended, status, CASE WHEN ended IS NULL THEN
      (SELECT max(coalesce(started + duration, claimed)) FROM execution WHERE batch = batch.id) END,
      checksum IS \(RowChecksums.ofBatch)
    """

  fileprivate init(
    _ row: Row, _ alive: Set<Int64>, _ counts: [RecordedState: Int], in database: Database
  ) throws(JournalError) {
    id = row.integer(0)
    let fields = try RecordFields(row, of: .batch(id), in: database, isIntact: 9)
    plan = try fields.text(1, "plan")
    folder = try fields.text(2, "folder")
    arguments = try fields.text(3, "arguments")
      .split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    bundledFile = nil
    jobs = try fields.count(4, "number of jobs")
    started = try fields.time(5, "start")
    let end = try fields.optional(6, "end", fields.time)
    // A batch that was killed, which no later batch has noticed.
    let isDead = end == nil && !alive.contains(id)
    ended = isDead ? try fields.optional(8, "last end", fields.time) ?? started : end
    status = try fields.optional(7, "status", fields.integer)
    self.counts = counts
  }

  /// Reads all batches.
  ///
  /// - Throws: if one is damaged.
  static func checkAll(in database: Database) throws(JournalError) {
    try Statement("SELECT \(columns) FROM batch", in: database).forEach {
      row throws(JournalError) in
      _ = try RecordedBatch(row, [], [:], in: database)
      return true
    }
  }
}

extension RecordedExecution {
  static let columns = """
    id, batch, kind, command, input, name, plan, line, attempts, state, claimed, started, duration, code,
      error_kind, error,
      \(completedBy), checksum IS \(RowChecksums.ofExecution), requester
    """

  /// For an execution without success: the first one of an equal entry that a later batch has
  /// completed. Runs are no entries of a plan; those that were interrupted are compared by their
  /// command and input.
  fileprivate static let completedBy = """
    CASE WHEN state = 'completed' THEN NULL
    WHEN plan NOT IN ('run', 'panel') THEN
      CASE WHEN batch < (SELECT max(id) FROM batch) THEN
        (\(EntryLookUp.sql(
          "min(equal.id)", key: "execution.key", from: "execution.id",
          where: "equal.batch > execution.batch AND equal.state = 'completed'"))) END
    WHEN state IN ('interrupted', 'running') THEN
      (SELECT min(later.id) FROM execution AS later
        WHERE later.command = execution.command AND later.input = execution.input
          AND later.kind = execution.kind AND later.id > execution.id AND later.state = 'completed')
    END
    """

  fileprivate static let isOutputIntact = "output_checksum IS row_checksum(output)"

  /// The SQL condition that is true if a row's checksums differ from the recorded ones.
  private static let isChanged =
    "checksum IS NOT \(RowChecksums.ofExecution) OR NOT \(isOutputIntact)"

  init(_ row: Row, _ alive: Set<Int64>, in database: Database) throws(JournalError) {
    id = row.integer(0)
    let fields = try RecordFields(row, of: .execution(id), in: database, isIntact: 17)
    batch = Int64(try fields.integer(1, "batch"))
    kind = try fields.choice(2, "kind")
    command = try fields.text(3, "command")
    input = try fields.text(4, "input")
    name = try fields.optional(5, "name", fields.text)
    plan = try fields.text(6, "plan")
    line = try fields.count(7, "line")
    attempts = try fields.count(8, "number of attempts")
    var state: RecordedState = try fields.choice(9, "state")
    if state == .running, !alive.contains(batch) { state = .interrupted }
    self.state = state
    claimed = try fields.time(10, "claim")
    started = try fields.optional(11, "start", fields.time)
    duration = try fields.optional(12, "duration", fields.time)
    code = try fields.optional(13, "exit status", fields.integer)
    errorKind = try fields.optional(14, "error", fields.text)
    error = try fields.optional(15, "error", fields.text)
    completedBy =
      RecordedState.unsuccessful.contains(state) && !row.isNull(16) ? row.integer(16) : nil
    requester = try fields.optional(18, "requester", fields.text)
    worker = nil
  }

  fileprivate static func output(
    _ row: Row, of execution: Int64, in database: Database
  ) throws(JournalError) -> [RecordedLine] {
    let fields = try RecordFields(row, of: .execution(execution), in: database, isIntact: 1)
    guard let lines = RecordedLine.lines(in: row.bytes(0)) else {
      throw fields.damaged("its output is invalid")
    }
    return lines
  }

  /// Reads the executions whose checksum differs from the recorded one.
  ///
  /// - Throws: if one is damaged.
  static func checkChanged(in database: Database) throws(JournalError) {
    try Statement(
      "SELECT \(columns), \(isOutputIntact) FROM execution WHERE \(isChanged)", in: database
    ).forEach {
      row throws(JournalError) in
      let execution = try RecordedExecution(row, [], in: database)
      _ = try RecordFields(row, of: .execution(execution.id), in: database, isIntact: 19)
      return true
    }
  }
}
