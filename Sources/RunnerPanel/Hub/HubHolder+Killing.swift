import LuaRuntime
import RunnerCore
import Scripting

/// Kills of services that are slow to end.
extension HubHolder {
  /// An order to kill services, each as soon as it is being ended.
  struct Killing {
    /// What the order applies to: a later run of the same service ends in the ordinary way.
    var ends: AwaitedEnds
    let sparesUsed: Bool
  }

  /// Kills services that are being ended, and those that they need once these are.
  ///
  /// - Parameters:
  ///   - names: those of the services; nil for all.
  ///   - unlessUsed: true to spare those that somebody uses.
  /// - Returns: the ends of these services.
  @discardableResult
  func kill(_ names: Set<ServiceName>?, unlessUsed: Bool) -> AwaitedEnds {
    let ends = ends(ofNames: names)
    killings.append(Killing(ends: ends, sparesUsed: unlessUsed))
    proceedWithEndings()
    return ends
  }

  /// Kills those that are being ended now.
  func killThoseDue() {
    killings = killings.compactMap { killing in
      var killing = killing
      killing.ends = killing.ends.left(in: self)
      for (command, input) in killing.ends.services {
        let status = command.host.ownServices.status(of: command, input)
        guard status.state == .ending, !(killing.sparesUsed && status.users > 0) else { continue }
        command.host.ownServices.kill(command, input)
      }
      return killing.ends.isOver ? nil : killing
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
