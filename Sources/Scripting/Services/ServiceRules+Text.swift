/// What the definition of a service says, in words and in JSON.
extension ServiceRules {
  /// The settings, as remarks on a step of a plan.
  public var remarks: [String] {
    var remarks = ["service"]
    if let readinessText { remarks.append("ready by \(readinessText)") }
    if restart != .never { remarks.append("restart \(restart.rawValue)") }
    if linger > .zero { remarks.append("lingers \(linger.text)") }
    if waitsWhenLost { remarks.append("waits when lost") }
    return remarks
  }

  /// The settings in JSON.
  public var fields: JSONValue {
    .object(
      (readinessText.map { [("ready", .string($0))] } ?? []) + [
        ("ready_timeout", .number(readyTimeout.inSeconds)),
        (
          "restart",
          .object([
            ("policy", .string(restart.rawValue)), ("delay", .number(restartDelay.inSeconds)),
            ("backoff", .number(restartBackoff)), ("times", .integer(Int64(restartTimes))),
          ])
        ), ("linger", .number(linger.inSeconds)),
        ("on_lost", .string(waitsWhenLost ? "wait" : "cancel")),
      ])
  }
}
