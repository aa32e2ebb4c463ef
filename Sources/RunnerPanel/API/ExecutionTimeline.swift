import Platform
import RunnerCore

extension TimelinePicture {
  /// For how many seconds what had ended before the panel began is in the picture.
  private static let past = 3_600.0

  /// The picture of executions, in the order of their requests, by their commands, or by the workers
  /// that execute them.
  init(of executions: [PanelExecution], width: Double, title: String) {
    let now = WallClock.seconds
    // What was there before the panel may be of any age.
    let executions = executions.filter { !$0.isPast || now - ($0.ended ?? now) < Self.past }
    let begin = executions.map(\.created).min() ?? now
    var groups: [Group] = []
    var length = 0.001
    let ordered = executions.sorted { ($0.started ?? now) < ($1.started ?? now) }
    for execution in ordered {
      let bar = Bar(execution, since: begin, now: now)
      length = max(length, bar.end)
      let name =
        execution.worker ?? (execution.batch == nil ? execution.command : "no worker")
      let index = groups.firstIndex { $0.name == name } ?? groups.count
      if index == groups.count { groups.append((name, [])) }
      groups[index].tracks.place(bar)
    }
    self.init(
      title: "\(title), \(shortSeconds(length))", groups, length: length, width: width)
  }
}

extension TimelinePicture.Bar {
  fileprivate init(_ execution: PanelExecution, since begin: Double, now: Double) {
    let end = execution.ended ?? now
    let start = execution.started ?? end
    let state =
      switch execution.state {
      case .waiting, .queued: "waiting"
      case .running, .cancelling: "running"
      case .completed, .failed, .cancelled: execution.state.rawValue
      }
    self.init(
      state: state, waiting: execution.created - begin, start: start - begin,
      end: max(start, end) - begin, retries: execution.retries.map { $0 - begin },
      title: "#\(execution.id) \(execution.command): \(execution.state.rawValue), "
        + shortSeconds(end - start))
  }
}
