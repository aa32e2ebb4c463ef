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
