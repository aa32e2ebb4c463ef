import Commands
import RunnerCore
import Scripting

/// What pages show of a command's state.
struct CommandState: Equatable {
  /// True if a press would be accepted, as far as is known before it.
  var isEnabled: Bool
  /// Why not, as the end of a sentence.
  var reason: String?
  /// True if its condition is a function, which is asked when the command is pressed.
  var isAsked: Bool
  var running: Int
  var limit: Int?
  var queued: Int
  /// The state of a service, if it is shown.
  var service: ServiceStatus?

  /// - Parameters:
  ///   - ending: the number of its cancelled executions whose processes have not ended.
  ///   - earlier: its executions by an earlier command file that have not ended.
  init(_ command: ScriptCommand, ending: Int, earlier: [PanelExecution]) {
    running = command.runningCount + ending + earlier.count { $0.state == .running }
    limit = command.concurrencyLimit == .unlimited ? nil : command.concurrencyLimit.count
    queued = command.queuedCount + earlier.count { $0.state == .queued }
    isAsked = command.hasPredicate || command.hasPrecondition
    reason = command.isInteractive ? "it needs a terminal" : command.disabledReason
    if case .notEnabled(_, .condition)? = command.obstacle, command.hasPredicate {
      // The answer to an earlier press.
      reason = nil
    }
    if command.hasPredicate, command.isConditionPending { reason = nil }
    isEnabled = reason == nil
  }

  /// The state of a command that workers execute, and that they ask for its condition.
  ///
  /// - Parameter executions: those of the command that have not ended.
  init(_ command: ScriptCommand, shared executions: [PanelExecution]) {
    running = executions.count { $0.state != .queued }
    queued = executions.count - running
    limit = nil
    isAsked = command.hasCondition || command.hasPrecondition
    reason = command.isInteractive ? "it needs a terminal" : nil
    isEnabled = reason == nil
  }

  var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [("enabled", .bool(isEnabled))]
    if let reason { fields.append(("reason", .string(Secrets.masked(reason)))) }
    if isAsked { fields.append(("asked", .bool(true))) }
    fields.append(("running", .integer(Int64(running))))
    if let limit { fields.append(("limit", .integer(Int64(limit)))) }
    fields.append(("queued", .integer(Int64(queued))))
    if let service {
      let state = JSONValue.object(service.fields)
      fields.append(("service", state.masked ?? state))
    }
    return fields
  }

  /// The fields of the event `enabled`.
  var event: [EventJSON.Field] {
    fields.map { name, value in (name == "enabled" ? "value" : name, value.text) }
  }
}
