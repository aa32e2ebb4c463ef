import Journal
import RunnerCore

/// A timeline for the terminal: a row per track.
package struct TimelineText {
  let timeline: Timeline
  let style: Style
  let width: Int

  package init(timeline: Timeline, style: Style, width: Int) {
    self.timeline = timeline
    self.style = style
    self.width = width
  }

  package var text: String {
    let names = timeline.groups.map(\.name.visibleInLine)
    let label = min(24, names.map(\.count).max() ?? 0)
    let room = max(20, width - label - 3)
    var lines = [
      "batch \(timeline.batch.id): \(timeline.batch.plan.visibleInLine), \(shortSeconds(timeline.length))",
      String(repeating: " ", count: label + 2) + axis(room),
    ]
    for (group, groupName) in zip(timeline.groups, names) {
      for (number, track) in group.tracks.enumerated() {
        let name = number == 0 ? clipped(groupName, label) : ""
        lines.append(
          name + String(repeating: " ", count: label - name.count) + "  " + row(track, room))
      }
    }
    lines.append(legend)
    if timeline.leftOut > 0 { lines.append("\(timeline.leftOut) more executions are left out") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func axis(_ room: Int) -> String {
    let end = shortSeconds(timeline.length)
    let middle = shortSeconds(timeline.length / 2)
    let half = room / 2
    let gap = max(1, half - 1 - middle.count / 2)
    var line = "0" + String(repeating: "─", count: gap) + middle
    line += String(repeating: "─", count: max(1, room - line.count - end.count)) + end
    return style.faint(line)
  }

  private enum Mark: Int, Comparable {
    case nothing, waiting, completed, running, cancelled, failing, retry, failed

    static func < (one: Mark, other: Mark) -> Bool { one.rawValue < other.rawValue }
  }

  /// If several share a cell, the one that needs attention is shown.
  private func row(_ track: [Timeline.Bar], _ room: Int) -> String {
    var cells = [Mark](repeating: .nothing, count: room)
    func cell(_ time: Double) -> Int {
      min(room - 1, max(0, Int(time / timeline.length * Double(room))))
    }
    for bar in track {
      let mark: Mark =
        switch bar.execution.state {
        case .completed: .completed
        case .failed: .failing
        case .running: .running
        case .cancelled, .interrupted: .cancelled
        }
      for index in cell(bar.waiting)..<max(cell(bar.waiting), cell(bar.start)) {
        cells[index] = max(cells[index], .waiting)
      }
      for index in cell(bar.start)...cell(bar.end) { cells[index] = max(cells[index], mark) }
      if mark == .failing { cells[cell(bar.end)] = .failed }
      for time in bar.retries { cells[cell(time)] = max(cells[cell(time)], .retry) }
    }
    return cells.map { mark in
      switch mark {
      case .nothing: " "
      case .waiting: style.faint("·")
      case .completed: style.good("█")
      case .running: style.strong("▒")
      case .cancelled: style.warning("▒")
      case .retry: style.warning("↻")
      case .failing: style.error("█")
      case .failed: style.error("✗")
      }
    }.joined()
  }

  private var legend: String {
    style.faint("· waiting  █ completed  ✗ failed  ↻ retried  ▒ cancelled, interrupted or running")
  }
}
