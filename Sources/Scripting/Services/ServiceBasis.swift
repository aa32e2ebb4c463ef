import LuaRuntime
import Platform
import Reactive

/// What the work of a service has begun with. A later look finds out what has changed since. Confined to
/// the loop's thread.
package struct ServiceBasis {
  private let caller: CallerEnvironment
  /// The digests of what its files of variables set; nil if these could not be read.
  private let variables: [String: [UInt8]]?
  /// The latest execution of each command that was executed for it, by the key of the command's state.
  private let executions: [[UInt8]: Int64]

  /// Notes what is there now.
  ///
  /// - Parameter caller: the variables that the service begins with.
  init(of service: Plan.Call, for caller: CallerEnvironment) {
    self.caller = caller
    variables = service.command.variablesOfFiles(for: caller)
    let calls = (try? service.callsOfNeeds) ?? []
    executions = calls.reduce(into: [:]) { executions, call in
      if let state = call.state { executions[state.key] = state.token }
    }
  }

  /// The names of the variables that the service's files do not set any more as they did, in order.
  package func changedVariables(of service: ScriptCommand) -> [String] {
    guard let variables, let now = service.variablesOfFiles(for: caller) else { return [] }
    return Set(variables.keys).union(now.keys).filter { variables[$0] != now[$0] }.sorted()
  }

  /// True if a command was executed since, for somebody else.
  fileprivate func isOlder(than call: Plan.Call) -> Bool {
    guard let state = call.state, let token = executions[state.key] else { return false }
    return token != state.token
  }
}

/// A command whose result a running service uses, and that would be executed if the service were started
/// again, or has been since.
package struct StaleNeed: Equatable, Sendable {
  /// The call as it could be typed.
  package let call: String
  /// Why its result counts no longer, or why that is not known, as a sentence.
  package let reason: String
  /// False if it is not known whether its result counts.
  package let isCertain: Bool

  /// Makes one.
  package init(_ call: String, because reason: String, isCertain: Bool) {
    (self.call, self.reason, self.isCertain) = (call, reason, isCertain)
  }
}

extension Plan.Call {
  /// Finds out which results that a service uses are not those of the present files.
  ///
  /// - Parameters:
  ///   - basis: what its work has begun with.
  ///   - caller: the variables with which it would be started again.
  ///   - done: called once on the loop's thread, perhaps inside this call.
  package func askStaleNeeds(
    since basis: ServiceBasis, for caller: CallerEnvironment, in subscription: CompoundDisposable,
    _ done: @escaping ([StaleNeed]) -> Void
  ) {
    let host = command.host
    host.serving(caller) {
      // What cannot be planned fails when the service is started again.
      let calls = ((try? callsForService) ?? []).filter(\.command.declaresUpToDate)
      guard !calls.isEmpty else { return done([]) }
      let questions = subscription.makeChild()
      var verdicts = [UpToDateVerdict?](repeating: nil, count: calls.count)
      let end = {
        questions.dispose()
        let late = UpToDateVerdict.unanswered(
          "it takes longer than \(Self.patience.text) to find out whether it is up to date")
        done(zip(calls, verdicts).compactMap { $0.staleNeed($1 ?? late, since: basis) })
      }
      for (index, call) in calls.enumerated() {
        call.command.askUpToDate(call.input, in: questions) { verdict in
          verdicts[index] = verdict
          if verdicts.allSatisfy({ $0 != nil }) { end() }
        }
      }
      guard !questions.isDisposed else { return }
      let timer = host.loop.timer(after: Self.patience) { end() }
      questions.add(onLoop { timer.cancel() })
    }
  }

  /// How long the user of a service waits for the answers.
  private static let patience = Duration.seconds(5)

  private func staleNeed(_ verdict: UpToDateVerdict, since basis: ServiceBasis) -> StaleNeed? {
    let call = command.host.call(of: command.name, input)
    switch verdict {
    case .outdated(let changes):
      return StaleNeed(call, because: changes.first.map { "\($0)" } ?? "", isCertain: true)
    case .unanswered(let reason): return StaleNeed(call, because: reason, isCertain: false)
    case .upToDate where basis.isOlder(than: self):
      return StaleNeed(call, because: "it was executed since", isCertain: true)
    case .upToDate, .undeclared, .awaiting, .depending: return nil
    }
  }

  /// What is executed before the work of a service.
  fileprivate var callsOfNeeds: [Plan.Call] {
    get throws(Failure) {
      let needs = try Plan(needsOf: self).steps.map(\.call).filter { !$0.command.isService }
      return try needs + Plan.calls(executedBy: needs)
    }
  }

  /// What is executed for a service, also as steps of its work.
  private var callsForService: [Plan.Call] {
    get throws(Failure) { try callsOfNeeds + Plan.calls(executedBy: [self]) }
  }

  /// The key of the state of its command with its input, and the latest execution; nil if nothing is kept.
  fileprivate var state: (key: [UInt8], token: Int64)? {
    guard command.declaresUpToDate, let store = command.host.stateStore,
      let key = try? command.stateKey(command.stateDocument(of: input)),
      let token = store.state(of: key)?.token
    else { return nil }
    return (key, token)
  }
}

extension ScriptCommand {
  /// The digests of what its files of variables set now; nil if they cannot be read.
  fileprivate func variablesOfFiles(for caller: CallerEnvironment) -> [String: [UInt8]]? {
    try? description.environment.digestsOfFiles(for: caller)
  }
}
