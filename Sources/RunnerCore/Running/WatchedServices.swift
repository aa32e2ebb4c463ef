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

  init(_ plan: Plan?) {
    for step in plan?.steps ?? [] where step.command.isService {
      guard !step.command.watchPatterns.isEmpty, let files = try? Glob(step.command.watchPatterns)
      else { continue }
      services.append(Service(call: step.call, files: files))
    }
    isAll = services.count == plan?.steps.count
  }

  /// Starts those again whose files have changed.
  ///
  /// - Returns: true if that is all that a change means for the plan.
  func restart(after changes: [FileChange]) -> Bool {
    let changed = services.filter { service in
      changes.contains { service.files.watches($0.path) }
    }
    for service in changed {
      let command = service.call.command
      command.host.services.restart(command, service.call.input)
    }
    return isAll && changed.count == services.count
  }
}

extension Glob {
  /// True for a file that it matches, and for those in a folder that it names.
  fileprivate func watches(_ path: String) -> Bool {
    matches(path) || plainPaths.contains { path.hasPrefix($0 + "/") }
  }
}
