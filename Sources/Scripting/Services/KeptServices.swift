import LuaRuntime

/// The services that a repeated run goes on to use between its rounds: each from the end of the use of one
/// round to the beginning of that of the next, unless its definition or its files of variables have changed
/// since. Confined to the loop's thread.
package final class KeptServices {
  private struct Kept {
    let call: Plan.Call
    let use: ServiceUse
  }

  private struct Key: Hashable {
    let name: String
    /// The input as JSON.
    let input: String
  }

  /// The interpreter whose services they are.
  private var host: ScriptHost
  private var kept: [Key: Kept] = [:]
  private var isOver = false
  /// True if the use of a service that a round executes itself is kept, too, when the round ends: a changed
  /// command file, which may not load, ends it.
  package var keepsVisits = false

  /// Keeps nothing yet.
  ///
  /// - Parameter host: the interpreter of the rounds.
  package init(_ host: ScriptHost) {
    self.host = host
    host.keptServices = self
  }

  /// Begins the use of a service by a round. It replaces the one that is kept.
  func begin(_ call: Plan.Call, _ begin: () -> ServiceUse) -> ServiceUse {
    let (earlier, variables) = release(call)
    let use = begin()
    use.variables = variables
    use.replace(earlier)
    return use
  }

  /// Gives up the use of a service to another one, which ends it once it has begun. If the files of variables
  /// set others since it has begun, it is ended before.
  ///
  /// - Returns: the use, and what the files set now.
  func release(_ call: Plan.Call) -> (use: ServiceUse?, variables: [StoredExecution.Part]?) {
    let variables = call.command.variablesOfFiles
    let use = kept.removeValue(forKey: Self.key(call))?.use
    guard let use, use.variables != variables else { return (use, variables) }
    use.end()
    return (nil, variables)
  }

  /// Takes the use of a service that a round uses no longer.
  func keep(_ use: ServiceUse, of call: Plan.Call) {
    guard !isOver, call.command.host === host, !use.isOver else { return use.end() }
    use.isKept()
    let earlier = kept.updateValue(Kept(call: call, use: use), forKey: Self.key(call))
    earlier?.use.end()
  }

  /// Ends the uses of services that are no steps of the plan of the next rounds.
  package func keepOnly(_ plan: Plan) {
    let steps = Set(plan.steps.lazy.map(\.call).filter(\.command.isService).map(Self.key))
    for key in kept.keys where !steps.contains(key) { kept.removeValue(forKey: key)?.use.end() }
  }

  /// Goes on with the services of another interpreter, where these are defined as before. The other ones are
  /// ended.
  package func move(to host: ScriptHost) {
    self.host = host
    host.keptServices = self
    keepsVisits = false
    let earlier = kept
    kept = [:]
    for (key, service) in earlier {
      if let call = call(key, for: service) {
        let use = ServiceUse.begin(call, for: host.environment) { _ in }
        use.variables = service.use.variables
        use.replace(service.use)
        kept[key] = Kept(call: call, use: use)
      } else {
        service.use.end()
      }
    }
  }

  /// True if nothing is left of the uses of an earlier interpreter.
  package var hasMoved: Bool { kept.values.allSatisfy(\.use.hasReplaced) }

  /// The call of a service in the present interpreter, if that defines it as before.
  private func call(_ key: Key, for service: Kept) -> Plan.Call? {
    guard !service.use.hasEnded, let command = host.command(named: key.name), command.isService,
      command.isDefined(as: service.call.command),
      command.usesServices(definedAsThoseOf: service.call.command),
      command.variablesOfFiles == service.use.variables,
      let value = key.input.isEmpty ? .nil : try? host.value(json: key.input),
      let input = try? command.checked(value)
    else { return nil }
    return Plan.Call(command, input)
  }

  /// Ends all uses: there are no more rounds.
  package func end() {
    isOver = true
    for service in kept.values { service.use.end() }
    kept = [:]
  }

  private static func key(_ call: Plan.Call) -> Key {
    let json = call.input.isNil ? nil : try? call.command.host.jsonValue(call.input)
    return Key(name: call.command.name, input: json?.canonical.text ?? "")
  }
}

extension ScriptCommand {
  /// Returns true if all services that it needs, directly or not, are defined as those of another command.
  fileprivate func usesServices(definedAsThoseOf other: ScriptCommand) -> Bool {
    let services = { (command: ScriptCommand) in
      command.namesOfAllNeeded.compactMap(command.host.command).filter(\.isService)
    }
    let (own, others) = (services(self), services(other))
    return Set(own.map(\.name)) == Set(others.map(\.name))
      && own.allSatisfy { service in
        others.contains { $0.name == service.name && service.isDefined(as: $0) }
      }
  }

  /// The variables that its files set now; nil if these cannot be read.
  fileprivate var variablesOfFiles: [StoredExecution.Part]? {
    try? description.environment.definitionParts(for: host.environment)
  }
}
