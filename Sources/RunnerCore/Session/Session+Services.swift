import EventLoop
import LuaRuntime
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

  /// Returns a function that tells which services run that commands would use as they are. No hub is
  /// started for it.
  ///
  /// - Parameter file: the command file that was loaded.
  /// - Throws: `HubError`, `CommandFileError`.
  package func servicesUp(for file: String) throws -> (Plan.Call) -> Bool {
    guard host.commands.contains(where: \.isService), host.policy.limits.sandbox == nil,
      case let place = try HubPlace(ofLoaded: file), place.hasServer
    else { return { _ in false } }
    let listing = try HubListing(of: HubClient(place, on: loop, report), in: self)
    return { listing.isUsable(ServiceName(ServiceKey($0.command, $0.input))) }
  }
}
