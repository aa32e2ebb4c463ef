import LuaRuntime

/// Decides which of several processes, such as the workers of a batch, executes a needed call whose
/// command has `scope = "cluster"`. Confined to the loop's thread.
package protocol SharedNeeds: AnyObject {
  /// Asks who executes a call.
  ///
  /// - Parameter decide: called once, never during this call.
  func ask(_ call: NeededCall, _ decide: @escaping (SharedNeed) -> Void)
  /// Says how the execution of a call has ended that `ask` has left to this process. If it was
  /// cancelled, another process executes the call.
  func end(_ call: NeededCall, _ failure: Failure?)
}

/// The answer to who executes a needed call.
package enum SharedNeed {
  /// This process does, and then calls `end`.
  case execute
  /// Another one has, with this failure if it has failed.
  case ended(Failure?)
}

/// A needed call as several processes know it.
package struct NeededCall: Hashable, Sendable {
  /// The name of the command.
  package let command: String
  /// The complete input as JSON, with sorted keys.
  package let input: String
}

extension ExecutionScheduler {
  /// The call of a needed request if one of several processes executes it for all; nil if each does,
  /// as for an input that has no JSON.
  func neededCall(of request: ExecutionRequest) -> NeededCall? {
    guard host.policy.sharedNeeds != nil, request.isNeed, request.call != nil,
      let command = request.queue.command, command.policy.isNeededOnce,
      let input = try? request.requester.input(of: request), let text = try? host.json(input)
    else { return nil }
    return NeededCall(command: command.name, input: text)
  }
}
