import LuaRuntime
import Reactive
import RunnerCore
import Scripting

extension HubHolder {
  /// Finds out how a service that somebody begins to use, and those that it needs, differ from what would be
  /// started now.
  ///
  /// - Parameter done: called once unless `asking` is disposed before, perhaps inside this call.
  func remarks(
    toUserOf command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    in asking: CompoundDisposable, _ done: @escaping ([ServiceRemark]) -> Void
  ) {
    let running = tree(of: ServiceKey(command, input), for: caller).running
    var found = [[ServiceRemark]](repeating: [], count: running.count)
    var left = running.count
    guard left > 0 else { return done([]) }
    for (index, (key, service)) in running.enumerated() {
      let services = service.command.host.ownServices
      let process = Int64(services.status(of: service.command, service.input).pid ?? 0)
      let isFirst = index == 0
      let remark = { ServiceRemark(key.text, process, $0) }
      found[index] = differences(of: service, key, for: isFirst ? caller : nil).map(remark)
      askStaleNeeds(of: service, key, for: caller, in: asking) { needs in
        if !needs.isEmpty { found[index].append(remark(.needs(needs))) }
        left -= 1
        if left == 0 { done(found.flatMap { $0 }) }
      }
    }
  }

  /// The services that run among one and those that it needs, also through others; and the keys of all
  /// of them.
  func tree(
    of root: ServiceKey, for caller: CallerEnvironment
  ) -> (running: [(key: ServiceKey, service: HubInterpreters.Service)], keys: Set<ServiceKey>) {
    var running: [(key: ServiceKey, service: HubInterpreters.Service)] = []
    var keys: Set<ServiceKey> = []
    var left = [root]
    while let key = left.popLast() {
      guard keys.insert(key).inserted, let service = interpreters.running(key), !isLeaving(service)
      else { continue }
      running.append((key, service))
      let call = Plan.Call(service.command, service.input)
      let plan = service.command.host.serving(caller) { try? Plan(needsOf: call) }
      let needed = plan?.steps.map(\.call).filter(\.command.isService) ?? []
      left += needed.map { ServiceKey($0.command, $0.input) }
    }
    return (running, keys)
  }

  /// How a running service differs in its definition and its variables.
  ///
  /// - Parameter caller: the variables of its new user; nil if that is another service.
  private func differences(
    of service: HubInterpreters.Service, _ key: ServiceKey, for caller: CallerEnvironment?
  ) -> [ServiceRemark.Difference] {
    let (command, input) = service
    guard interpreters.isOutdated(command) else {
      let services = command.host.ownServices
      var names = services.basis(of: command, input)?.changedVariables(of: command) ?? []
      if let caller, let own = services.caller(of: command, input) {
        names += command.variables(of: caller, differingFrom: own)
      }
      return names.isEmpty ? [] : [.variables(Set(names).sorted())]
    }
    let isCommand = { [interpreters] name in
      interpreters.hosts.contains { $0.command(named: name) != nil }
    }
    let users = uses(of: key).map { Secrets.masked($0.user.text(isCommand)) }.sorted()
    return [.definition(users: users)]
  }

  /// Finds out which results that a service uses count no longer, by the present definitions.
  private func askStaleNeeds(
    of service: HubInterpreters.Service, _ key: ServiceKey, for caller: CallerEnvironment,
    in asking: CompoundDisposable, _ done: @escaping ([StaleNeed]) -> Void
  ) {
    let (command, input) = service
    // Another definition may have other needs.
    guard !interpreters.isOutdated(command),
      let basis = command.host.ownServices.basis(of: command, input),
      let heir = interpreters.heir(of: key)
    else { return done([]) }
    Plan.Call(heir.command, heir.input)
      .askStaleNeeds(since: basis, for: caller, in: asking, done)
  }
}
