import LuaRuntime
import Platform
import Reactive
import Scripting

/// New starts of services, with the present definition.
extension HubHolder {
  /// The end of a service whose users go on with another definition.
  struct Move {
    /// Why they do not go on, as the end of a sentence; nil if they do.
    var end: String?
  }

  /// A service that can be started again.
  struct Restartable {
    let key: ServiceKey
    let command: ScriptCommand
    let input: LuaValue
    let state: ServiceState
    let isUsed: Bool

    /// True if it does not run.
    var isOver: Bool { state.isOver }
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
        key: key, command: command, input: input, state: status.state, isUsed: isUsed)
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
    spare(service.command)
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
    guard moves.updateValue(Move(), forKey: key) == nil else { return }
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
          finish(moves.removeValue(forKey: key), of: key, keeping: needed)
          watching.dispose()
          records.onChange()
        })
    }
    watching.add(following)
    services.end(old.command, old.input, because: "it is started again")
  }

  /// Lets the users of a service that has ended go on, or tells them why they cannot.
  private func finish(_ move: Move?, of key: ServiceKey, keeping needed: [HubInterpreters.Service])
  {
    let users = uses(of: key)
    if let reason = move?.end {
      for use in users { use.end(.down, because: reason) }
    } else if let new = interpreters.heir(of: key) {
      // The interpreter of an earlier definition may have been closed in between.
      for use in users { change(use, to: new) }
      // What has ended since stays as it is; its interpreter may have been closed.
      let up = needed.filter { interpreters.running(ServiceKey($0.command, $0.input)) != nil }
      keep(up, untilStarted: new.command, new.input)
    } else {
      for use in users { use.end(.failed, because: "the command file no longer defines it") }
      release(key)
    }
  }
}
