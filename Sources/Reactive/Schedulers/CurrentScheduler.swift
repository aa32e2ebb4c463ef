import Platform

/// The scheduler whose work a thread is running.
enum CurrentScheduler {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var value: Scheduler? {
    pthread_getspecific(key).map { Unmanaged<Scheduler>.fromOpaque($0).takeUnretainedValue() }
  }

  static func with(_ scheduler: Scheduler, _ work: () -> Void) {
    let outer = pthread_getspecific(key)
    withExtendedLifetime(scheduler) {
      pthread_setspecific(key, Unmanaged.passUnretained(scheduler).toOpaque())
      work()
      pthread_setspecific(key, outer)
    }
  }
}

/// Time since an arbitrary moment, unaffected by the wall clock.
enum MonotonicClock {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
