import Platform

/// Runs work at once; nested work runs after the work that scheduled it, as a loop on the thread.
///
/// It is never the current scheduler: its work runs as part of the work of the thread's current
/// scheduler, if there is one.
final class ImmediateScheduler: Scheduler, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable.

  /// The nested work of the work that a thread is running; confined to one thread.
  private final class Trampoline {
    var queue: Queue<ScheduledWork>

    init(_ queue: Queue<ScheduledWork>) {
      self.queue = queue
    }
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
    var queue = Queue<ScheduledWork>()
    queue.append(item)
    run(queue)
    return item
  }

  /// Runs work and its nested work, outside any other such work.
  private func run(_ queue: Queue<ScheduledWork>) {
    let trampoline = Trampoline(queue)
    var stretch = Stretch()
    pthread_setspecific(key, Unmanaged.passUnretained(trampoline).toOpaque())
    defer { pthread_setspecific(key, nil) }
    while let next = trampoline.queue.popFirst() {
      next.runOnce()
      switch stretch.step() {
      case .goOn: continue
      case .pause(let pause):
        let rest = trampoline.queue
        return pause.end { self.run(rest) }
      case .fail(let error):
        while let dropped = trampoline.queue.popFirst() { dropped.dispose() }
        return TurnRequests.tell(of: error)
      }
    }
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
