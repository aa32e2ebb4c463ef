import EventLoop
import Platform
import RunnerCore
import Scripting

extension HubHolder {
  /// The services that run, are held, or have failed.
  var json: JSONValue {
    .list(
      interpreters.services.compactMap { command, input, status in
        let key = ServiceKey(command, input)
        guard status.state != .down || isHeld(key) else { return nil }
        // Another interpreter has taken it over.
        if status.state.isOver, interpreters.running(key) != nil { return nil }
        var fields: [(String, JSONValue)] = [("name", .string(command.name))]
        if !key.inputText.isEmpty { fields.append(("input", .raw(key.input))) }
        fields += status.fields
        if let pid = status.pid {
          let ports = PortOwner.ports(of: [pid]).sorted()
          fields.append(("ports", .list(ports.map { .integer(Int64($0)) })))
          let uptime = records.start(of: key).map { max(0, WallClock.milliseconds - $0) } ?? 0
          fields.append(("uptime", .number(Double(uptime) / 1_000)))
        }
        if isHeld(key) { fields.append(("held", .bool(true))) }
        if interpreters.isOutdated(command) { fields.append(("outdated", .bool(true))) }
        return .object(fields)
      })
  }
}
