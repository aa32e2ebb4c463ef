import Platform
import RunnerCore
import Scripting

/// The results of a batch, for each of its commands and scripts.
final class BatchStatistics: BatchObserver {
  struct Row {
    var counts = EntryCounts()
    /// The total duration of the executed ones, in seconds.
    var total = 0.0
    var longest = 0.0

    var executed: Int { counts.completed + counts.failed + counts.cancelled }
    var mean: Double { executed == 0 ? 0 : total / Double(executed) }
  }

  private(set) var rows: [String: Row] = [:]
  /// The first failures.
  private(set) var failures: [(result: BatchResult, failure: Failure)] = []
  private static let mostFailures = 1_000

  func ended(_ result: BatchResult) {
    let name = result.entry.kind == .malformed ? "(malformed)" : result.entry.command
    var row = rows[name] ?? Row()
    row.counts.count(result)
    row.counts.retries += max(0, result.attempts - 1)
    row.total += result.duration
    row.longest = max(row.longest, result.duration)
    rows[name] = row
    if case .failed(let failure) = result.outcome, failures.count < Self.mostFailures {
      failures.append((result, failure))
    }
  }

  /// The rows, sorted by name.
  var sorted: [(name: String, row: Row)] {
    rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// An aligned table, one line per command.
  func table(_ style: Style) -> String {
    var lines = [["", "done", "failed", "cancelled", "skipped", "retries", "mean", "longest"]]
    for (name, row) in sorted {
      let counts = row.counts
      lines.append(
        [name.visibleInLine]
          + [counts.completed, counts.failed, counts.cancelled, counts.skipped, counts.retries]
          .map { $0 == 0 ? "-" : String($0) }
          + [row.mean, row.longest].map { row.executed == 0 ? "-" : shortSeconds($0) })
    }
    let used = lines[0].indices.filter { column in
      column < 2 || column > 5 || lines.dropFirst().contains { $0[column] != "-" }
    }
    let widths = used.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.enumerated().map { number, line in
      let cells = zip(used, widths).map { column, width in
        let padding = String(repeating: " ", count: width - line[column].count)
        return column == 0 ? line[column] + padding : padding + line[column]
      }
      let text = "  " + cells.joined(separator: "  ") + "\n"
      return number == 0 ? style.faint(text) : text
    }.joined()
  }
}
