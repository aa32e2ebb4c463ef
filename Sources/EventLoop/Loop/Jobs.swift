import CLibUV
import Platform
import Synchronization

extension EventLoop {
  typealias Job = @Sendable () -> Void

  /// The jobs and keep-alive counts that other threads hand to the loop.
  struct Inbox {
    var jobs: [Job] = []
    var keepAlives = 0
    var isClosed = false
  }

  /// Runs `job` on the loop's thread, in the order of the calls, never inside this call.
  ///
  /// From any thread. A job enqueued by another job runs in the next turn, after pending I/O. A
  /// loop with queued jobs does not end; a loop that is not running keeps them until it runs; a
  /// closed loop drops them.
  public func enqueue(_ job: @escaping @Sendable () -> Void) {
    let isOnLoopThread = isOnLoopThread
    inbox.withLock { inbox in
      guard !inbox.isClosed else { return }
      let isFirst = inbox.jobs.isEmpty
      inbox.jobs.append(job)
      guard isFirst else { return }
      if isOnLoopThread {
        // No system call: an idle handle makes the next poll return at once.
        uv_idle_start(nextTurn, EventLoop.drainOnIdle)
      } else {
        // Called under the lock, so that `close()` cannot free the handle meanwhile.
        uv_async_send(wakeUp)
      }
    }
  }

  /// Runs `body` in the next turn. Called only on the loop's thread, so the body may capture
  /// anything.
  func later(_ body: @escaping () -> Void) {
    confine()
    enqueue(onLoop(body))
  }

  static let drainOnIdle: uv_idle_cb = { handle in
    guard let data = handle?.pointee.data else { return }
    EventLoop.behind(data).drain()
  }

  /// True if there is anything left to wait for: see `run()`. Loop's thread.
  public var isAlive: Bool {
    confine()
    return hasWork || uv_loop_alive(raw) != 0
  }

  /// True if `run()` has a reason to continue that libuv does not know of.
  var hasWork: Bool {
    inbox.withLock { !$0.jobs.isEmpty || $0.keepAlives > 0 }
  }

  var hasJobs: Bool { inbox.withLock { !$0.jobs.isEmpty } }

  /// Runs the jobs that are queued now; jobs they add wait for the next turn.
  func drain() {
    // A single turn that has done some work must not wait as well, so the handle stays active until
    // the end of the turn.
    if !isSingleTurn { uv_idle_stop(nextTurn) }
    var batch = spareBatch
    spareBatch = []
    inbox.withLock { swap(&$0.jobs, &batch) }
    for job in batch { job() }
    if batch.capacity <= 4_096 {
      batch.removeAll(keepingCapacity: true)
      spareBatch = batch
    }
    alignKeepAlive()
  }
}
