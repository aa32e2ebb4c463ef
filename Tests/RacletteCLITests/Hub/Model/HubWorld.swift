import EventLoop
import LuaRuntime
import Reactive
import RunnerCore

@testable import RunnerPanel
@testable import Scripting

/// The services of a hub and their clients, in virtual time: interpreters, definitions and streams are
/// real, while the clock and the work of services are the test's. `web` needs `db`, which needs `disk`.
final class HubWorld: ServiceClock {
  static let names = ["disk", "db", "web"]
  static let needs = ["disk": [], "db": ["disk"], "web": ["db"]]

  let loop: EventLoop
  private(set) var holder = HubHolder(outputs: "/dev/null/")
  private var closed: [ScriptHost] = []
  private(set) var now = Duration.zero
  private var timers: [(due: Duration, number: Int, body: () -> Void)] = []
  private var lastTimer = 0
  /// The runs that have begun and not ended.
  private(set) var works: [HubWork] = []
  private(set) var clients: [HubTestClient] = []
  /// What is done in the next turn.
  private var turn: [() -> Void] = []
  /// The first thing that was not as it should be.
  var problem: String?
  /// True while only the end of all users ends services.
  var endsInOrder = false
  /// True from the end of all services until somebody comes.
  private(set) var isDown = false

  init() throws { loop = try EventLoop() }

  func close() {
    for host in holder.interpreters.hosts + closed { host.close() }
    loop.close()
  }

  // MARK: The command file

  /// Loads a version of the command file.
  ///
  /// - Parameter versions: the version of each service that it defines.
  func load(_ versions: [String: Int], _ rules: String) throws {
    let host = try ScriptHost(
      loop: loop, script: "commands.lua",
      policy: HostPolicy(
        confirmation: { _ in }, conditions: .assumed, upToDate: .ignored,
        limits: HostPolicy.Limits(memory: nil, time: nil, sandbox: nil), mistakes: .fail,
        takesLateOutput: { true }, isEndRequested: { false }),
      observers: [])
    let definitions = Self.names.compactMap { name in
      versions[name].map { version in
        let needs = Self.needs[name]!.filter { versions[$0] != nil }
        return """
          rac.command{name = "\(name)", service = true, run = "sleep \(version)", ready = {line = "up"},
            needs = {\(needs.map { "\"\($0)\"" }.joined(separator: ", "))}, \(rules)}

          """
      }
    }
    _ = try host.start(.code(definitions.joined(), name: "commands.lua"))
    loop.poll()
    host.ownServices = ServiceSupervisor(self) { [unowned self] command, _, _, caller in
      HubWork(command, for: caller, self)
    }
    holder.add(host)
  }

  func command(_ name: String) -> ScriptCommand? {
    holder.interpreters.latest?.command(named: name)
  }

  // MARK: Clients

  func connect(_ name: String, staysWhenLost: Bool) {
    guard let command = command(name) else { return }
    isDown = false
    let client = HubTestClient(name, staysWhenLost: staysWhenLost)
    clients.append(client)
    client.use(command, in: holder)
  }

  /// Begins the restart that a client orders, as a user until it has come to something.
  func restart(_ name: String) {
    for service in holder.restartable(ServiceName(name))
    where holder.interpreters.lack(of: service.key) == nil {
      isDown = false
      let client = HubTestClient(name, staysWhenLost: false)
      client.leavesWhenReady = true
      clients.append(client)
      client.follow { [holder] in holder.restart(service, for: client.caller, $0) }
    }
  }

  /// Ends a service, or all.
  func end(_ name: String?) {
    let order = holder.end(name.map { [ServiceName($0)] }, because: "'raclette down' has ended it")
      .running.map(\.name)
    for (index, service) in order.enumerated() {
      let user = works.first { $0.name == service }
      if order[..<index].contains(where: { user?.uses($0) == true }) {
        fail("\(order) is not the order of needs")
      }
    }
    if name == nil { isDown = true }
  }

  func leave(_ client: HubTestClient, isKilled: Bool) {
    if isKilled { client.kill() } else { client.leave() }
    clients.removeAll { $0 === client }
  }

  // MARK: Time

  var milliseconds: Int64 { Int64(now / .milliseconds(1)) }

  func after(_ delay: Duration, _ body: @escaping () -> Void) -> () -> Void {
    lastTimer += 1
    let number = lastTimer
    timers.append((now + delay, number, body))
    return { [unowned self] in timers.removeAll { $0.number == number } }
  }

  func advance(_ time: Duration) {
    let target = now + time
    while let next = timers.filter({ $0.due <= target }).min(by: {
      ($0.due, $0.number) < ($1.due, $1.number)
    }) {
      timers.removeAll { $0.number == next.number }
      now = max(now, next.due)
      next.body()
      settle()
    }
    now = target
  }

  /// Holds a service, as `up -d` does.
  func hold(_ command: ScriptCommand) {
    isDown = false
    holder.hold(command, command.emptyInput, for: CallerEnvironment([]))
  }

  func inNextTurn(_ body: @escaping () -> Void) { turn.append(body) }

  /// Takes turns until nothing happens any more.
  func settle() {
    var rounds = 0
    repeat {
      let bodies = turn
      turn = []
      for body in bodies { body() }
      loop.poll()
      holder.proceedWithEndings()
      for client in clients where !client.read() { leave(client, isKilled: false) }
      retire()
      rounds += 1
      if rounds > 200 { return fail("it does not come to rest") }
    } while !turn.isEmpty || rounds < 3 || clients.contains(where: \.hasNews)
  }

  /// Closes earlier interpreters that run nothing, as the panel does.
  private func retire() {
    for host in holder.interpreters.hosts.dropLast() where !host.ownServices.isBusy {
      holder.remove(host)
      closed.append(host)
    }
  }

  func fail(_ text: String) { problem = problem ?? text }

  // MARK: Work

  func began(_ work: HubWork) {
    if works.contains(where: { $0.name == work.name }) { fail("\(work.name) runs twice") }
    works.append(work)
  }

  func stopped(_ work: HubWork) {
    guard endsInOrder, let user = works.first(where: { $0.uses(work.name) }) else { return }
    fail("\(work.name) is ended before \(user.name), which uses it")
  }

  func ended(_ work: HubWork) { works.removeAll { $0 === work } }

  // MARK: The hub

  /// Kills the hub: its successor has ended what ran, and holds what it held. Its clients call again.
  func killHub(_ versions: [String: Int], _ rules: String) throws {
    let held = holder.held
    isDown = false
    closed += holder.interpreters.hosts
    for work in works { work.vanish() }
    (works, timers, turn) = ([], [], [])
    holder = HubHolder(outputs: "/dev/null/")
    try load(versions, rules)
    for held in held {
      if let command = command(held.name) { holder.hold(command, command.emptyInput, for: .own) }
    }
    for client in clients {
      guard let command = command(client.name), !client.leavesWhenReady else {
        client.forget()
        continue
      }
      client.states.append(.restarting)
      client.use(command, in: holder)
    }
    clients.removeAll(where: \.isGone)
  }
}

extension ScriptCommand {
  /// The input of a call without arguments.
  var emptyInput: LuaValue { (try? checked(.nil)) ?? .nil }
}
