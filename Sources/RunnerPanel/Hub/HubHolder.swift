import EventLoop
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// The services of a hub: each is run by the interpreter that has started it, whichever one asks for it,
/// so that there is no second copy beside one with an earlier definition. On the loop's thread.
final class HubHolder: ServiceProvider {
  /// The interpreters, the latest one last.
  private var hosts: [ScriptHost] = []
  private var uses: [ObjectIdentifier: Use] = [:]
  /// The uses that last until `down`.
  private var holds: [Key: any Disposable] = [:]
  private var records:
    [Key: (record: ServiceRecord, host: ScriptHost, following: CompoundDisposable)] = [:]
  /// When each service was last started, in milliseconds since 1970.
  private var starts: [Key: Int64] = [:]
  private var endings: [ServiceEndings] = []
  private let outputs: String
  /// Called when a service may have come into another state.
  var onChange: () -> Void = {}
  /// Called when a service has come into another state.
  var onStatus: (Key, ServiceStatus) -> Void = { _, _ in }

  struct Key: Hashable {
    let name: String
    /// The input as JSON.
    let input: String

    /// The input behind the name; empty if there is none.
    var inputText: String { input.isEmpty || input == "{}" ? "" : " \(input)" }
  }

  /// One use, which follows its service to another interpreter.
  private final class Use {
    let key: Key
    let observer: (ServiceStatus) -> Void
    var inner: (any Disposable)?
    /// Which of the services that it has used counts.
    var generation = 0

    init(_ key: Key, _ observer: @escaping (ServiceStatus) -> Void) {
      (self.key, self.observer) = (key, observer)
    }
  }

  /// - Parameter outputs: the beginning of the paths of what services print.
  init(outputs: String) { self.outputs = outputs }

  /// Takes an interpreter whose commands are used from now on.
  func add(_ host: ScriptHost) { hosts.append(host) }

  /// Forgets an interpreter that was closed.
  func remove(_ host: ScriptHost) {
    hosts.removeAll { $0 === host }
    for (key, value) in records where value.host === host {
      value.following.dispose()
      records[key] = nil
    }
  }

  private func key(_ command: ScriptCommand, _ input: LuaValue) -> Key {
    Key(name: command.name, input: input.isNil ? "" : EventJSON.text(of: input, command.host))
  }

  /// The service that runs now, by whichever interpreter.
  private func running(_ key: Key) -> (command: ScriptCommand, input: LuaValue)? {
    for host in hosts.reversed() {
      for (command, input, status) in host.ownServices.all
      where command.name == key.name && !status.state.isOver && self.key(command, input) == key {
        return (command, input)
      }
    }
    return nil
  }

  // MARK: Uses

  func use(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let use = Use(key(command, input), observer)
    uses[ObjectIdentifier(use)] = use
    let (holder, its) = running(use.key) ?? (command, input)
    begin(use, holder, its)
    return ActionDisposable(
      onLoop { [weak self] in
        use.generation += 1
        self?.uses[ObjectIdentifier(use)] = nil
        use.inner?.dispose()
        self?.onChange()
      })
  }

