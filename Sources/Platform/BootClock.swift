/// A clock that goes on while the machine is suspended, and that no one sets. All processes of a
/// machine read the same time.
public enum BootClock {
  /// The time since the machine was started.
  public static var now: Duration {
    var time = timespec()
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
