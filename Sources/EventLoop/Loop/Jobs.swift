import CLibUV
import Synchronization

extension EventLoop {
  typealias Job = @Sendable () -> Void

  /// What other threads hand to the loop.
  struct Inbox {
    var jobs: [Job] = []
    var keepAlives = 0
    var isClosed = false
  }

  /// Runs `job` on the loop's thread, in the order of the calls, never inside this call.
  ///
  /// From any thread. A job that enqueues another gets it run in the next turn, after pending I/O.
  /// A loop with queued jobs does not end; a loop that does not run keeps them until it does; a
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
        // Under the lock, so that `close()` cannot free the handle meanwhile.
        uv_async_send(wakeUp)
      }
    }
  }

  /// Runs `body` in the next turn. On the loop's thread only, which is why it may capture anything.
  func later(_ body: @escaping () -> Void) {
    confine()
    // It stays on this thread: queued here, run and released in `drain()`.
    nonisolated(unsafe) let body = body
    enqueue { body() }
  }

  static let drainOnIdle: uv_idle_cb = { handle in
    guard let data = handle?.pointee.data else { return }
    EventLoop.behind(data).drain()
  }

  /// Whether there is anything left to wait for: see `run()`. Loop's thread.
  public var isAlive: Bool {
    confine()
    return hasWork || uv_loop_alive(raw) != 0
  }

  /// Whether `run()` has a reason to go on that libuv does not know of.
  var hasWork: Bool {
    inbox.withLock { !$0.jobs.isEmpty || $0.keepAlives > 0 }
  }

  var hasJobs: Bool { inbox.withLock { !$0.jobs.isEmpty } }

  /// Runs the jobs that are queued now; those that they add wait for the next turn.
  func drain() {
    // A single turn that had something to do must not wait as well, so it stays until its end.
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
