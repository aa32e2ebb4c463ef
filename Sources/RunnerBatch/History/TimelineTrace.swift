import Journal
import RunnerCore
import Scripting

/// A timeline in Chrome's trace event format, which Perfetto reads too: one process per command,
/// or per worker of a journal on a server, and one thread per track.
package struct TimelineTrace {
  let timeline: Timeline

  package init(timeline: Timeline) {
    self.timeline = timeline
  }

  package var text: String {
    var events: [JSONValue] = []
    for (process, group) in timeline.groups.enumerated() {
      events.append(
        .object([
          ("ph", .string("M")), ("name", .string("process_name")), ("pid", number(process + 1)),
          ("args", .object([("name", .string(group.name))])),
        ]))
      for (thread, track) in group.tracks.enumerated() {
        for bar in track { events += self.events(of: bar, process + 1, thread + 1) }
      }
    }
    return JSONValue.object([
      ("displayTimeUnit", .string("ms")), ("traceEvents", .list(events)),
    ]).text + "\n"
  }

  private func events(of bar: Timeline.Bar, _ process: Int, _ thread: Int) -> [JSONValue] {
    let execution = bar.execution
    let place: [(String, JSONValue)] = [("pid", number(process)), ("tid", number(thread))]
    var arguments: [(String, JSONValue)] = [
      ("execution", .integer(execution.id)), ("state", .string(execution.state.rawValue)),
      ("waited", .number(max(0, bar.start - bar.claimed))),
      ("attempts", number(execution.attempts)),
    ]
    if let input = JSONValue(text: execution.input) { arguments.append(("input", input)) }
    if let worker = execution.worker { arguments.append(("worker", .string(worker))) }
    if let error = execution.error { arguments.append(("error", .string(error))) }
    var color: [(String, JSONValue)] = []
    if execution.state == .failed { color = [("cname", .string("terrible"))] }
    var events: [JSONValue] = [
      .object(
        [
          ("ph", .string("X")), ("name", .string(execution.name ?? execution.command)),
          ("cat", .string(execution.state.rawValue)), ("ts", number(microseconds(bar.start))),
          ("dur", number(microseconds(bar.end) - microseconds(bar.start))),
        ] + place + color + [("args", .object(arguments))])
    ]
    for time in bar.retries {
      events.append(
        .object(
          [
            ("ph", .string("i")), ("s", .string("t")), ("name", .string("retry")),
            ("ts", number(microseconds(time))),
          ] + place))
    }
    return events
  }

  private func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }

  /// A time in the unit of the format. A duration is the difference of two of them: slices of one track
  /// must not overlap.
  private func microseconds(_ seconds: Double) -> Int { Int((max(0, seconds) * 1e6).rounded()) }
}
