import Platform

/// Whether the long forms of tests run.
enum LongRun {
  static let isOn = getenv("RACLETTE_LONG") != nil
}
