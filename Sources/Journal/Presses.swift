/// An execution that is recorded under a number which was reserved for it.
public struct ReservedExecution: Sendable {
  /// Its number.
  public var execution: Int64
  /// What is executed.
  public var entry: PlanEntry
  /// The time it was requested, in seconds since 1970.
  public var claimed: Double

  /// An execution with these values.
  public init(execution: Int64, entry: PlanEntry, claimed: Double) {
    self.execution = execution
    self.entry = entry
    self.claimed = claimed
  }
}

/// What a journal keeps for a panel, whose executions need their numbers before they are recorded.
extension Journal {
  /// The plan of the executions of panels, which are no entries of a plan.
  public static let panelPlan = "panel"

  /// The SQL condition for the batches of panels: a batch of a plan with this name has jobs, and a run
  /// of a command with this name has arguments.
  private static let isOfPanel = "plan = '\(panelPlan)' AND jobs = 0 AND arguments = ''"

  /// Begins the batch that holds the executions of a panel, which runs until `finish` or the end of the
  /// process.
  ///
  /// - Parameter folder: the folder of the command file.
  public func beginPanel(in folder: String) throws(JournalError) {
    _ = try begin(
      BatchDescription(plan: Self.panelPlan, folder: folder, arguments: [], jobs: 0), as: .run)
  }

  /// Reserves numbers for executions: nobody else gets them.
  public func reserve(_ count: Int) throws(JournalError) -> Range<Int64> {
    try use { store throws(JournalError) in try store.reserve(count) }
  }

  /// Gives reserved numbers back that were not used. They are lost if others were reserved since.
  public func giveBack(_ numbers: Range<Int64>) throws(JournalError) {
    guard !numbers.isEmpty else { return }
    try use { store throws(JournalError) in
      try Statement(
        "UPDATE sqlite_sequence SET seq = ? WHERE name = 'execution' AND seq = ?",
        in: store.database
      ).run(numbers.lowerBound - 1, numbers.upperBound - 1)
    }
  }

  /// The latest executions of panels that have ended, or were interrupted, the latest first.
  public func presses(limit: Int) throws(JournalError) -> [RecordedExecution] {
    try ended(
      where:
        "plan = ?1 AND batch IN (SELECT id FROM batch WHERE \(Self.isOfPanel)) AND claimed >= ?2",
      Self.panelPlan, 0, limit)
  }

  /// The latest executions of a command that have ended, or were interrupted, the latest first; none that
  /// the command did not accept.
  ///
  /// - Parameter begin: the time from which on they were requested, in seconds since 1970.
  public func ended(
    of command: String, since begin: Double, limit: Int
  ) throws(JournalError) -> [RecordedExecution] {
    let isAccepted = "(started IS NOT NULL OR error_kind IS NOT 'not_enabled')"
    return try ended(
      where: "command = ?1 AND kind = 'command' AND \(isAccepted) AND claimed >= ?2", command,
      begin,
      limit)
  }

  private func ended(
    where condition: String, _ text: String, _ begin: Double, _ limit: Int
  ) throws(JournalError) -> [RecordedExecution] {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      let running = alive.sorted().map(String.init).joined(separator: ", ")
      var found: [RecordedExecution] = []
      try Statement(
        """
        SELECT \(RecordedExecution.columns) FROM execution
          WHERE \(condition) AND NOT (state = 'running' AND batch IN (\(running)))
          ORDER BY id DESC LIMIT ?3
        """, in: store.database
      ).forEach(text, begin, limit) { row throws(JournalError) in
        found.append(try RecordedExecution(row, alive, in: store.database))
        return true
      }
      return found
    }
  }

  /// Drops what is too old of the executions of panels: the outputs of all but the latest, and most of
  /// the executions themselves. Batches that are then empty go with them.
  ///
  /// - Parameters:
  ///   - outputs: how many executions keep their outputs.
  ///   - executions: how many executions are kept.
  public func dropPresses(
    keepingOutputs outputs: Int, executions: Int
  ) throws(JournalError) {
    try use { store throws(JournalError) in
      let older = """
        SELECT id FROM execution
          WHERE batch IN (SELECT id FROM batch WHERE \(Self.isOfPanel)) AND state <> 'running'
          ORDER BY id DESC LIMIT -1 OFFSET ?1
        """
      let dropping = try Statement(
        "DELETE FROM execution WHERE id IN (\(older))", in: store.database)
      let emptying = try Statement(
        """
        UPDATE execution SET
          \(RowChecksums.changes(["output_checksum": "row_checksum(NULL)"])), output = NULL
          WHERE id IN (\(older)) AND output IS NOT NULL
        """, in: store.database)
      let ending = try Statement(
        """
        DELETE FROM batch WHERE \(Self.isOfPanel) AND ended IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM execution WHERE batch = batch.id)
        """, in: store.database)
      try store.database.transaction { () throws(JournalError) in
        try dropping.run(executions)
        try emptying.run(outputs)
        try ending.run()
      }
    }
  }
}

extension RecordedBatch {
  /// True if it holds the executions of a panel.
  public var isOfPanel: Bool {
    plan == Journal.panelPlan && jobs == 0 && arguments.allSatisfy(\.isEmpty)
  }
}
