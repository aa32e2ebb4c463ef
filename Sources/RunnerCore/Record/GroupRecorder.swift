import EventLoop
import Journal

/// Records the process groups of executions while they live, so that the leftovers of a killed
/// batch can be found. On the loop's thread.
package final class GroupRecorder {
  private let log: any ExecutionLog
  private var groups: [Int32: (execution: Int64, group: RecordedGroup)] = [:]

  package init(_ log: any ExecutionLog) {
    self.log = log
  }

  /// Records the group that a process leads, for the execution with a number in the journal.
  package func began(_ leader: Int32, of execution: Int64?) {
    guard let execution, let identity = GroupIdentity(leader: leader) else { return }
    let group = RecordedGroup(identity)
    groups[leader] = (execution, group)
    log.note { $0.begin(group, of: execution) }
  }

  /// Records that the group has ended.
  package func ended(_ leader: Int32) {
    guard let (execution, group) = groups.removeValue(forKey: leader) else { return }
    log.note { $0.end(group, of: execution) }
  }
}

extension RecordedGroup {
  fileprivate init(_ identity: GroupIdentity) {
    self.init(
      leader: identity.leader, started: identity.started, session: identity.session,
      system: identity.system)
  }
}

extension Leftover {
  /// The identity by which a later check finds out if the group still exists.
  package var identity: GroupIdentity {
    GroupIdentity(
      leader: group.leader, started: group.started, session: group.session,
      system: group.system)
  }
}
