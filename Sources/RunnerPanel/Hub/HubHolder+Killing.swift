import LuaRuntime
import RunnerCore
import Scripting

/// Ends of services that somebody has no more patience with.
extension HubHolder {
  /// An order to kill services.
  struct Killing {
    /// Those of the services; nil for all.
    let names: Set<ServiceName>?
    let sparesUsed: Bool
  }

  /// Kills services that are being ended, and those that they need once these are.
  ///
  /// - Parameters:
  ///   - names: those of the services; nil for all.
  ///   - unlessUsed: true to spare those that somebody uses.
  func kill(_ names: Set<ServiceName>?, unlessUsed: Bool) {
    let meant = interpreters.services.filter { names.covers(ServiceKey($0.command, $0.input)) }
    let needed = meant.flatMap(\.command.namesOfAllNeeded).map { ServiceName($0, input: nil) }
    let all = names.map { $0.union(needed) }
    killings.append(Killing(names: all, sparesUsed: unlessUsed))
    proceedWithEndings()
  }

  /// Kills those that are being ended now.
  func killThoseDue() {
    guard isEnding else { return killings = [] }
    for (command, input, status) in interpreters.services where status.state == .ending {
      let isDue = killings.contains { killing in
        killing.names.covers(ServiceKey(command, input))
          && !(killing.sparesUsed && status.users > 0)
      }
      if isDue { command.host.ownServices.kill(command, input) }
    }
  }

  var namesOfEnding: [String] {
    interpreters.services.filter { $0.status.state == .ending }.map {
      ServiceKey($0.command, $0.input).text
    }
  }

  func kill(_ done: @escaping () -> Void) {
    kill(nil, unlessUsed: true)
    done()
  }
}
