import Scripting

/// A difference between a running service and the one that would be started now, of which those learn who
/// begin to use it.
package struct ServiceRemark: Equatable, Sendable {
  /// What differs.
  package enum Difference: Equatable, Sendable {
    /// It has an earlier definition, because these use it.
    case definition(users: [String])
    /// These variables have other values for its new user, or in its files.
    case variables([String])
    /// It uses results of these commands that count no longer.
    case needs([StaleNeed])
  }

  /// The service as `ps` shows it.
  package let service: String
  /// The leader of its processes; 0 if there is none.
  package let process: Int64
  package let difference: Difference

  /// Makes one.
  package init(_ service: String, _ process: Int64, _ difference: Difference) {
    (self.service, self.process, self.difference) = (service, process, difference)
  }

  /// What is reported once for each run of a service.
  struct Topic: Hashable {
    let service: String
    private let difference: Int

    init(_ remark: ServiceRemark) {
      service = remark.service
      difference =
        switch remark.difference {
        case .definition: 0
        case .variables: 1
        case .needs: 2
        }
    }
  }

  /// A sentence without its period.
  var text: String {
    let restart = "raclette :restart \(service.quotedForShell)"
    let one = "to use the current one: \(restart)"
    let several = "to use the current ones: \(restart)"
    switch difference {
    case .definition(let users):
      let why =
        users.isEmpty
        ? ""
        : ", because \(users.joined(separator: " and ")) "
          + (users.count == 1 ? "uses it" : "use it")
      return "\(service) runs with an earlier definition\(why); \(one)"
    case .variables(let names):
      return "\(service) runs with "
        + (names.count == 1
          ? "a different value of \(Self.list(names)); \(one)"
          : "different values of \(Self.list(names)); \(several)")
    case .needs(let needs):
      let verb = needs.contains(where: \.isCertain) ? "runs" : "may run"
      let reason = needs.first.map { ": \($0.reason)" } ?? ""
      return "\(service) \(verb) with "
        + (needs.count == 1 ? "an earlier result of " : "earlier results of ")
        + "\(Self.list(needs.map { "'\($0.call)'" }))\(reason); "
        + (needs.count == 1 ? one : several)
    }
  }

  private static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}

/// The line in which a hub sends it.
extension ServiceRemark {
  package var json: JSONValue {
    let difference: (String, JSONValue) =
      switch self.difference {
      case .definition(let users): ("held_by", .list(users.map { .string($0) }))
      case .variables(let names): ("variables", .list(names.map { .string($0) }))
      case .needs(let needs): ("needs", .list(needs.map(\.json)))
      }
    return .object([
      (
        "remark",
        .object([("service", .string(service)), ("pid", .integer(process)), difference])
      )
    ])
  }

  /// Reads what `json` has made; nil for something else.
  init?(_ json: JSONValue) {
    guard let remark = json[field: "remark"], let service = remark[field: "service"]?.string,
      let process = remark[field: "pid"]?.integer
    else { return nil }
    if case .list(let users)? = remark[field: "held_by"] {
      self.init(service, process, .definition(users: users.compactMap(\.string)))
    } else if case .list(let names)? = remark[field: "variables"] {
      self.init(service, process, .variables(names.compactMap(\.string)))
    } else if case .list(let needs)? = remark[field: "needs"] {
      self.init(service, process, .needs(needs.compactMap { StaleNeed($0) }))
    } else {
      return nil
    }
  }
}

extension StaleNeed {
  fileprivate var json: JSONValue {
    .object([
      ("call", .string(Secrets.masked(call))), ("reason", .string(Secrets.masked(reason))),
      ("certain", .bool(isCertain)),
    ])
  }

  fileprivate init?(_ json: JSONValue) {
    guard let call = json[field: "call"]?.string, let reason = json[field: "reason"]?.string
    else { return nil }
    let isCertain = if case .bool(true)? = json[field: "certain"] { true } else { false }
    self.init(call, because: reason, isCertain: isCertain)
  }
}
