/// What services use as long as something needs them, and whether that leaves others enough. An execution
/// that waited for the rest would wait for ever.
extension ScriptCommand {
  /// The reason why an execution and the services that it needs can never have what they use at once, as
  /// a sentence without its subject and its period; nil if they can.
  ///
  /// - Parameter needs: what it needs. Only services count, and the services that these need.
  func problemBeside(_ needs: [Plan.Call]) -> String? {
    let services = needs.serviceUsers
    guard !services.isEmpty, let excess = excess(beside: services) else { return nil }
    let isUser = !resources.isEmpty
    let problem = isUser ? "leave it too little" : "cannot have what they use at once"
    return "needs services that \(problem): \((isUser ? [self] : []) + services), but \(excess)"
  }

  fileprivate func excess(beside services: [ScriptCommand]) -> String? {
    let all = services.reduce(into: resources) { sum, service in
      for (name, amount) in service.resources {
        sum[name] = amount.with(amount.value + (sum[name]?.value ?? 0))
      }
    }
    return host.policy.resources.excess(of: all)
  }
}

extension ScriptExecution {
  /// The failure of a service that the work of this execution needs, which would wait for what the
  /// outermost execution has until that has ended; nil if both can have what they use.
  func failureOfService(_ call: Plan.Call) -> Failure? {
    guard let holder = outermostHolder?.scriptCommand else { return nil }
    let services = [call].serviceUsers
    guard !services.isEmpty, let excess = holder.excess(beside: services) else { return nil }
    return Failure(
      .user,
      "'\(holder.name)' does not leave enough for its service: \([holder] + services), but \(excess)"
    )
  }
}

extension String.StringInterpolation {
  /// As in `'test' uses gpu = 1, 'db' uses memory = 2G`.
  fileprivate mutating func appendInterpolation(_ users: [ScriptCommand]) {
    appendLiteral(
      users.map { "'\($0.name)' uses \($0.resources.text)" }.joined(separator: ", "))
  }
}

extension [Plan.Call] {
  /// The commands of the services among the calls that use resources, and of those that services need.
  /// A command is in it once for each input.
  fileprivate var serviceUsers: [ScriptCommand] {
    var left = filter(\.command.isService)
    var known: Set<CallKey> = []
    var users: [ScriptCommand] = []
    while let call = left.popLast() {
      guard known.insert(call.key).inserted else { continue }
      if !call.command.resources.isEmpty { users.append(call.command) }
      left += call.command.listedCalls.filter(\.command.isService)
    }
    return users.sorted { $0.name < $1.name }
  }
}

extension ScriptCommand {
  /// The calls that it needs whatever the input is, without those that are mistakes.
  var listedCalls: [Plan.Call] { listedNeeds.compactMap { try? call(for: $0, as: .needed) } }
}
