import LuaRuntime
import Platform
import Reactive
import Scripting

/// New starts of services, with the present definition.
extension HubHolder {
  /// A service that can be started again.
  struct Restartable {
    let key: ServiceKey
    let command: ScriptCommand
    let input: LuaValue
    /// True if it does not run.
    let isOver: Bool
    let isUsed: Bool
  }

  /// The services of a name that run, are used, or have failed.
  func restartable(_ name: String) -> [Restartable] {
    var found: [ServiceKey: Restartable] = [:]
    var order: [ServiceKey] = []
    for (command, input, status) in interpreters.services where command.name == name {
      let key = ServiceKey(command, input)
      let isUsed = !uses(of: key).isEmpty
      guard status.state != .down || isUsed else { continue }
      // One that runs counts, of whichever interpreter it is.
      if found[key].map({ !$0.isOver }) == true, status.state.isOver { continue }
      if found[key] == nil { order.append(key) }
      found[key] = Restartable(
        key: key, command: command, input: input, isOver: status.state.isOver, isUsed: isUsed)
    }
    return order.compactMap { found[$0] }
  }

  func restart(
    _ command: ScriptCommand, _ input: LuaValue, _ done: @escaping (Result<Bool, any Error>) -> Void
  ) {
    let key = ServiceKey(command, input)
    guard let up = restartable(command.name).first(where: { $0.key == key && !$0.isOver }) else {
      return done(.success(false))
    }
    let use = restart(up) { _ in }
    done(.success(true))
    use.dispose()
  }

  /// Starts a service again, with the present definition, and uses it.
  ///
  /// - Parameter observer: receives the status from the new start on.
  func restart(
    _ service: Restartable, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let isLatest = service.command.host === interpreters.latest
    let heir = isLatest ? nil : interpreters.heir(of: service.key)
    if service.isOver {
      let (command, input) = heir ?? (service.command, service.input)
      for use in uses(of: service.key) { change(use, to: (command, input)) }
      return use(command, input, observer)
    }
    var isOrdered = false
    let use = use(service.command, service.input) { if isOrdered { observer($0) } }
    isOrdered = true
    if heir != nil {
      move(service.key, from: (service.command, service.input))
    } else {
      let needed = interpreters.running(service.command.namesOfAllNeeded)
      restart(service.command, service.input, keeping: needed) {
        service.command.host.ownServices.restart(service.command, service.input)
      }
    }
    return use
  }

  /// Ends a service, and lets its users go on with the definition that is the latest once it has ended.
  /// The services that it needs go on meanwhile.
  private func move(_ key: ServiceKey, from old: HubInterpreters.Service) {
    // It takes the definition that is the latest then.
    guard moving.insert(key).inserted else { return }
    let needed = interpreters.running(old.command.namesOfAllNeeded)
    let services = old.command.host.ownServices
    let waiting = uses(of: key)
    for use in waiting { use.wait(of: waiting.count) }
    let watching = CompoundDisposable()
    for (command, input) in needed { watching.add(use(command, input) { _ in }) }
    let following = services.watch(old.command, old.input) { [weak self] status in
      guard let self, status.state.isOver, !watching.isDisposed else { return }
      interpreters.latest?.scheduler.enqueue(
        onLoop { [self] in
          guard !watching.isDisposed else { return }
          moving.remove(key)
          let users = uses(of: key)
          // The interpreter of an earlier definition may have been closed in between.
          if let new = interpreters.heir(of: key) {
            for use in users { change(use, to: new) }
            keep(needed, untilStarted: new.command, new.input)
          } else {
            for use in users { abandon(use) }
            release(key)
          }
          watching.dispose()
          records.onChange()
        })
    }
    watching.add(following)
    services.end(old.command, old.input, because: "it is started again")
  }

  /// Lets a use fail: nothing defines its service any more.
  private func abandon(_ use: Use) {
    var status = ServiceStatus(.failed, since: WallClock.milliseconds)
    status.failure = "the command file no longer defines it"
    use.inner?.dispose()
    use.observer(status)
  }
}
