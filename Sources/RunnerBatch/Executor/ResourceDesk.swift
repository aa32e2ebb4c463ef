import Scripting

/// Asks the worker for what executions use: it counts for the executors of all its batches. On the loop's
/// thread.
final class ResourceDesk: ResourceSource {
  typealias Granted = ([String: ResourcePool.Stock], @escaping () -> Void) -> Void

  private let log: ExecutorLog
  private var last: Int64 = 0
  private var waiting: [Int64: Granted] = [:]

  init(_ log: ExecutorLog) { self.log = log }

  func take(
    _ wanted: Resources, of offers: Resources, for user: String, rank: ResourcePool.Rank,
    _ granted: @escaping Granted
  ) -> () -> Void {
    last += 1
    let wish = last
    waiting[wish] = granted
    log.take(wish, wanted, of: offers, for: user, rank: rank)
    return { [self] in
      // What was granted meanwhile is given back when its line is read.
      if waiting.removeValue(forKey: wish) != nil { log.free(wish) }
    }
  }

  /// Passes on a promise of the worker.
  func grant(_ wish: Int64, _ stocks: [String: ResourcePool.Stock]) {
    // The worker has read that it is not wanted any more, or will.
    guard let granted = waiting.removeValue(forKey: wish) else { return }
    granted(stocks) { [log] in log.free(wish) }
  }
}
