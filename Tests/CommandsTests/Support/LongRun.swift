#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether tests take the time for what takes minutes: with `RACLETTE_LONG=1` in the environment.
enum LongRun {
  static let isEnabled = getenv("RACLETTE_LONG") != nil
}
