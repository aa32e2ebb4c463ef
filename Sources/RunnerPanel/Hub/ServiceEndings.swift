import LuaRuntime
import Scripting

/// Services of one interpreter that are to end, each after those that need it. On the loop's thread.
final class ServiceEndings {
  private struct Service {
    let command: ScriptCommand
    let input: LuaValue
    /// The names of the commands that it needs, whatever they need included.
    let needed: Set<String>
    var isTold = false
  }

  private let services: ServiceSupervisor
  private let reason: String
  private var left: [Service]

  /// - Parameter reason: the end of a sentence: `it was ended by 'raclette down'`.
  init(
    _ list: [(command: ScriptCommand, input: LuaValue)], of host: ScriptHost, because reason: String
  ) {
    services = host.ownServices
    self.reason = reason
    left = list.map { Service(command: $0, input: $1, needed: $0.namesOfAllNeeded) }
  }

  /// True if all have ended.
  var isDone: Bool { left.isEmpty }

  /// Ends those that no other one needs that has not ended yet.
  func proceed() {
    left.removeAll { $0.isTold && hasEnded($0) }
    for index in left.indices where !left[index].isTold {
      let service = left[index]
      guard !left.contains(where: { $0.needed.contains(service.command.name) }) else { continue }
      left[index].isTold = true
      services.end(service.command, service.input, because: reason)
    }
    left.removeAll { $0.isTold && hasEnded($0) }
  }

  private func hasEnded(_ service: Service) -> Bool {
    services.status(of: service.command, service.input).state.isOver
  }
}
