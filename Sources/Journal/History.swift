/// A batch, as the journal has it.
public struct RecordedBatch: Sendable {
  /// Its number in the journal.
  public let id: Int64
  /// The plans, as they were named.
  public let plan: String
  /// Where it was started.
  public let folder: String
  /// How it was called.
  public let arguments: [String]
  /// How many executions could run at a time.
  public let jobs: Int
  /// Seconds since 1970.
  public let started: Double
  /// Seconds since 1970; nil while it is at work. Of a batch that was killed: the last it recorded.
  public let ended: Double?
  /// Its exit status; nil while it is at work, and if it was killed.
  public let status: Int?
  /// How many executions stand where.
  public let counts: [RecordedState: Int]

  /// Whether it has not ended.
  public var isAtWork: Bool { ended == nil }
}

/// An execution, as the journal has it.
public struct RecordedExecution: Sendable {
  /// Its number in the journal.
  public let id: Int64
  /// The batch it belongs to.
  public let batch: Int64
  /// What sort of entry it is of.
  public let kind: PlanEntry.Kind
  /// The name of the command, or the path of the script.
  public let command: String
  /// Canonical JSON.
  public let input: String
  /// The `id` that the plan gave the entry.
  public let name: String?
  /// The plan the entry stands in.
  public let plan: String
  /// The entry's line there, from 1.
  public let line: Int
  /// How often it has tried; 0 while it is not known.
  public let attempts: Int
  /// Where it stands.
  public let state: RecordedState
  /// When it was claimed, in seconds since 1970.
  public let claimed: Double
  /// When it began, in seconds since 1970; nil if that is not known.
  public let started: Double?
  /// Seconds; nil if it has not ended.
  public let duration: Double?
  /// The exit status of its process, where that is what failed.
  public let code: Int?
  /// What sort of error it failed with.
  public let errorKind: String?
  /// The error's message.
  public let error: String?
}

/// Which executions are asked for.
public struct ExecutionFilter: Sendable {
  /// Of one batch; nil for all.
  public var batch: Int64?
  /// In some states; empty for all.
  public var states: Set<RecordedState> = []
  /// At most so many, the latest ones.
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
      try Statement(
        """
        SELECT id, plan, folder, arguments, jobs, started, ended, status, CASE WHEN ended IS NULL THEN
          (SELECT max(coalesce(started + duration, claimed)) FROM execution WHERE batch = batch.id) END
        FROM batch ORDER BY id
        """, in: store.database
      ).forEach { row in
        let id = row.integer(0)
        // One that was killed, and that no later batch has noticed.
        let isDead = row.isNull(6) && !alive.contains(id)
        batches.append(
          RecordedBatch(
            id: id, plan: row.text(1), folder: row.text(2),
            arguments: row.text(3).split(separator: "\0", omittingEmptySubsequences: false)
              .map(String.init),
            jobs: Int(row.integer(4)), started: row.number(5),
            ended: isDead ? row.optionalNumber(8) ?? row.number(5) : row.optionalNumber(6),
            status: row.optionalInteger(7).map { Int($0) }, counts: counts[id] ?? [:]))
        return true
      }
      return batches
    }
  }

  /// The executions that a filter lets pass, the earliest first, one after the other.
  ///
  /// - Parameter body: returns whether it wants the next.
  public func forEachExecution(
    _ filter: ExecutionFilter, _ body: (RecordedExecution) -> Bool
  ) throws(JournalError) {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      // A limit is of the latest ones, which are yet told in their order.
      let sql = """
        SELECT * FROM (
          SELECT \(RecordedExecution.columns) FROM execution
          WHERE (?1 IS NULL OR batch = ?1) AND \(filter.condition(alive))
          ORDER BY id DESC LIMIT ?2
        ) ORDER BY id
        """
      try Statement(sql, in: store.database).forEach(filter.batch, filter.limit ?? -1) { row in
        body(RecordedExecution(row, alive))
      }
    }
  }

  /// The execution of a number.
  public func execution(_ id: Int64) throws(JournalError) -> RecordedExecution? {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      return try Statement(
        "SELECT \(RecordedExecution.columns) FROM execution WHERE id = ?", in: store.database
      ).first(id) { RecordedExecution($0, alive) }
    }
  }

  /// The last lines of an execution.
  public func output(of execution: Int64) throws(JournalError) -> [RecordedLine] {
    try use { store throws(JournalError) in
      try Statement("SELECT output FROM execution WHERE id = ?", in: store.database)
        .first(execution) { RecordedLine.lines(in: $0.bytes(0)) } ?? []
    }
  }
}

extension ExecutionFilter {
  /// What the states mean in SQL: what is recorded as running is, where its batch is at work.
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
  /// A state as it is recorded, seen now.
  fileprivate init?(_ text: String, isAlive: Bool) {
    self.init(rawValue: text)
    if self == .running, !isAlive { self = .interrupted }
  }
}

extension RecordedExecution {
  fileprivate static let columns = """
    id, batch, kind, command, input, name, plan, line, attempts, state, claimed, started, duration, code,
      error_kind, error
    """

  fileprivate init(_ row: Row, _ alive: Set<Int64>) {
    id = row.integer(0)
    batch = row.integer(1)
    kind = PlanEntry.Kind(rawValue: row.text(2)) ?? .malformed
    command = row.text(3)
    input = row.text(4)
    name = row.optionalText(5)
    plan = row.text(6)
    line = Int(row.integer(7))
    attempts = Int(row.integer(8))
    state = RecordedState(row.text(9), isAlive: alive.contains(batch)) ?? .interrupted
    claimed = row.number(10)
    started = row.optionalNumber(11)
    duration = row.optionalNumber(12)
    code = row.optionalInteger(13).map { Int($0) }
    errorKind = row.optionalText(14)
    error = row.optionalText(15)
  }
}
