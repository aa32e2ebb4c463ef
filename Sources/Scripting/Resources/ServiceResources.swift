/// What services use as long as something needs them, and whether that leaves others enough. An execution
/// that waited for the rest would wait for ever.
extension ScriptCommand {
  /// The reason why an execution and the services that it needs can never have what they use at once, as
  /// a sentence without its subject and its period; nil if they can.
  ///
  /// - Parameter needs: what it needs. Only services count, and the services that these need.
  func problemBeside(_ needs: [Plan.Call]) -> String? {
    let services = needs.serviceUsers
    guard !services.isEmpty else { return nil }
    let isUser = !resources.isEmpty
    let users = (isUser ? [asHolder] : []) + services
    guard let excess = host.policy.resources.excess(of: users.amounts) else { return nil }
    let problem = isUser ? "do not leave it enough" : "cannot have what they use at once"
    return "needs services that \(problem): \(users.text), but \(excess)"
  }
}

extension ScriptHost {
  /// The failure of a service that is needed inside an execution, of this process or around it, and would
  /// wait for what that has until it has ended; nil if both can have what they use.
  ///
  /// - Parameter execution: the one of this process whose work needs it; nil if there is none.
  func failureOfService(_ call: Plan.Call, within execution: ScriptExecution?) -> Failure? {
    let budget = policy.resources
    let inner = execution?.outermostHolder?.scriptCommand.asHolder
    guard let holder = budget.holderOutside ?? inner else { return nil }
    let services = [call].serviceUsers
    guard !services.isEmpty else { return nil }
    let users = [holder] + services
    let offers = holder.offers.map { ResourcePool($0.mapValues { ResourcePool.Stock($0) }) }
    guard let excess = offers?.excess(of: users.amounts) ?? budget.excess(of: users.amounts)
    else { return nil }
    return Failure(
      .user, "'\(holder.name)' does not leave enough for its service: \(users.text), but \(excess)")
  }
}

extension [Plan.Call] {
  /// The services among the calls that use resources, and those that services need. A command is in it
  /// once for each input.
  fileprivate var serviceUsers: [ResourceHolder] {
    var left = filter(\.command.isService)
    var known: Set<CallKey> = []
    var users: [ResourceHolder] = []
    while let call = left.popLast() {
      guard known.insert(call.key).inserted else { continue }
      if !call.command.resources.isEmpty { users.append(call.command.asHolder) }
      left += call.command.listedCalls.filter(\.command.isService)
    }
    return users.sorted { $0.name < $1.name }
  }
}

extension ScriptCommand {
  /// The calls that it needs whatever the input is, without those that are mistakes.
  var listedCalls: [Plan.Call] { listedNeeds.compactMap { try? call(for: $0, as: .needed) } }
}
