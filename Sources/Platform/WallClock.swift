/// The time of day, which may be set back.
public enum WallClock {
  /// Nanoseconds since 1970.
  public static var nanoseconds: Int64 {
    let time = now
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Milliseconds since 1970.
  public static var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// Seconds since 1970.
  public static var seconds: Double {
    let time = now
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The time as the system has it, since 1970.
  public static var now: timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time
  }
}
