import Platform
import Journal
import RunnerCore

/// The executions of a batch over time: for each command, the tracks needed to draw concurrent
/// executions. Of a journal on a server, for each worker.
package struct Timeline {
  struct Bar: TimelineBar {
    let execution: RecordedExecution
    /// The times when it was claimed, began and ended, in seconds since the timeline's start.
    let claimed: Double
    /// The time from which its waiting can be drawn: its track has nothing else then.
    var waiting: Double
    let start: Double
    let end: Double
    /// The times of failed attempts that were followed by others.
    let retries: [Double]
  }

  struct Group {
    let name: String
    /// Each track in order of time; no two bars of one track overlap.
    var tracks: [[Bar]] = []
  }

  let batch: RecordedBatch
  private(set) var groups: [Group] = []
  /// The length in seconds.
  private(set) var length = 0.001
  /// The number of executions omitted for lack of space.
  private(set) var leftOut = 0

  /// - Parameter most: the maximum number of executions.
  package init(_ batch: RecordedBatch, of journal: any JournalReader, most: Int) throws {
    self.batch = batch
    var filter = ExecutionFilter()
    filter.batch = batch.id
    var executions: [RecordedExecution] = []
    var leftOut = 0
    try journal.forEachExecution(filter) {
      if $0.kind == .malformed { return true }
      if executions.count < most { executions.append($0) } else { leftOut += 1 }
      return true
    }
    self.leftOut = leftOut
    let now = WallClock.seconds
    // A batch that several machines have executed.
    let isShared = executions.contains { $0.worker != nil }
    var names: [String: Int] = [:]
    for execution in executions.sorted(by: {
      ($0.started ?? $0.claimed) < ($1.started ?? $1.claimed)
    }) {
      // An interrupted execution has no end, and no beginning either if it still waited.
      let last = batch.ended ?? now
      let isOpen = execution.duration == nil
      let start = execution.started ?? (isOpen ? last : execution.claimed)
      let end = execution.duration.map { start + $0 } ?? last
      let retries =
        execution.attempts > 1
        ? try journal.output(of: execution.id).filter { $0.stream == .retry }.map(\.time) : []
      let bar = Bar(
        execution: execution, claimed: execution.claimed - batch.started,
        waiting: execution.claimed - batch.started,
        start: start - batch.started, end: max(start, end) - batch.started,
        retries: retries.map { $0 + start - batch.started })
      length = max(length, bar.end)
      let name = isShared ? execution.worker ?? "no worker" : execution.command
      let index = names[name] ?? groups.count
      if index == groups.count {
        names[name] = index
        groups.append(Group(name: name))
      }
      groups[index].tracks.place(bar)
    }
  }
}

extension TimelinePicture {
  /// The picture of a batch.
  package init(timeline: Timeline) {
    let leftOut =
      timeline.leftOut == 0 ? "" : "; \(timeline.leftOut) more executions are left out"
    self.init(
      title: "batch \(timeline.batch.id): \(timeline.batch.plan), "
        + shortSeconds(timeline.length) + leftOut,
      timeline.groups.map { ($0.name, $0.tracks.map { $0.map(Bar.init) }) },
      length: timeline.length)
  }
}

extension TimelinePicture.Bar {
  fileprivate init(_ bar: Timeline.Bar) {
    let execution = bar.execution
    var title = "#\(execution.id) \(execution.summary): \(execution.state.rawValue)"
    title += ", \(shortSeconds(bar.end - bar.start))"
    if let error = execution.error { title += "\n\(error)" }
    self.init(
      state: execution.state.rawValue, waiting: bar.waiting, start: bar.start, end: bar.end,
      retries: bar.retries, title: title)
  }
}
