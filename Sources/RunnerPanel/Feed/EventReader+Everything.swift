import RunnerCore
import Scripting

/// The reading of all executions, as a panel shows those of a hub.
///
/// Besides the events, there is `executions` with those that are there at the beginning, and `execution`
/// before the first event of each further one. One that had ended then has another `execution` behind its
/// output, in place of the event of its end.
extension EventReader {
  struct Everything {
    /// The executions that are there, in any order.
    let executions: () -> [PanelExecution]
    /// True to begin with those that have ended, too.
    let hasEnded: Bool
  }

  /// Appends what is there, and begins to read the output of what it does not read yet.
  func appendOverview() {
    guard let everything else { return }
    let newest = newest ?? (everything.hasEnded ? 0 : .max)
    let executions = everything.executions().sorted { $0.id < $1.id }
    for execution in executions where !execution.isOver || execution.id > newest {
      if !looks(at: execution) { pages[0].looks.append(Look(execution, from: 0)) }
    }
    self.newest = executions.last?.id ?? 0
    let list = JSONValue.list(pages[0].looks.map(\.execution.json))
    append("executions", [("executions", list.text)])
    for index in pages[0].looks.indices where pages[0].looks[index].execution.isOver {
      pages[0].looks[index].isEndDue = true
    }
    // What has happened so far is in the overview.
    place = feed.ring.end
  }

  /// Introduces the execution of an event if it is a new one, and that which needs it.
  ///
  /// - Returns: true if there is something before the event now.
  func introduces(_ event: PanelEvent) -> Bool {
    guard let everything, let id = event.execution,
      !pages[0].looks.contains(where: { $0.execution.id == id }),
      let execution = everything.executions().first(where: { $0.id == id })
    else { return false }
    for new in [execution.request, execution].compactMap(\.self) where !looks(at: new) {
      pages[0].looks.append(Look(new, from: 0))
      newest = max(newest ?? 0, new.id)
      append("execution", [("execution", new.json.text)])
    }
    return true
  }

  /// Reads no more of an execution whose end has been read.
  func leave(_ execution: Int?) {
    if everything != nil { pages[0].looks.removeAll { $0.execution.id == execution } }
  }

  /// Appends the ends of those that had ended before, once all of their output is there.
  func appendEnds() {
    for look in pages[0].looks where look.isEndDue && look.cursor.isAtEnd {
      append("execution", [("execution", look.execution.json.text)])
      leave(look.execution.id)
    }
  }

  private func append(_ type: String, _ fields: [EventJSON.Field]) {
    appendMessage(of: Array(EventJSON.text(feed.takeNumbers(1), type, fields).utf8), for: nil)
  }
}
