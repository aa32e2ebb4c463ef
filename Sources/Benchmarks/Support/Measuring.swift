/// The time that `body` takes.
func elapsed(_ body: () -> Void) -> Duration {
  ContinuousClock().measure(body)
}

/// The middle of some figures.
func median<Figure: Comparable>(_ figures: [Figure]) -> Figure {
  figures.sorted()[figures.count / 2]
}

/// Measures two pieces of work in turn, so that a change of the machine's speed meets both, and
/// gives the medians.
func alternating(
  _ rounds: Int, _ one: () -> Void, _ other: () -> Void
) -> (one: Duration, other: Duration) {
  alternatingTimes(rounds, { elapsed(one) }, { elapsed(other) })
}

/// The medians of what two pieces of work measure of themselves, in turn.
func alternatingTimes(
  _ rounds: Int, _ one: () -> Duration, _ other: () -> Duration
) -> (one: Duration, other: Duration) {
  var times: (one: [Duration], other: [Duration]) = ([], [])
  for _ in 0..<rounds {
    times.one.append(one())
    times.other.append(other())
  }
  return (median(times.one), median(times.other))
}

/// A number as a table shows it.
func twoDigits(_ number: Double) -> String {
  let hundredths = Int((number * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}