  private func begin(_ use: Use, _ command: ScriptCommand, _ input: LuaValue) {
    record(use.key, command, input)
    use.generation += 1
    let generation = use.generation
    use.inner = command.host.ownServices.use(command, input) { [weak self, weak use] status in
      guard let use, use.generation == generation else { return }
      use.observer(status)
      self?.onChange()
    }
  }

  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let (holder, its) = running(key(command, input)) ?? (command, input)
    return holder.host.ownServices.watch(holder, its, observer)
  }

  func output(
    of command: ScriptCommand, _ input: LuaValue, _ receive: @escaping (ServiceLine) -> Void
  ) -> any Disposable {
    let (holder, its) = running(key(command, input)) ?? (command, input)
    return holder.host.ownServices.output(of: holder, its, receive)
  }

  private func record(_ key: Key, _ command: ScriptCommand, _ input: LuaValue) {
    if records[key]?.host === command.host { return }
    let record =
      records[key]?.record
      ?? ServiceRecord(ServiceRecord.path(outputs, key.name)) {
        [scheduler = command.host.scheduler] in
        scheduler.enqueue(onLoop($0))
      }
    records[key]?.following.dispose()
    let following = CompoundDisposable()
    let services = command.host.ownServices
    following.add(services.output(of: command, input) { [record] in record.add($0) })
    var last: (state: ServiceState, since: Int64)?
    following.add(
      services.watch(command, input) { [weak self] status in
        guard let self else { return }
        onChange()
        let new = (status.state, status.since)
        guard last.map({ $0 == new }) != true else { return }
        if status.state == .starting { starts[key] = status.since }
        let isFirst = last == nil
        last = new
        // Before its first use it is down.
        if !(isFirst && status.state == .down) { onStatus(key, status) }
      })
    records[key] = (record, command.host, following)
  }

  // MARK: Orders

  /// Holds a service until `down`.
  func hold(_ command: ScriptCommand, _ input: LuaValue) {
    let key = key(command, input)
    let earlier = holds[key]
    holds[key] = use(command, input) { _ in }
    earlier?.dispose()
  }

  /// The services that are held, as a successor can hold them.
  var held: Set<HubInheritance.Held> {
    Set(
      holds.keys.map { key in
        let isSecret = Secrets.masked(json: key.input) != key.input
        return HubInheritance.Held(key.name, input: isSecret ? nil : key.input)
      })
  }

  /// Ends services although they may have users, who learn why; those that need others before these.
  ///
  /// - Parameters:
  ///   - name: the name of their command; nil for all.
  ///   - reason: the end of a sentence: `it was ended by 'raclette down'`.
  /// - Returns: the names of those that ran, in the reverse order of their first use.
  func end(_ name: String?, because reason: String) -> [String] {
    let ending = hosts.reversed().flatMap { host in
      host.ownServices.all.reversed().filter { name == nil || $0.command.name == name }
    }
    endings.append(ServiceEndings(ending.map { ($0.command, $0.input) }, because: reason))
    proceedWithEndings()
    for (command, input, _) in ending {
      holds.removeValue(forKey: key(command, input))?.dispose()
    }
    return ending.filter { $0.status.state != .down }.map(\.command.name)
  }

  /// Ends what has waited for the end of others.
  func proceedWithEndings() {
    for index in endings.indices { endings[index].proceed() }
    endings.removeAll(where: \.isDone)
  }

  func restart(
    _ command: ScriptCommand, _ input: LuaValue, _ done: @escaping (Result<Bool, any Error>) -> Void
  ) {
    let key = key(command, input)
    guard let up = restartable(command.name).first(where: { $0.key == key && !$0.isOver }) else {
      return done(.success(false))
    }
    let use = restart(up) { _ in }
    done(.success(true))
    use.dispose()
  }

  /// The services of a name that run, are used, or have failed.
  func restartable(_ name: String) -> [Restartable] {
    var found: [Key: Restartable] = [:]
    var order: [Key] = []
    for host in hosts {
      for (command, input, status) in host.ownServices.all where command.name == name {
        let key = key(command, input)
        let isUsed = uses.values.contains { $0.key == key }
        guard status.state != .down || isUsed else { continue }
        // One that runs counts, of whichever interpreter it is.
        if found[key].map({ !$0.isOver }) == true, status.state.isOver { continue }
        if found[key] == nil { order.append(key) }
        found[key] = Restartable(
          key: key, command: command, input: input, isOver: status.state.isOver, isUsed: isUsed)
      }
    }
    return order.compactMap { found[$0] }
  }

  /// A service that can be started again.
  struct Restartable {
    let key: Key
    let command: ScriptCommand
    let input: LuaValue
    /// True if it does not run.
    let isOver: Bool
    let isUsed: Bool
  }

  /// Starts a service again, with the present definition, and uses it.
  ///
  /// - Parameter observer: receives the status from the new start on.
  func restart(
    _ service: Restartable, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let heir = service.command.host === hosts.last ? nil : heir(of: service.key)
    if service.isOver {
      let (command, input) = heir ?? (service.command, service.input)
      for use in uses.values where use.key == service.key { change(use, to: (command, input)) }
      return use(command, input, observer)
    }
    var isOrdered = false
    let use = use(service.command, service.input) { if isOrdered { observer($0) } }
    isOrdered = true
    if heir != nil {
      move(service.key, from: (service.command, service.input))
    } else {
      let needed = running(service.command.namesOfAllNeeded)
      restart(service.command, service.input, keeping: needed) {
        service.command.host.ownServices.restart(service.command, service.input)
      }
    }
    return use
  }

  /// Lets a use go on with another definition.
  private func change(_ use: Use, to new: (ScriptCommand, LuaValue)) {
    let earlier = use.inner
    begin(use, new.0, new.1)
    earlier?.dispose()
  }

  /// The command that has the name in the latest interpreter, if it takes the input.
  private func heir(of key: Key) -> (ScriptCommand, LuaValue)? {
    guard let host = hosts.last, let command = host.command(named: key.name), command.isService
    else { return nil }
    let value = key.input.isEmpty ? LuaValue.nil : (try? host.value(json: key.input)) ?? .nil
    return (try? command.checked(value)).map { (command, $0) }
  }

  /// Ends a service, and lets its users go on with the definition that is the latest once it has ended.
  /// The services that it needs go on meanwhile.
  private func move(_ key: Key, from old: (command: ScriptCommand, input: LuaValue)) {
    let moving = uses.values.filter { $0.key == key }
    let needed = running(old.command.namesOfAllNeeded)
    let services = old.command.host.ownServices
    for use in moving {
      use.generation += 1
      var status = ServiceStatus(.restarting, since: WallClock.milliseconds)
      status.users = moving.count
      use.observer(status)
    }
    let watching = CompoundDisposable()
    for (command, input) in needed { watching.add(use(command, input) { _ in }) }
    let following = services.watch(old.command, old.input) { [weak self] status in
      guard let self, status.state.isOver, !watching.isDisposed else { return }
      hosts.last?.scheduler.enqueue(
        onLoop { [self] in
          guard !watching.isDisposed else { return }
          let users = moving.filter { uses[ObjectIdentifier($0)] != nil }
          // The interpreter of an earlier definition may have been closed in between.
          if let new = heir(of: key) {
            for use in users { change(use, to: new) }
            keep(needed, untilStarted: new.0, new.1)
          } else {
            for use in users { abandon(use) }
            holds.removeValue(forKey: key)?.dispose()
          }
          watching.dispose()
          onChange()
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

  /// The services with some names that run now.
  private func running(_ names: Set<String>) -> [(command: ScriptCommand, input: LuaValue)] {
    hosts.flatMap { host in
      host.ownServices.all.compactMap { command, input, status in
        names.contains(command.name) && !status.state.isOver ? (command, input) : nil
      }
    }
  }

  /// Ends each service as soon as it has no users: the hub ends.
  func close() {
    for hold in holds.values { hold.dispose() }
    holds = [:]
    for host in hosts { host.ownServices.close() }
  }

  // MARK: Answers

  /// True if a service is being ended.
  var isEnding: Bool {
    !endings.isEmpty
      || hosts.contains { $0.ownServices.all.contains { $0.status.state == .ending } }
  }

  /// True if a service runs, is going to, or is used.
  var isBusy: Bool { !uses.isEmpty || hosts.contains { $0.ownServices.isBusy } }

  /// True if a service has failed since a time, in milliseconds since 1970.
  func hasFailures(since time: Int64) -> Bool {
    hosts.contains {
      $0.ownServices.all.contains { $0.status.state == .failed && $0.status.since >= time }
    }
  }

  /// The services that run, are held, or have failed.
  var json: JSONValue {
    var list: [JSONValue] = []
    for host in hosts {
      for (command, input, status) in host.ownServices.all {
        let key = key(command, input)
        guard status.state != .down || holds[key] != nil else { continue }
        // Another interpreter has taken it over.
        if status.state.isOver, running(key) != nil { continue }
        var fields: [(String, JSONValue)] = [("name", .string(command.name))]
        if !key.inputText.isEmpty { fields.append(("input", .raw(key.input))) }
        fields += status.fields
        if let pid = status.pid {
          let ports = PortOwner.ports(of: [pid]).sorted()
          fields.append(("ports", .list(ports.map { .integer(Int64($0)) })))
          let uptime = starts[key].map { max(0, WallClock.milliseconds - $0) } ?? 0
          fields.append(("uptime", .number(Double(uptime) / 1_000)))
        }
        if holds[key] != nil { fields.append(("held", .bool(true))) }
        if isOutdated(command) { fields.append(("outdated", .bool(true))) }
        list.append(.object(fields))
      }
    }
    return .list(list)
  }

  /// True if the latest interpreter defines a service otherwise, or no longer.
  private func isOutdated(_ command: ScriptCommand) -> Bool {
    guard let latest = hosts.last, command.host !== latest else { return false }
    guard let heir = latest.command(named: command.name), heir.isService else { return true }
    return !heir.isDefined(as: command)
  }

  /// Why a service cannot be started again with the latest definition, as a sentence; nil if it can.
  func lack(_ service: Restartable) -> String? {
    guard let command = hosts.last?.command(named: service.key.name), command.isService else {
      return "the command file no longer defines it"
    }
    return heir(of: service.key) == nil ? "its present definition refuses its input" : nil
  }
}
