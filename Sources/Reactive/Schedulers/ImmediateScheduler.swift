#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs work at once; nested work runs after the work that scheduled it, as a loop on the thread.
final class ImmediateScheduler: Scheduler, @unchecked Sendable {
  /// The work that nests inside the work a thread is running; of one thread only.
  private final class Trampoline {
    var queue = Queue<ScheduledWork>()
  }

  private let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private let timers = QueueScheduler(named: "reactive.immediate.timers")

  @discardableResult
  override func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    let item = ScheduledWork(work)
    if let running = pthread_getspecific(key) {
      Unmanaged<Trampoline>.fromOpaque(running).takeUnretainedValue().queue.append(item)
      return item
    }
    let trampoline = Trampoline()
    withExtendedLifetime(trampoline) {
      pthread_setspecific(key, Unmanaged.passUnretained(trampoline).toOpaque())
      perform {
        item.runOnce()
        while let next = trampoline.queue.popFirst() { next.runOnce() }
      }
      pthread_setspecific(key, nil)
    }
    return item
  }

  @discardableResult
  override func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    guard delay > .zero else { return schedule(work) }
    return timers.schedule(after: delay) { self.schedule(work) }
  }

  @discardableResult
  override func schedule(
    every interval: Duration, leeway: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    timers.schedule(every: interval, leeway: leeway) { self.schedule(work) }
  }
}
