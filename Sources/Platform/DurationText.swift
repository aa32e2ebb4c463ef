extension Duration {
  /// The duration in seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// A limit as a person writes it: `30 s`, `1.5 s`.
  package var text: String {
    let seconds = inSeconds
    return seconds == seconds.rounded() ? "\(Int64(seconds)) s" : "\(seconds) s"
  }

  /// Seconds with milliseconds: `1.250`.
  package var secondsText: String {
    let (seconds, attoseconds) = components
    let millis = String(attoseconds / 1_000_000_000_000_000)
    return "\(seconds)." + String(repeating: "0", count: max(0, 3 - millis.count)) + millis
  }

  /// A measured time of executions, to a tenth of a second: `0.3 s`, `12 s`, `3 min 20 s`.
  package var shortText: String {
    let (seconds, attoseconds) = components
    let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
    if seconds < 10 { return "\(tenths / 10).\(tenths % 10) s" }
    if seconds < 60 { return "\(seconds) s" }
    return "\(seconds / 60) min \(seconds % 60) s"
  }
}
