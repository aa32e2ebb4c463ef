import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// The services of a hub: each is run by the interpreter that has started it, whichever one asks for it,
/// so that there is no second copy beside one with an earlier definition. On the loop's thread.
final class HubHolder: ServiceProvider {
  private(set) var interpreters = HubInterpreters()
  let records: ServiceRecords
  private var uses: [ObjectIdentifier: Use] = [:]
  /// Those who follow services without using them.
  private let followers = ServiceFollowers()
  /// The clients that learn of the restarts of what their services need.
  private(set) lazy var neededRestarts = NeededRestarts(self)
  /// The uses that last until `down`.
  private var holds: [ServiceKey: any Disposable] = [:]
  private(set) var endings: [ServiceEndings] = []
  /// The orders to kill services, each until these have ended.
  var killings: [Killing] = []
  /// The services whose end is awaited by those who use them next, with the definition that is the
  /// latest then.
  var moves: [ServiceKey: Move] = [:]

  /// One use, which follows its service to another interpreter.
  final class Use {
    let key: ServiceKey
    let user: ServiceUser
    /// The variables that the service begins with if this use starts it.
    let caller: CallerEnvironment
    let observer: (ServiceStatus) -> Void
    var inner: (any Disposable)?
    /// The interpreter whose service it uses.
    var host: ScriptHost?
    /// Which of the services that it has used counts.
    var generation = 0
    /// True while it waits for the end of what it has used.
    private(set) var isWaiting = false
    /// Why it does not go on then; nil if it does.
    var lossReason: String?

    init(
      _ key: ServiceKey, by user: ServiceUser, for caller: CallerEnvironment,
      _ observer: @escaping (ServiceStatus) -> Void
    ) {
      (self.key, self.user, self.caller, self.observer) = (key, user, caller, observer)
    }

    /// Lets it wait for a new start, and hear nothing of the service that it uses until then.
    ///
    /// - Parameters:
    ///   - state: the state that it is told meanwhile.
    ///   - users: the number of those who wait with it.
    func wait(as state: ServiceState, of users: Int) {
      (isWaiting, lossReason) = (true, nil)
      generation += 1
      var status = ServiceStatus(state, since: WallClock.milliseconds)
      status.users = users
      observer(status)
    }

    /// Lets it use a service from now on.
    ///
    /// - Returns: the generation by which it knows what it hears of that service.
    func begin(with host: ScriptHost) -> Int {
      (isWaiting, lossReason) = (false, nil)
      self.host = host
      generation += 1
      return generation
    }

    /// Ends what it uses, until somebody starts the service again.
    func end(_ state: ServiceState, because reason: String) {
      var status = ServiceStatus(state, since: WallClock.milliseconds)
      status.failure = reason
      (isWaiting, lossReason) = (false, nil)
      inner?.dispose()
      (inner, host) = (nil, nil)
      observer(status)
    }
  }

  /// - Parameter outputs: the beginning of the paths of what services print.
  init(outputs: String) { records = ServiceRecords(outputs: outputs) }

  /// Takes an interpreter whose commands are used from now on.
  func add(_ host: ScriptHost) {
    interpreters.add(host)
    host.add(neededRestarts)
  }

  /// Forgets an interpreter that was closed.
  func remove(_ host: ScriptHost) {
    interpreters.remove(host)
    records.leave(host)
    followers.leave(host) { interpreters.running($0) ?? interpreters.heir(of: $0) }
  }

  // MARK: Uses

  func use(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable { use(command, input, by: .work, for: caller, observer) }

  /// Begins a use for a user of the hub.
  func use(
    _ command: ScriptCommand, _ input: LuaValue, by user: ServiceUser,
    for caller: CallerEnvironment, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let use = Use(ServiceKey(command, input), by: user, for: caller, observer)
    uses[ObjectIdentifier(use)] = use
    let running = interpreters.running(use.key)
    if let running, isLeaving(running) { awaitEnd(of: running, for: caller) }
    if let move = moves[use.key] {
      use.wait(as: move.isOrdered ? .restarting : .ending, of: uses(of: use.key).count)
    } else {
      begin(use, running ?? (command, input), for: caller)
      if running == nil { bring(to: (command, input), use.key) }
    }
    return ActionDisposable(
      onLoop { [weak self] in
        use.generation += 1
        self?.uses[ObjectIdentifier(use)] = nil
        use.inner?.dispose()
        self?.records.onChange()
      })
  }

  private func begin(
    _ use: Use, _ service: HubInterpreters.Service, for caller: CallerEnvironment
  ) {
    let (command, input) = service
    records.follow(use.key, command, input)
    let generation = use.begin(with: command.host)
    let services = command.host.ownServices
    use.inner = services.use(command, input, for: caller) { [weak self, weak use] status in
      guard let use, use.generation == generation else { return }
      use.observer(status)
      self?.records.onChange()
    }
    followers.move(use.key, to: service)
  }

  /// Brings those to a service that is started who have stayed since it ended, if that was in an earlier
  /// interpreter.
  private func bring(to service: HubInterpreters.Service, _ key: ServiceKey) {
    for use in uses(of: key) where use.host !== service.command.host {
      change(use, to: service, for: use.caller)
    }
  }

  /// Lets a use go on with another definition.
  ///
  /// - Parameter caller: the variables that the service begins with if this starts it.
  func change(_ use: Use, to service: HubInterpreters.Service, for caller: CallerEnvironment) {
    let earlier = use.inner
    begin(use, service, for: caller)
    earlier?.dispose()
  }

  /// The present uses of a service.
  func uses(of key: ServiceKey) -> [Use] { uses.values.filter { $0.key == key } }

  /// True if a client uses a service itself.
  func isUsed(_ key: ServiceKey, by process: pid_t?) -> Bool {
    guard let process else { return false }
    return uses(of: key).contains { if case .client(process) = $0.user { true } else { false } }
  }

  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    followers.add(ServiceKey(command, input), at: running(command, input)) { command, input in
      command.host.ownServices.watch(command, input, observer)
    }
  }

