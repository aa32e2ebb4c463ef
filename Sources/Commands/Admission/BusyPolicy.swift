/// The policy for an execution that is requested while the limit of running executions is reached.
///
/// Every policy except `reject` leaves a busy command enabled: `enabled` is true while an execution
/// requested now would be accepted.
public enum BusyPolicy: Sendable, Hashable {
  /// The execution fails with `CommandError.notEnabled`.
  case reject
  /// The execution waits for its turn, first come, first served; if `limit` executions already
  /// wait, it fails with `CommandError.notEnabled`. When its turn comes it also waits for the
  /// enabled condition.
  case queue(limit: Int = .max)
  /// The oldest running execution is cancelled, and the new one starts when its work has really
  /// ended. A later execution replaces one that is still waiting for this.
  case restart
  /// The caller gets the latest execution that is running or waiting.
  case join
}
