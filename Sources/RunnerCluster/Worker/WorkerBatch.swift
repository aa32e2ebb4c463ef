import EventLoop

/// A batch of which a worker holds entries, with the process that executes them.
final class WorkerBatch {
  let number: Int
  var executor: ExecutorProcess?
  /// The reason why none of its entries can be executed here.
  var failure: String?
  /// Tries again to prepare it after a failure that may pass, ever later.
  var nextTry: Timer?
  var tryDelay = Duration.zero
  /// The entries that wait for a job, or for the executor to be started.
  var waiting: [HeldEntry] = []
  /// True while its bundle is fetched.
  var isPreparing = false
  /// True once one of its entries has begun: what others wait for from then on is their command.
  var hasBegun = false
  /// The tokens, by the numbers of their entries, that it held when the lease was lost.
  var lost: [Int: Int] = [:]
  /// True once its executor has cancelled everything because the lease was not renewed.
  var isExpired = false
  /// The needs that its executor waits for while another worker executes them.
  var awaited: Set<String> = []
  /// The needs that its executor executes for all workers.
  var executing: Set<String> = []
  /// What gives back what its executor was promised, or waits for, by the numbers of its wishes.
  var uses: [Int: () -> Void] = [:]
  /// The time since which it has had nothing to do.
  var idleSince: Duration?

  init(_ number: Int) { self.number = number }

  func free(_ wish: Int) { uses.removeValue(forKey: wish)?() }

  /// Gives back what its executor had, which has ended.
  func freeAll() {
    let all = uses.values
    uses = [:]
    for free in all { free() }
  }
}
