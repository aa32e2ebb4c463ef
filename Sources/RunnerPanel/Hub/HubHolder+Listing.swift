import EventLoop
import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension HubHolder {
  /// The services that have been used, each once: of whichever interpreter runs it, or has run it last.
  var services: [(command: ScriptCommand, input: LuaValue, status: ServiceStatus)] {
    interpreters.services.filter { command, input, status in
      guard status.state.isOver else { return true }
      let key = ServiceKey(command, input)
      return interpreters.running(key) == nil
        && records.host(of: key).map { $0 === command.host }
          ?? (command.host === interpreters.latest)
    }
  }

  /// The services that run, are used or held, or have failed.
  var faces: [ServiceFace] {
    services.compactMap { command, input, status in
      let key = ServiceKey(command, input)
      return status.state != .down || isHeld(key) || !uses(of: key).isEmpty ? key.face : nil
    }
  }

  /// What somebody who begins to use a service is told if it runs with an earlier definition, or with other
  /// variables that it depends on.
  func remarks(
    toUserOf command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment
  ) -> [(String, JSONValue)] {
    let key = ServiceKey(command, input)
    guard let running = interpreters.running(key), !isLeaving(running) else { return [] }
    guard interpreters.isOutdated(running.command) else {
      let own = running.command.host.ownServices.caller(of: running.command, running.input)
      let names = own.map { command.variables(of: caller, differingFrom: $0) } ?? []
      return names.isEmpty ? [] : [("differing", .list(names.map { .string($0) }))]
    }
    let isCommand = { [interpreters] name in
      interpreters.hosts.contains { $0.command(named: name) != nil }
    }
    let users = uses(of: key).map { Secrets.masked($0.user.text(isCommand)) }.sorted()
    return [
      ("outdated", .bool(true)), ("held_by", .list(users.map { .string($0) })),
    ]
  }

  /// The services that run, are used or held, or have failed.
  var json: [JSONValue] {
    services.compactMap { command, input, status in
      let key = ServiceKey(command, input)
      var status = status
      status.users += uses(of: key).count { $0.isWaiting && $0.inner == nil }
      guard status.state != .down || isHeld(key) else { return nil }
      var fields = key.face.fields + status.fields
      if let pid = status.pid {
        let ports = PortOwner.ports(of: [pid]).sorted()
        fields.append(("ports", .list(ports.map { .integer(Int64($0)) })))
      }
      if let began = status.began {
        let uptime = max(0, WallClock.milliseconds - began)
        fields.append(("uptime", .number(Double(uptime) / 1_000)))
      }
      if command.service?.canBeReady == false { fields.append(("probed", .bool(false))) }
      if isHeld(key) { fields.append(("held", .bool(true))) }
      if !status.state.isOver, interpreters.isOutdated(command) {
        fields.append(("outdated", .bool(true)))
        if let lack = interpreters.lack(of: key) { fields.append(("lack", .string(lack))) }
      }
      return .object(fields)
    }
  }
}

extension ServiceFace {
  fileprivate var fields: [(String, JSONValue)] {
    [("name", .string(command))]
      + (input.map { [("input", .raw($0)), ("id", .string(id))] } ?? [])
  }
}

extension HubInheritance.Held {
  /// The service; without its input if that holds a secret.
  var key: ServiceKey { ServiceKey(name, input: input ?? "") }

  /// The service as it is listed while it cannot be held again.
  var json: JSONValue {
    var fields = key.face.fields
    var status = ServiceStatus(.down, since: WallClock.milliseconds)
    status.failure = "it is brought up again once the command file loads"
    fields += status.fields
    return .object(fields + [("held", .bool(true))])
  }
}
