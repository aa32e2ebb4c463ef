import Platform

/// Whether tests take the time for what takes minutes: with `RACLETTE_LONG=1` in the environment.
enum LongRun {
  static let isEnabled = getenv("RACLETTE_LONG") != nil
}
