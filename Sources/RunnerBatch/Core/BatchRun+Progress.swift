import RunnerCore
import Scripting

extension BatchRun: ProgressSource {
  /// Exact once the plan has been read, estimated from its size before.
  var total: (count: Int, isExact: Bool)? {
    guard let fraction = claimQueue.fraction, fraction > 0 else { return nil }
    let supplied = claimQueue.supplied
    return (max(supplied, Int(Double(supplied) / fraction)), fraction >= 1)
  }

  var runningCommands: [String] { Set(stream.running.map(\.command)).sorted() }

  var awaitedCommands: [String] {
    scheduler.runningCount == 0 ? scheduler.disabledCommands.map(\.name) : []
  }
}
