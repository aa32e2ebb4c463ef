import EventLoop
import Scripting

extension Session {
  /// Who runs the services that commands need.
  package enum Services {
    /// The hub of a command file, which all processes of the program share.
    case hub(commandFile: String)
    case provided(any ServiceProvider)
    /// The session itself, for what has no command file.
    case own

    func provider(
      for policy: HostPolicy, _ loop: EventLoop, _ report: Report
    ) -> (any ServiceProvider)? {
      switch self {
      // What must not start processes must not have a hub start them.
      case .hub(let file):
        policy.limits.sandbox == nil ? HubServices(file, loop, report) : nil
      case .provided(let provider): provider
      case .own: nil
      }
    }
  }
}
