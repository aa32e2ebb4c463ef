import LuaRuntime
import Scripting

/// What people are told of the services that they wait for. The end of one is the failure of its users,
/// unless they wait for it.
struct ServiceNews {
  /// The services that were said to be started again, until they are.
  private var startedAgain: Set<String> = []

  /// Returns the news of a status as a sentence without its period; nil if there is none.
  ///
  /// - Parameter name: the service, with its input if it has one.
  mutating func text(
    _ status: ServiceStatus, of command: ScriptCommand, named name: String
  ) -> String? {
    let why = status.failure.map { ": \($0)" } ?? ""
    switch status.state {
    // That it is started again was said.
    case .starting where startedAgain.remove(name) != nil: return nil
    case .starting where command.service?.canBeReady == false:
      return "\(name) is starting; without 'ready', Raclette cannot detect when it is ready"
    case .starting: return "\(name) is starting"
    case .ready: return "\(name) is ready"
    case .unready: return "\(name) is no longer ready: \(status.probe ?? "")"
    case .restarting:
      startedAgain.insert(name)
      return "\(name) is restarting\(why)"
    case .failed where command.service?.waitsWhenLost == true: return "\(name) has failed\(why)"
    case .down where command.service?.waitsWhenLost == true: return "\(name) has ended\(why)"
    case .ending, .failed, .down: return nil
    }
  }
}

/// Reports the services that a call without a run waits for. On the loop's thread.
package final class ServiceNewsObserver: HostObserver {
  private let host: ScriptHost
  private let report: Report
  private var news = ServiceNews()

  package init(_ host: ScriptHost, _ report: Report) { (self.host, self.report) = (host, report) }

  package func hostServiceChanged(
    _ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus
  ) {
    let name = host.call(of: command.name, input).visibleInLine
    if let text = news.text(status, of: command, named: name) { report.say(text) }
  }
}
