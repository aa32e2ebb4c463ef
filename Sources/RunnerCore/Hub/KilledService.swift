import Platform
import Scripting

/// A service whose processes had to be killed because they had not ended in time.
package struct KilledService: Hashable, Sendable {
  /// Its name, with its input.
  let service: String
  /// When it had ended, in milliseconds since 1970.
  private let time: Int64
  /// The time that its processes had to end.
  private let grace: Duration

  /// Makes one of a service's last run; nil if it has ended by itself, or runs.
  package init?(_ key: ServiceKey, _ status: ServiceStatus) {
    guard status.state.isOver, let grace = status.killedAfter else { return nil }
    (service, time, self.grace) = (key.text, status.since, grace)
  }

  /// Reads what `json` has made; nil for something else.
  init?(_ json: JSONValue) {
    guard let killed = json[field: "killed"], let service = killed[field: "service"]?.string,
      let grace = killed[field: "after"]?.seconds
    else { return nil }
    (self.service, time) = (service, killed[field: "since"]?.integer ?? 0)
    self.grace = .seconds(grace)
  }

  /// The line that a hub sends.
  package var json: JSONValue {
    .object([
      (
        "killed",
        .object([
          ("service", .string(service)), ("after", .number(grace.inSeconds)),
          ("since", .integer(time)),
        ])
      )
    ])
  }

  /// A sentence without its period.
  var text: String { "\(service) has ended: \(Self.text(after: grace))" }

  /// The end of a sentence about a service: how it has ended.
  package static func text(after grace: Duration) -> String {
    "its processes were killed, \(grace.text) after they were asked to end"
  }
}
