/// The state of a service.
public enum ServiceState: String, Sendable, CaseIterable {
  /// It runs, and has not been ready since it was started.
  case starting
  /// Its probe has answered as it should.
  case ready
  /// It was ready, and its probe has failed since.
  case unready
  /// It has ended, or is being ended, and is to be started again.
  case restarting
  /// It is being ended, because nobody needs it any more or somebody asked for its end.
  case ending
  /// It has ended for good, and nobody asked for that.
  case failed
  /// It does not run.
  case down

  /// True if it does not run and is not to be started again by itself.
  public var isOver: Bool { self == .failed || self == .down }
}

/// What is known about a service.
public struct ServiceStatus: Sendable, Equatable {
  /// Its state.
  public var state: ServiceState
  /// True while it starts and its own work has not begun: what it needs is executed or started, or it
  /// waits for resources that others have.
  public var isPreparing = false
  /// The wait for resources that was reported last, while it prepares.
  public var waits: Contention?
  /// The leader of its process group; nil if none runs.
  public var pid: Int32?
  /// How often it was started again since it was first started.
  public var restarts = 0
  /// The number of its users.
  public var users = 0
  /// When it came into this state, in milliseconds since 1970.
  public var since: Int64
  /// When its own work began, in milliseconds since 1970; nil while it does not run or prepares.
  public var began: Int64?
  /// The last answer of its probe, as the end of a sentence: `nothing listens on port 5432`; nil if it
  /// has not been asked.
  public var probe: String?
  /// Why it has failed, or ends at its users' cost.
  public var failure: String?
  /// The kind of the failure that has led to its own, at any depth: `timeout` if something that it needs
  /// was not ready in time; nil if it has failed by its process or its probe.
  public var cause: Failure.Kind?
  /// The status with which its process has exited, if it has failed by that.
  public var code: Int32?
  /// The last lines that it has printed, if it has failed or crashed.
  public var lines: [String] = []

  /// The grace period after which its last run that has ended was killed; nil if that was not necessary.
  public var killedAfter: Duration?

  /// Makes a status.
  public init(_ state: ServiceState, since: Int64) {
    self.state = state
    self.since = since
  }
}

extension ServiceStatus {
  /// The failure by which it has ended for good.
  package var failureOfEnd: Failure {
    var result = Failure(.exit, failure ?? "it has ended")
    (result.cause, result.code) = (cause, code)
    return result
  }

  /// Its fields in JSON, without those that are nil.
  public var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [("state", .string(state.rawValue))]
    if isPreparing { fields.append(("preparing", .bool(true))) }
    if let waits {
      let resources = waits.resources.map { [("resources", JSONValue.string($0))] } ?? []
      fields.append(("waits", .object(resources + [("holder", .string(waits.holder))])))
    }
    if let pid { fields.append(("pid", .integer(Int64(pid)))) }
    fields += [
      ("restarts", .integer(Int64(restarts))), ("users", .integer(Int64(users))),
      ("since", .integer(since)),
    ]
    if let began { fields.append(("began", .integer(began))) }
    if let probe { fields.append(("probe", .string(probe))) }
    if let failure { fields.append(("failure", .string(failure))) }
    if let cause { fields.append(("cause", .string(cause.rawValue))) }
    if let code { fields.append(("code", .integer(Int64(code)))) }
    if let killedAfter { fields.append(("killed_after", .number(killedAfter.inSeconds))) }
    if !lines.isEmpty { fields.append(("lines", .list(lines.map { .string($0) }))) }
    return fields
  }
}
