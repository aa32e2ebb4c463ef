import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// New starts of services, with the present definition.
extension HubHolder {
  /// The wait for the end of a service by those who go on with its next run.
  struct Move {
    /// The variables that the next run begins with.
    var caller: CallerEnvironment
    /// What it needs, which goes on meanwhile.
    let needed: [HubInterpreters.Service]
    /// The uses of these.
    let uses: CompoundDisposable
    /// True if the end is part of a restart.
    var isOrdered = false
  }

  /// A service that can be started again.
  struct Restartable {
    let key: ServiceKey
    let command: ScriptCommand
    let input: LuaValue
    let state: ServiceState
    let isUsed: Bool
    /// What the latest interpreter has in its place; nil if that runs it, or has none.
    let heir: HubInterpreters.Service?

    /// The definition with which it is started again.
    var next: ScriptCommand { heir?.command ?? command }
    /// True if it does not run.
    var isOver: Bool { state.isOver }
  }

  /// The services of a name that run, are used, or have failed.
  func restartable(_ name: ServiceName) -> [Restartable] {
    services.compactMap { command, input, status in
      let key = ServiceKey(command, input)
      guard name.covers(key) else { return nil }
      let isUsed = !uses(of: key).isEmpty
      guard status.state != .down || isUsed else { return nil }
      return Restartable(
        key: key, command: command, input: input, state: status.state, isUsed: isUsed,
        heir: command.host === interpreters.latest ? nil : interpreters.heir(of: key))
    }
  }

  /// Why a service that runs cannot be started again with its present definition, as a sentence; nil if it
  /// can.
  ///
  /// - Parameter caller: the variables that it would begin with.
  func lack(of service: Restartable, for caller: CallerEnvironment) -> String? {
    if let lack = interpreters.lack(of: service.key) { return lack }
    guard !service.isOver, service.state != .ending else { return nil }
    return service.next.host.serving(caller) {
      do throws(Failure) {
        try service.next.checkSurroundings()
        return nil
      } catch { return error.message }
    }
  }

  func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ done: @escaping (Result<Bool, any Error>) -> Void
  ) {
    let key = ServiceKey(command, input)
    let up = restartable(ServiceName(key)).first { $0.key == key && !$0.isOver }
    guard let up else {
      return done(.success(false))
    }
    let use = restart(up, for: caller) { _ in }
    done(.success(true))
    use.dispose()
  }

  /// Starts a service again, with the present definition, and uses it.
  ///
  /// - Parameters:
  ///   - caller: the variables that it begins with.
  ///   - observer: receives the status from the new start on.
  func restart(
    _ service: Restartable, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    spare(service.key, of: service.command)
    if service.isOver {
      let (command, input) = service.heir ?? (service.command, service.input)
      // It starts the service, to which the others are brought.
      return use(command, input, for: caller, observer)
    }
    var isOrdered = false
    let use = use(service.command, service.input, for: caller) { if isOrdered { observer($0) } }
    isOrdered = true
    if service.heir != nil || service.state == .ending {
      move(service.key, from: (service.command, service.input), for: caller)
    } else {
      let needed = interpreters.running(service.command.namesOfAllNeeded)
      restart(service.command, service.input, for: caller, keeping: needed) {
        service.command.host.ownServices.restart(service.command, service.input, for: caller)
      }
    }
    return use
  }

  /// Ends a service, and lets its users go on with the definition that is the latest once it has ended.
  private func move(
    _ key: ServiceKey, from old: HubInterpreters.Service, for caller: CallerEnvironment
  ) {
    moves[key]?.caller = caller
    guard moves[key]?.isOrdered != true else { return }
    awaitEnd(of: old, for: caller)
    moves[key]?.isOrdered = true
    let users = uses(of: key)
    for use in users { use.wait(as: .restarting, of: users.count) }
    old.command.host.ownServices.end(old.command, old.input, because: "it is restarting")
  }

  /// Lets those who use a service from now on wait until it has ended. The services that it needs go on
  /// meanwhile.
  ///
  /// - Parameter caller: the variables that its next run begins with.
  func awaitEnd(of service: HubInterpreters.Service, for caller: CallerEnvironment) {
    let key = ServiceKey(service.command, service.input)
    guard moves[key] == nil else { return }
    let needed = interpreters.running(service.command.namesOfAllNeeded).filter { !isLeaving($0) }
    let move = Move(caller: caller, needed: needed, uses: CompoundDisposable())
    moves[key] = move
    for (command, input) in needed { move.uses.add(use(command, input, for: caller) { _ in }) }
  }

  /// Lets those go on who have waited for an end that has come, or that was overridden.
  func finishMoves() {
    for key in moves.keys.sorted(by: { $0.name < $1.name }) {
      if let running = interpreters.running(key), isLeaving(running) { continue }
      guard let move = moves.removeValue(forKey: key) else { continue }
      finish(move, of: key)
      move.uses.dispose()
      records.onChange()
    }
  }

  /// Lets the users of a service go on, or tells them why they cannot.
  private func finish(_ move: Move, of key: ServiceKey) {
    for use in uses(of: key) {
      if let reason = use.lossReason { use.end(.down, because: reason) }
    }
    let users = uses(of: key)
    guard users.contains(where: \.isWaiting) else { return }
    guard let next = interpreters.running(key) ?? interpreters.heir(of: key) else {
      for use in users where use.isWaiting {
        use.end(.failed, because: "the command file no longer defines it")
      }
      return release(key)
    }
    for use in users where use.isWaiting || use.host !== next.command.host {
      change(use, to: next, for: move.caller)
    }
    // What has ended since stays as it is; its interpreter may have been closed.
    let up = move.needed.filter { interpreters.running(ServiceKey($0.command, $0.input)) != nil }
    keep(up, untilStarted: next.command, next.input, for: move.caller)
  }
}