  func output(
    of command: ScriptCommand, _ input: LuaValue, _ receive: @escaping (ServiceLine) -> Void
  ) -> any Disposable {
    followers.add(ServiceKey(command, input), at: running(command, input)) { command, input in
      command.host.ownServices.output(of: command, input, receive)
    }
  }

  /// The service where it runs, or would be started.
  func running(_ command: ScriptCommand, _ input: LuaValue) -> HubInterpreters.Service {
    interpreters.running(ServiceKey(command, input)) ?? (command, input)
  }

  // MARK: Holds

  /// Holds a service until `down`.
  ///
  /// - Parameter caller: the variables that it begins with if this starts it.
  func hold(_ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment) {
    let key = ServiceKey(command, input)
    let earlier = holds[key]
    holds[key] = use(command, input, by: .hold, for: caller) { _ in }
    earlier?.dispose()
  }

  /// Holds a service no longer.
  func release(_ key: ServiceKey) { holds.removeValue(forKey: key)?.dispose() }

  func isHeld(_ key: ServiceKey) -> Bool { holds[key] != nil }

  /// The services that are held, as a successor can hold them.
  var held: Set<HubInheritance.Held> {
    Set(
      holds.keys.map { key in
        let isSecret = key.shownInput.map { $0 != key.input } ?? false
        return HubInheritance.Held(key.name, input: isSecret ? nil : key.input)
      })
  }

  // MARK: Ending

  /// Ends services although they may have users, who learn why; those that need others before these.
  ///
  /// - Parameters:
  ///   - names: those of the services; nil for all.
  ///   - reason: the end of a sentence: `it was ended by 'raclette down'`.
  /// - Returns: the ends, for those that ran.
  func end(_ names: Set<ServiceName>?, because reason: String) -> ServiceEndings {
    for use in uses.values where use.isWaiting && names.covers(use.key) { use.lossReason = reason }
    let known = interpreters.hosts.reversed().flatMap { host in
      host.ownServices.all.reversed().filter { names.covers(ServiceKey($0.command, $0.input)) }
    }
    let ending = ServiceEndings(known, because: reason)
    endings.append(ending)
    proceedWithEndings()
    for (command, input, _) in known { release(ServiceKey(command, input)) }
    return ending
  }

  /// Ends what has waited for the end of others, and lets those go on who have waited for an end.
  func proceedWithEndings() {
    for ending in endings { ending.proceed() }
    endings.removeAll(where: \.isDone)
    killThoseDue()
    finishMoves()
    records.leaveThoseDown { !uses(of: $0).isEmpty }
  }

  /// True if a service that runs is being ended, or is going to once others have ended.
  func isLeaving(_ service: HubInterpreters.Service) -> Bool {
    service.command.host.ownServices.status(of: service.command, service.input).state == .ending
      || endings.contains { $0.awaitsEnd(of: service) }
  }

  /// Why a service has ended, or is going to, as the end of a sentence; nil if it runs, or is started again.
  func reasonOfEnd(of command: ScriptCommand, _ input: LuaValue) -> String? {
    let key = ServiceKey(command, input)
    guard let running = interpreters.running(key) else {
      let last = services.first { ServiceKey($0.command, $0.input) == key }
      return last?.status.failure ?? "it has ended"
    }
    if let ending = endings.first(where: { $0.awaitsEnd(of: running) }) { return ending.reason }
    let status = running.command.host.ownServices.status(of: running.command, running.input)
    guard status.state == .ending, moves[key]?.isOrdered != true else { return nil }
    return status.failure ?? "it is being ended"
  }

  /// Takes a service and those that it needs out of the pending ends, because a later order to start it
  /// again overrides them.
  func spare(_ key: ServiceKey, of command: ScriptCommand) {
    let needed = command.namesOfAllNeeded.map { ServiceName($0, input: nil) }
    let names: Set? = Set(needed + [ServiceName(key)])
    for use in uses.values where names.covers(use.key) { use.lossReason = nil }
    for ending in endings { ending.spare(names) }
    endings.removeAll(where: \.isDone)
    records.onChange()
  }

  /// Ends each service as soon as it has no users: the hub ends.
  func close() {
    for hold in holds.values { hold.dispose() }
    holds = [:]
    for host in interpreters.hosts { host.ownServices.close() }
  }

  // MARK: Answers

  /// True if a service is being ended, or its users are about to hear of its end.
  var isEnding: Bool {
    !endings.isEmpty || !moves.isEmpty
      || interpreters.services.contains { $0.status.state == .ending }
  }

  /// True if a service runs, is going to, or is used.
  var isBusy: Bool { !uses.isEmpty || interpreters.hosts.contains { $0.ownServices.isBusy } }

  /// True if a service has failed since a time, in milliseconds since 1970.
  func hasFailures(since time: Int64) -> Bool {
    interpreters.services.contains { $0.status.state == .failed && $0.status.since >= time }
  }
}
