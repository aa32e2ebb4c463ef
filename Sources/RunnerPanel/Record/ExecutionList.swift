/// The executions of a panel: those that have not ended, and the latest of the others. On the loop's
/// thread.
struct ExecutionList {
  /// How many of those that have ended are kept.
  let keep: Int
  private var executions: [Int: PanelExecution] = [:]
  /// The ids of those that have ended, in the order of their ends.
  private var endedIDs: [Int] = []
  /// The number of the latest one.
  private(set) var lastID = 0

  init(keep: Int) { self.keep = keep }

  /// Begins behind the numbers of another list.
  mutating func go(onAfter number: Int) { lastID = max(lastID, number) }

  subscript(id: Int) -> PanelExecution? { executions[id] }

  /// All of them, the latest first.
  var all: [PanelExecution] { executions.values.sorted { $0.id > $1.id } }

  /// Those that have not ended.
  var active: [PanelExecution] { executions.values.filter { !$0.isOver } }

  /// Those of them that run in this process, or wait here.
  var own: [PanelExecution] { active.filter { $0.hub == nil } }

  /// The number behind the latest one.
  mutating func takeNumber() -> Int {
    lastID += 1
    return lastID
  }

  /// Adds an execution.
  mutating func add(_ execution: PanelExecution) { executions[execution.id] = execution }

  /// Drops the oldest of those that have ended, as one more has.
  ///
  /// - Returns: those that were dropped.
  mutating func noteEnd(of execution: PanelExecution) -> [PanelExecution] {
    endedIDs.append(execution.id)
    let surplus = endedIDs.prefix(max(0, endedIDs.count - keep))
    endedIDs.removeFirst(surplus.count)
    return surplus.compactMap { executions.removeValue(forKey: $0) }
  }

  /// Forgets a request that was refused.
  mutating func remove(_ execution: PanelExecution) {
    executions[execution.id] = nil
    endedIDs.removeAll { $0 == execution.id }
  }
}
