import Platform

/// Notes recorded while executions run, in case they never end because the batch was killed. The
/// notes survive the end of the process but not a power failure, so they need no sync to disk.
public struct ExecutionNotes: Sendable {
  /// Process groups that have begun, by execution.
  public var begun: [Int64: [GroupIdentity]] = [:]
  /// Process groups that have no processes left, by execution.
  public var gone: [Int64: [GroupIdentity]] = [:]
  /// The last lines that executions have sent and written so far.
  public var outputs: [Int64: [RecordedLine]] = [:]

  /// No notes.
  public init() {}

  /// True if there is nothing to record.
  public var isEmpty: Bool { begun.isEmpty && gone.isEmpty && outputs.isEmpty }

  /// Notes a group that has begun.
  public mutating func begin(_ group: GroupIdentity, of execution: Int64) {
    begun[execution, default: []].append(group)
  }

  /// Notes a group that has no processes left. A group that was never recorded is skipped.
  public mutating func end(_ group: GroupIdentity, of execution: Int64) {
    if let index = begun[execution]?.firstIndex(of: group) {
      begun[execution]?.remove(at: index)
      if begun[execution]?.isEmpty == true { begun[execution] = nil }
    } else {
      gone[execution, default: []].append(group)
    }
  }

  /// Forgets an execution that has ended.
  public mutating func forget(_ execution: Int64) {
    begun[execution] = nil
    gone[execution] = nil
    outputs[execution] = nil
  }
}

/// A process group that a batch may have left behind when it was killed.
public struct Leftover: Sendable {
  /// The number of its execution.
  public let execution: Int64
  /// The command or script that was executed.
  public let command: String
  /// The group, which may have no processes left by now.
  public let group: GroupIdentity
}

extension Journal {
  /// The process groups of batches that no longer run.
  public func leftovers() throws(JournalError) -> [Leftover] {
    try use { store throws(JournalError) in
      let alive = try store.aliveBatches()
      var leftovers: [Leftover] = []
      try Statement(
        """
        SELECT process_group.execution, leader, process_group.started, session, system,
          process_group.checksum IS row_checksum(
            process_group.execution, leader, process_group.started, session, system),
          command, batch
        FROM process_group JOIN execution ON execution.id = process_group.execution
        """, in: store.database
      ).forEach { row throws(JournalError) in
        let execution = row.integer(0)
        let fields = try RecordFields(
          row, of: .group(of: execution), in: store.database, isIntact: 5)
        let group = GroupIdentity(
          leader: try fields.id(1, "process", atLeast: 2),
          started: Int64(try fields.integer(2, "start")),
          // A session that began outside the process id namespace has no id here.
          session: try fields.id(3, "session", atLeast: 0), system: try fields.text(4, "system"))
        if !alive.contains(row.integer(7)) {
          leftovers.append(
            Leftover(execution: execution, command: try fields.text(6, "command"), group: group))
        }
        return true
      }
      return leftovers
    }
  }

  /// Deletes the records of process groups that have no processes left.
  public func forget(_ leftovers: [Leftover]) throws(JournalError) {
    try use { store throws(JournalError) in
      let removing = try Statement(
        "DELETE FROM process_group WHERE execution = ? AND leader = ?", in: store.database)
      try store.database.transaction { () throws(JournalError) in
        for leftover in leftovers {
          try removing.run(leftover.execution, Int(leftover.group.leader))
        }
      }
    }
  }
}
