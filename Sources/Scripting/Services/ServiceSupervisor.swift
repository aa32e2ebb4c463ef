import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Runs services in this process: one instance for each command and input, shared by its users.
/// Confined to the loop's thread.
package final class ServiceSupervisor: ServiceProvider {
  /// A service that has been used or watched.
  private struct Service {
    let command: ScriptCommand
    let input: LuaValue
    let life: ServiceLife
    let output: ServiceOutput
  }

  private let clock: any ServiceClock
  /// Makes the work of a service, which begins with the variables of a caller.
  typealias MakeWork = (
    ScriptCommand, LuaValue, ServiceOutput, CallerEnvironment
  ) -> any ServiceWork

  private let makeWork: MakeWork
  private var services: [CallKey: Service] = [:]
  /// In the order in which they were first used.
  private var order: [CallKey] = []

  /// Makes a supervisor without services.
  ///
  /// - Parameter probeLimit: the longest time in which the program or the function of a probe answers.
  package convenience init(_ loop: EventLoop, probeLimit: Duration = .seconds(10)) {
    self.init(LoopServiceClock(loop: loop)) {
      ScriptServiceWork($0, $1, $2, for: $3, probeLimit: probeLimit)
    }
  }

  /// Makes a supervisor without services, on a clock and with work of its own.
  init(
    _ clock: any ServiceClock,
    makingWork makeWork: @escaping MakeWork
  ) {
    (self.clock, self.makeWork) = (clock, makeWork)
  }

  /// Forgets services that are down and that nobody looks at: each input has one of its own.
  private func forget() {
    let unused = order.filter { key in
      services[key].map { $0.life.isForgettable && !$0.output.isReceived } ?? true
    }
    guard !unused.isEmpty else { return }
    for key in unused { services[key] = nil }
    order.removeAll { services[$0] == nil }
  }

  private func service(_ command: ScriptCommand, _ input: LuaValue) -> Service {
    let key = CallKey(command, input)
    if let known = services[key] { return known }
    forget()
    let output = ServiceOutput()
    let life = ServiceLife(command.service ?? ServiceRules(), clock) { [makeWork] caller in
      makeWork(command, input, output, caller)
    }
    let new = Service(command: command, input: input, life: life, output: output)
    services[key] = new
    order.append(key)
    return new
  }

  package func use(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable { service(command, input).life.use(for: caller, observer) }

  package func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable { service(command, input).life.watch(observer) }

  package func output(
    of command: ScriptCommand, _ input: LuaValue, _ receive: @escaping (ServiceLine) -> Void
  ) -> any Disposable { service(command, input).output.receive(receive) }

  /// The services that have been used, in the order of their first use.
  package var all: [(command: ScriptCommand, input: LuaValue, status: ServiceStatus)] {
    order.compactMap { services[$0] }.map { ($0.command, $0.input, $0.life.status) }
  }

  /// The variables that a service has begun with; nil if it does not run.
  package func caller(of command: ScriptCommand, _ input: LuaValue) -> CallerEnvironment? {
    service(command, input).life.caller
  }

  /// What the work of a service has begun with; nil if it has not begun.
  package func basis(of command: ScriptCommand, _ input: LuaValue) -> ServiceBasis? {
    service(command, input).life.basis
  }

  package func status(of command: ScriptCommand, _ input: LuaValue) -> ServiceStatus {
    service(command, input).life.status
  }

  package var isEnding: Bool { services.values.contains { $0.life.status.state == .ending } }

  /// True if a service runs or is going to.
  package var isBusy: Bool { services.values.contains { !$0.life.isOver } }

  /// Starts a service again, if it is up or has users. The services that it needs go on meanwhile.
  package func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment
  ) {
    let names = command.namesOfAllNeeded
    let needed = all.filter { names.contains($0.command.name) && !$0.status.state.isOver }
    restart(command, input, for: caller, keeping: needed.map { ($0.command, $0.input) }) {
      service(command, input).life.restart(for: caller)
    }
  }

  package func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ done: @escaping (Result<Bool, any Error>) -> Void
  ) {
    let isUp = !service(command, input).life.isOver
    if isUp { restart(command, input, for: caller) }
    done(.success(isUp))
  }

  /// Ends a service although it may have users, who learn why.
  ///
  /// - Parameter reason: the end of a sentence: `it was ended by 'raclette down'`.
  package func end(_ command: ScriptCommand, _ input: LuaValue, because reason: String) {
    service(command, input).life.end(because: reason)
  }

  package var namesOfEnding: [String] {
    order.compactMap { services[$0] }.filter { $0.life.status.state == .ending }
      .map(\.command.name)
  }

  /// Kills what is left of a service that is being ended.
  package func kill(_ command: ScriptCommand, _ input: LuaValue) {
    service(command, input).life.kill()
  }

  package func kill(_ done: @escaping () -> Void) {
    for service in services.values where service.life.status.state == .ending {
      service.life.kill()
    }
    done()
  }

  /// Ends each service as soon as it has no users, and starts none again by itself: the program ends.
  package func close() {
    for key in order.reversed() { services[key]?.life.close() }
  }
}

/// The time of a loop.
private struct LoopServiceClock: ServiceClock {
  let loop: EventLoop

  var now: Duration { EventLoop.now }

  var milliseconds: Int64 { WallClock.milliseconds }

  func after(_ delay: Duration, _ body: @escaping () -> Void) -> () -> Void {
    let timer = loop.timer(after: delay, body)
    return { timer.cancel() }
  }
}

extension ScriptHost {
  /// Provides the services that commands need.
  package var services: any ServiceProvider {
    policy.services ?? ownServices
  }
}
