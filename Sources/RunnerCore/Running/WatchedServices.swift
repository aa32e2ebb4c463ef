import EventLoop
import Platform
import Scripting

/// The services of a plan that start again when files change: they may have other users, with whom they
/// would go on as they are. On the loop's thread.
struct WatchedServices {
  private struct Service {
    let call: Plan.Call
    let files: Glob
  }

  private var services: [Service] = []
  /// True if the plan consists of these services alone.
  private let isAll: Bool

  /// - Parameter patterns: the lists of patterns that are watched for the plan.
  init(_ plan: Plan?, _ patterns: [[String]]) {
    for step in plan?.steps ?? [] where step.command.isService {
      let own = step.command.watchPatterns
      // Those of the option count for all commands.
      let isOwn = !own.isEmpty && patterns.contains { $0.starts(with: own) }
      guard let files = try? Glob(isOwn ? own : patterns.flatMap(\.self)) else { continue }
      services.append(Service(call: step.call, files: files))
    }
    isAll = services.count == plan?.steps.count
  }

  /// Starts those again whose files have changed.
  ///
  /// - Parameter done: called for each that was not started again, perhaps in a later turn.
  /// - Returns: true if that is all that the changes mean for the plan.
  func restart(after changes: [FileChange], _ done: @escaping (Problem) -> Void) -> Bool {
    for service in services where changes.contains(where: { service.files.watches($0.path) }) {
      let command = service.call.command
      command.host.services.restart(command, service.call.input) { result in
        switch result {
        case .success(true): break
        case .success(false): done(.isDown)
        case .failure(let error): done(.isRefused(command.name, "\(error)"))
        }
      }
    }
    return isAll
      && changes.allSatisfy { change in services.contains { $0.files.watches(change.path) } }
  }

  /// Why a service was not started again.
  enum Problem {
    case isDown
    case isRefused(_ service: String, _ reason: String)
  }
}

extension Glob {
  /// True for a file that it matches, and for those in a folder that it names.
  fileprivate func watches(_ path: String) -> Bool {
    matches(path) || plainPaths.contains { $0 == "." || path.hasPrefix($0 + "/") }
  }
}
