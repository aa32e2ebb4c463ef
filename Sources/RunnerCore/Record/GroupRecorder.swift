import EventLoop
import Journal
import Platform

/// Records the process groups of executions while they live, so that the leftovers of a killed
/// batch can be found. On the loop's thread.
package final class GroupRecorder {
  private let log: any ExecutionLog
  private var groups: [Int32: (execution: Int64, group: GroupIdentity)] = [:]

  package init(_ log: any ExecutionLog) {
    self.log = log
  }

  /// Records the group that a process leads, for the execution with a number in the journal.
  package func began(_ leader: Int32, of execution: Int64?) {
    guard let execution, let group = GroupIdentity(leader: leader) else { return }
    groups[leader] = (execution, group)
    log.note { $0.begin(group, of: execution) }
  }

  /// Records that the group has ended.
  package func ended(_ leader: Int32) {
    guard let (execution, group) = groups.removeValue(forKey: leader) else { return }
    log.note { $0.end(group, of: execution) }
  }
}
