import LuaRuntime
import Scripting

/// Ends of services that somebody has no more patience with.
extension HubHolder {
  /// An order to kill services.
  struct Killing {
    /// The names of their commands; nil for all.
    let names: Set<String>?
    let sparesUsed: Bool
  }

  /// Kills services that are being ended, and those that they need once these are.
  ///
  /// - Parameters:
  ///   - names: the names of their commands; nil for all.
  ///   - unlessUsed: true to spare those that somebody uses.
  func kill(_ names: Set<String>?, unlessUsed: Bool) {
    let commands = interpreters.services.map(\.command).filter { names?.contains($0.name) ?? true }
    let all = names.map { names in
      commands.reduce(into: names) { $0.formUnion($1.namesOfAllNeeded) }
    }
    killings.append(Killing(names: all, sparesUsed: unlessUsed))
    proceedWithEndings()
  }

  /// Kills those that are being ended now.
  func killThoseDue() {
    guard isEnding else { return killings = [] }
    for (command, input, status) in interpreters.services where status.state == .ending {
      let isDue = killings.contains { killing in
        (killing.names?.contains(command.name) ?? true)
          && !(killing.sparesUsed && status.users > 0)
      }
      if isDue { command.host.ownServices.kill(command, input) }
    }
  }

  var namesOfEnding: [String] {
    interpreters.services.filter { $0.status.state == .ending }.map(\.command.name)
  }

  func kill(_ done: @escaping () -> Void) {
    kill(nil, unlessUsed: true)
    done()
  }
}
