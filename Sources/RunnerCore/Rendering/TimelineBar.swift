/// An execution in a timeline, in seconds since its start.
package protocol TimelineBar {
  /// The time from which its waiting can be drawn: its track has nothing else then.
  var waiting: Double { get set }
  var start: Double { get }
  var end: Double { get }
}

extension Array {
  /// Puts a bar into the first track that is free at its time; bars come in the order of their
  /// starts.
  package mutating func place<Bar: TimelineBar>(_ bar: Bar) where Element == [Bar] {
    for track in indices {
      if let last = self[track].last, last.end <= bar.start + 1e-6 {
        var bar = bar
        bar.waiting = Swift.max(bar.waiting, last.end)
        self[track].append(bar)
        return
      }
    }
    append([bar])
  }
}
