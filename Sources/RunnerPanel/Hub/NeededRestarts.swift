import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// The restarts of services that clients use only through others, which need them: these clients learn of
/// them like those that use the service itself. On the loop's thread.
final class NeededRestarts: HostObserver {
  /// A client that uses a service.
  private final class Listener {
    let key: ServiceKey
    let process: pid_t?
    let caller: CallerEnvironment
    let send: (NeededService) -> Void
    /// The services whose restarts it has learnt of, until they are ready or over.
    var restarting: Set<ServiceKey> = []

    init(
      _ key: ServiceKey, _ process: pid_t?, _ caller: CallerEnvironment,
      _ send: @escaping (NeededService) -> Void
    ) { (self.key, self.process, self.caller, self.send) = (key, process, caller, send) }
  }

  private unowned let holder: HubHolder
  private var listeners: [ObjectIdentifier: Listener] = [:]

  init(_ holder: HubHolder) { self.holder = holder }

  /// Adds a client that uses a service.
  ///
  /// - Returns: ends it.
  func add(
    _ key: ServiceKey, by process: pid_t?, for caller: CallerEnvironment,
    _ send: @escaping (NeededService) -> Void
  ) -> any Disposable {
    let listener = Listener(key, process, caller, send)
    listeners[ObjectIdentifier(listener)] = listener
    return ActionDisposable(
      onLoop { [weak self] in self?.listeners[ObjectIdentifier(listener)] = nil })
  }

  /// A service that work of the hub uses has come into another state.
  func hostServiceChanged(
    _ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus
  ) {
    guard !listeners.isEmpty else { return }
    let needed = NeededService(ServiceKey(command, input), status)
    // Not inside the report of the service: a function may return what a service needs.
    command.host.scheduler.enqueue(onLoop { [weak self] in self?.tell(needed) })
  }

  private func tell(_ needed: NeededService) {
    for listener in listeners.values where concerns(listener, needed) { listener.send(needed) }
  }

  private func concerns(_ listener: Listener, _ needed: NeededService) -> Bool {
    let key = needed.key
    switch needed.status.state {
    case .restarting:
      guard key != listener.key, !holder.isUsed(key, by: listener.process),
        holder.tree(of: listener.key, for: listener.caller).keys.contains(key)
      else { return false }
      listener.restarting.insert(key)
      return true
    case .starting, .unready, .ending: return listener.restarting.contains(key)
    case .ready, .failed, .down: return listener.restarting.remove(key) != nil
    }
  }
}
