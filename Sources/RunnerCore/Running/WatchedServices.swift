import EventLoop
import Platform
import Scripting

/// The services of a plan that start again when files change: they may have other users, with whom they
/// would go on as they are. Those are services that name the files, and all of a plan without other
/// commands. On the loop's thread.
struct WatchedServices {
  private struct Service {
    let call: Plan.Call
    /// A file counts that one of them matches: each list of patterns has excludes of its own.
    let files: [Glob]

    func isConcerned(by change: FileChange) -> Bool { files.contains { $0.watches(change.path) } }
  }

  private var services: [Service] = []
  /// True if the plan consists of these services alone.
  let isAll: Bool

  /// - Parameter patterns: the lists of patterns that are watched for the plan.
  init(_ plan: Plan?, _ patterns: [[String]]) {
    let calls = plan?.steps.map(\.call) ?? []
    isAll = !calls.isEmpty && calls.allSatisfy(\.command.isService)
    for call in calls + (plan?.servicesOfServices ?? []) where call.command.isService {
      let own = call.command.watchPatterns
      // The option names the files of all commands.
      if !own.isEmpty, patterns.contains(where: { $0.starts(with: own) }) {
        add(call, [own])
      } else if isAll, calls.contains(where: { $0.key == call.key }) {
        add(call, patterns)
      }
    }
  }

  private mutating func add(_ call: Plan.Call, _ patterns: [[String]]) {
    services.append(Service(call: call, files: patterns.compactMap { try? Glob($0) }))
  }

  /// Starts those again that are up and whose files have changed.
  ///
  /// - Parameters:
  ///   - onProblem: called for each that was not started again, perhaps in a later turn.
  ///   - done: called once all are being started again, or are not.
  func restart(
    after changes: [FileChange], onProblem: @escaping (Problem) -> Void,
    then done: @escaping () -> Void
  ) {
    let concerned = services.filter { changes.contains(where: $0.isConcerned) }
    guard !concerned.isEmpty else { return done() }
    var left = concerned.count
    for service in concerned {
      let command = service.call.command
      command.host.services.restart(
        command, service.call.input, for: command.host.environment
      ) { result in
        switch result {
        case .success(true): break
        case .success(false): onProblem(.isDown)
        case .failure(let error): onProblem(.isRefused(command.name, "\(error)"))
        }
        left -= 1
        if left == 0 { done() }
      }
    }
  }

  /// True if changes mean nothing else for the plan.
  func areConcernedAlone(by changes: [FileChange]) -> Bool {
    isAll && changes.allSatisfy { change in services.contains { $0.isConcerned(by: change) } }
  }

  /// Why a service was not started again.
  enum Problem {
    case isDown
    case isRefused(_ service: String, _ reason: String)
  }
}

extension Plan {
  /// The services that its services need, directly or not, and that are no steps: who provides those
  /// starts these.
  var servicesOfServices: [Call] { needsOfServices.filter(\.command.isService) }

  /// What its services need, directly or not, and is no step.
  var needsOfServices: [Call] {
    var found: [Call] = []
    var known = Set(steps.map(\.call.key))
    var rest = steps.map(\.call).filter(\.command.isService)
    while let service = rest.popLast() {
      guard let needs = try? Plan(needsOf: service) else { continue }
      for call in needs.steps.map(\.call)
      where known.insert(call.key).inserted {
        found.append(call)
        if call.command.isService { rest.append(call) }
      }
    }
    return found
  }
}

extension Glob {
  /// True for a file that it matches, and for those in a folder that it names.
  fileprivate func watches(_ path: String) -> Bool {
    matches(path) || plainPaths.contains { $0 == "." || path.hasPrefix($0 + "/") }
  }
}
