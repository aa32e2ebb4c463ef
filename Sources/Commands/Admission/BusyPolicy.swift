/// What a command does with an execution that is asked for while as many run as may.
///
/// Every policy but `reject` leaves the command enabled while it is busy: `enabled` says whether an
/// execution asked for now would be taken.
public enum BusyPolicy: Sendable, Hashable {
  /// The execution fails with `CommandError.notEnabled`.
  case reject
  /// The execution waits for its turn, first come, first served; beyond `limit` waiting ones it fails
  /// with `CommandError.notEnabled`. Once its turn comes it also waits for the enabled condition.
  case queue(limit: Int = .max)
  /// The oldest running execution is cancelled and the new one starts when that has really ended. An
  /// execution that is still waiting for this is itself replaced by a later one.
  case restart
  /// The caller gets the latest execution that is running or waiting.
  case join
}
