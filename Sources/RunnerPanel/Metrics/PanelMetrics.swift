import RunnerCore
import Scripting

/// What a panel has counted since it started, for Prometheus.
struct PanelMetrics {
  static let path = "/metrics"
  static let type = "text/plain; version=0.0.4; charset=utf-8"

  /// The ends of the executions of a command.
  private struct Ends: Hashable {
    let command: String
    let end: String
  }

  private var ends: [Ends: Int] = [:]
  private var durations: [String: DurationHistogram] = [:]
  private var services: [String: ServiceStatus] = [:]

  mutating func noteEnd(of execution: PanelExecution) {
    guard !execution.isPast else { return }
    let end = execution.isUpToDate ? "up_to_date" : execution.state.rawValue
    ends[Ends(command: execution.command, end: end), default: 0] += 1
    guard let started = execution.started, let ended = execution.ended else { return }
    durations[execution.command, default: DurationHistogram()].add(max(0, ended - started))
  }

  /// Forgets the services that are not among the names.
  mutating func keepServices(_ names: Set<String>) {
    services = services.filter { names.contains($0.key) }
  }

  mutating func note(_ status: ServiceStatus, of service: String) { services[service] = status }

  /// Writes what was counted.
  func write(to text: inout PrometheusText) {
    text.family("raclette_executions", .counter, "Executions that have ended, by how.") {
      for (key, count) in ends.sorted(by: {
        ($0.key.command, $0.key.end) < ($1.key.command, $1.key.end)
      }) {
        $0.add([("command", key.command), ("end", key.end)], Double(count), suffix: "_total")
      }
    }
    text.family(
      "raclette_execution_duration_seconds", .histogram, "How long ended executions have run."
    ) {
      for (command, histogram) in durations.sorted(by: { $0.key < $1.key }) {
        histogram.write(to: &$0, [("command", command)])
      }
    }
    let services = services.sorted { $0.key < $1.key }
    text.family("raclette_service_state", .gauge, "1 for the state that a service is in.") {
      for (name, status) in services {
        $0.add([("service", name), ("state", status.state.rawValue)], 1)
      }
    }
    text.family("raclette_service_users", .gauge, "The users of a service.") {
      for (name, status) in services { $0.add([("service", name)], Double(status.users)) }
    }
    text.family("raclette_service_restarts", .counter, "How often a service was restarted.") {
      for (name, status) in services {
        $0.add([("service", name)], Double(status.restarts), suffix: "_total")
      }
    }
  }
}

/// Durations by the smallest bound that they do not exceed.
private struct DurationHistogram {
  private static let bounds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600]

  private var counts = [Int](repeating: 0, count: bounds.count + 1)
  private var sum = 0.0

  mutating func add(_ seconds: Double) {
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }

  func write(to text: inout PrometheusText, _ labels: [PrometheusText.Label]) {
    var below = 0
    for (index, count) in counts.enumerated() {
      below += count
      let bound = index < Self.bounds.count ? PrometheusText.text(of: Self.bounds[index]) : "+Inf"
      text.add(labels + [("le", bound)], Double(below), suffix: "_bucket")
    }
    text.add(labels, sum, suffix: "_sum")
    text.add(labels, Double(below), suffix: "_count")
  }
}

extension Panel {
  /// The metrics at this moment.
  var metricsText: String {
    var text = PrometheusText()
    text.family("raclette_info", .gauge, "1, with the version.") {
      $0.add([("version", ScriptHost.version)], 1)
    }
    metrics.write(to: &text)
    let active = executions.active.filter { $0.held == nil }
    let shown = commands.filter { !$0.isPrivate }
    text.family(
      "raclette_executions_active", .gauge, "Executions that have not ended, by their state."
    ) {
      for state in [PanelExecution.State.waiting, .queued, .running, .cancelling] {
        for command in shown {
          let count = active.count { $0.command == command.name && $0.state == state }
          $0.add([("command", command.name), ("state", state.rawValue)], Double(count))
        }
      }
    }
    text.family("raclette_command_enabled", .gauge, "1 if a press would be accepted.") {
      for command in shown {
        $0.add([("command", command.name)], state(of: command).isEnabled ? 1 : 0)
      }
    }
    if let board { write(board, to: &text) }
    return Secrets.masked(text.text)
  }

  private func write(_ board: SharedBoard, to text: inout PrometheusText) {
    text.family("raclette_workers", .gauge, "The workers of the journal on a server.") {
      $0.add([], Double(board.workerCount))
    }
  }
}
