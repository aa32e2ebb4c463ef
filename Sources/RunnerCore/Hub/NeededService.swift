import LuaRuntime
import Scripting

/// A state of a service that the service which a client uses needs.
package struct NeededService: Sendable {
  package let key: ServiceKey
  package let status: ServiceStatus

  /// Makes one.
  package init(_ key: ServiceKey, _ status: ServiceStatus) {
    (self.key, self.status) = (key, status)
  }

  /// Reads what `json` has made; nil for something else.
  init?(_ json: JSONValue) {
    guard let needed = json[field: "needed"], let name = needed[field: "command"]?.string,
      let status = ServiceStatus(needed)
    else { return nil }
    self.init(ServiceKey(name, input: needed[field: "input"]?.text ?? ""), status)
  }

  /// The line in which a hub sends it.
  package var json: JSONValue {
    let input = JSONValue(text: key.input).map { [("input", $0)] } ?? []
    return .object([
      ("needed", .object([("command", .string(key.name))] + input + status.fields))
    ])
  }

  /// Reports it like a state of a service that this process uses itself, unless the process has loaded no
  /// such service.
  func report(in host: ScriptHost) {
    guard let command = host.command(named: key.name), command.isService else { return }
    let value = key.input.isEmpty ? LuaValue.nil : (try? host.value(json: key.input)) ?? .nil
    guard let input = try? command.checked(value) else { return }
    command.hideSecrets(of: input)
    host.note(status, of: Plan.Call(command, input))
  }
}
