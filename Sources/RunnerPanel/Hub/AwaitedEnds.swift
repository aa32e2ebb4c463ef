import LuaRuntime
import RunnerCore
import Scripting

/// The ends of services that are being ended, and of those that they need, which end after them unless
/// they have other users. On the loop's thread.
struct AwaitedEnds {
  /// Those that have not ended.
  let services: [HubInterpreters.Service]

  /// True if all have ended, or go on.
  var isOver: Bool { services.isEmpty }

  /// Those that have ended since and had to be killed.
  var killed: [KilledService] {
    services.compactMap { command, input in
      KilledService(
        ServiceKey(command, input), command.host.ownServices.status(of: command, input))
    }
  }

  /// What is left of them now: a service that was started again has ended, and one that goes on for
  /// others is not waited for.
  func left(in holder: HubHolder) -> AwaitedEnds {
    let ending = services.filter { holder.isLeaving($0) }
    let needed = ending.reduce(into: Set<String>()) { $0.formUnion($1.command.namesOfAllNeeded) }
    return AwaitedEnds(
      services: services.filter { service in
        holder.isLeaving(service)
          || needed.contains(service.command.name) && !holder.isOver(service)
      })
  }
}

extension HubHolder {
  /// The ends of services that are being ended now.
  ///
  /// - Parameter names: those of the services; nil for all.
  func ends(ofNames names: Set<ServiceName>?) -> AwaitedEnds {
    ends(
      of: interpreters.services.map { ($0.command, $0.input) }.filter { command, input in
        names.covers(ServiceKey(command, input))
      })
  }

  /// The ends of those services that are being ended now.
  func ends(of services: [HubInterpreters.Service]) -> AwaitedEnds {
    let needed = services.reduce(into: Set<String>()) { $0.formUnion($1.command.namesOfAllNeeded) }
    return AwaitedEnds(services: services + interpreters.running(needed)).left(in: self)
  }

  /// True if nothing of a service runs.
  func isOver(_ service: HubInterpreters.Service) -> Bool {
    service.command.host.ownServices.status(of: service.command, service.input).state.isOver
  }
}
