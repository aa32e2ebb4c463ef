import LuaRuntime
import RunnerCore
import Scripting

/// Services that are to end, each after those that need it. On the loop's thread.
final class ServiceEndings {
  private struct Service {
    let command: ScriptCommand
    let input: LuaValue
    /// The names of the commands that it needs, whatever they need included.
    let needed: Set<String>
    /// False if it is over, and ends only if it is started meanwhile.
    let isRunning: Bool
    var isTold = false

    var key: ServiceKey { ServiceKey(command, input) }

    var status: ServiceStatus { command.host.ownServices.status(of: command, input) }
    var hasEnded: Bool { status.state.isOver }
  }

  /// The end of a sentence: `it was ended by 'raclette down'`.
  let reason: String
  /// In the order in which they end.
  private var left: [Service] = []
  /// Those that ran, in the order in which they end, without those that were spared since.
  private(set) var running: [ServiceKey] = []
  /// Those that had failed, without those that were spared since.
  private(set) var failed: [ServiceKey] = []
  /// The grace periods of those that had to be killed.
  private(set) var killed: [ServiceKey: Duration] = [:]

  /// - Parameter reason: the end of a sentence: `it was ended by 'raclette down'`.
  init(
    _ services: [(command: ScriptCommand, input: LuaValue, status: ServiceStatus)],
    because reason: String
  ) {
    self.reason = reason
    var rest = services.map { command, input, status in
      Service(
        command: command, input: input, needed: command.namesOfAllNeeded,
        isRunning: !status.state.isOver)
    }
    while !rest.isEmpty {
      let free = Self.unneeded(in: rest)
      // Definitions of two interpreters may need each other.
      let next = free.isEmpty ? Array(rest.indices) : free
      left += next.map { rest[$0] }
      for index in next.reversed() { rest.remove(at: index) }
    }
    running = left.filter(\.isRunning).map(\.key)
    failed = left.filter { $0.status.state == .failed }.map(\.key)
  }

  /// True if all have ended.
  var isDone: Bool { left.isEmpty }

  /// True if it is going to end a service that runs.
  func awaitsEnd(of service: HubInterpreters.Service) -> Bool {
    let key = ServiceKey(service.command, service.input)
    return left.contains { pending in
      pending.isRunning && !pending.hasEnded && pending.command.host === service.command.host
        && pending.key == key
    }
  }

  /// Ends those that no other one needs that has not ended yet.
  func proceed() {
    var count: Int
    // One that is over already reports no end.
    repeat {
      count = left.count
      endThoseDue()
    } while left.count < count && !left.isEmpty
  }

  /// Leaves services alone, because a later order has overridden this one for them.
  func spare(_ names: Set<ServiceName>?) {
    left.removeAll { names.covers($0.key) }
    running.removeAll { names.covers($0) }
    failed.removeAll { names.covers($0) }
  }

  private func endThoseDue() {
    removeEnded()
    let isWaiting = left.contains(where: \.isTold)
    var due = Self.unneeded(in: left)
    // Definitions of two interpreters may need each other.
    if due.isEmpty, !isWaiting { due = Array(left.indices) }
    for index in due where !left[index].isTold {
      left[index].isTold = true
      let service = left[index]
      service.command.host.ownServices.end(service.command, service.input, because: reason)
    }
    removeEnded()
  }

  /// The indices of the services that no other one needs.
  private static func unneeded(in services: [Service]) -> [Int] {
    services.indices.filter { index in
      !services.contains { $0.needed.contains(services[index].command.name) }
    }
  }

  private func removeEnded() {
    for service in left where service.isTold && service.isRunning && service.hasEnded {
      killed[service.key] = service.status.killedAfter
    }
    left.removeAll { $0.isTold && $0.hasEnded }
  }
}
