import LuaRuntime
import RunnerCore
import Scripting

/// The interpreters of a hub, one for each version of the command file that something still runs of, and
/// the services that they run.
struct HubInterpreters {
  typealias Service = (command: ScriptCommand, input: LuaValue)

  /// The latest one is the last.
  private(set) var hosts: [ScriptHost] = []

  var latest: ScriptHost? { hosts.last }

  /// Takes an interpreter whose commands are used from now on.
  mutating func add(_ host: ScriptHost) { hosts.append(host) }

  /// Forgets an interpreter that was closed.
  mutating func remove(_ host: ScriptHost) { hosts.removeAll { $0 === host } }

  /// The services that have been used, those of earlier interpreters first.
  var services: [(command: ScriptCommand, input: LuaValue, status: ServiceStatus)] {
    hosts.flatMap(\.ownServices.all)
  }

  /// The service that runs now, by whichever interpreter.
  func running(_ key: ServiceKey) -> Service? {
    for host in hosts.reversed() {
      for (command, input, status) in host.ownServices.all
      where command.name == key.name && !status.state.isOver && ServiceKey(command, input) == key {
        return (command, input)
      }
    }
    return nil
  }

  /// The services with some names that run now.
  func running(_ names: Set<String>) -> [Service] {
    services.compactMap { command, input, status in
      names.contains(command.name) && !status.state.isOver ? (command, input) : nil
    }
  }

  /// The command that has the name in the latest interpreter, if it takes the input.
  func heir(of key: ServiceKey) -> Service? {
    guard let host = latest, let command = host.command(named: key.name), command.isService
    else { return nil }
    let value = key.input.isEmpty ? LuaValue.nil : (try? host.value(json: key.input)) ?? .nil
    return (try? command.checked(value)).map { (command, $0) }
  }

  /// Why a service cannot be started with the latest definition, as a sentence; nil if it can.
  func lack(of key: ServiceKey) -> String? {
    guard let command = latest?.command(named: key.name), command.isService else {
      return "the command file no longer defines it"
    }
    return heir(of: key) == nil ? "its current definition does not accept its input" : nil
  }

  /// True if the latest interpreter defines a service otherwise, or no longer.
  func isOutdated(_ command: ScriptCommand) -> Bool {
    guard let latest, command.host !== latest else { return false }
    guard let heir = latest.command(named: command.name), heir.isService else { return true }
    return !heir.isDefined(as: command)
  }
}
