import Platform

/// The reports of commands whose executions wait for resources: one for each holder, and at most one a
/// second, however many executions of a command wait. On the loop's thread.
struct ResourceWaits {
  private struct Report {
    let holder: String
    let time: Duration
    /// True if an execution of the command has been granted what it waited for since.
    var isOver = false
  }

  private var last: [String: Report] = [:]

  /// The report that an execution of a command waits at a time; nil if it would say nothing new.
  mutating func report(
    _ command: String, _ resources: Resources, holder: String, at time: Duration
  ) -> Contention? {
    if let last = last[command] {
      guard last.isOver || last.holder != holder, time - last.time >= .seconds(1) else {
        return nil
      }
    }
    let isFirst = last[command] == nil
    last[command] = Report(holder: holder, time: time)
    return Contention(
      command: command, resources: resources.text, holder: holder, isFirst: isFirst)
  }

  /// An execution of a command no longer waits.
  mutating func end(_ command: String) { last[command]?.isOver = true }
}
