import Platform

/// Names of files that no other process makes, in the order of time.
enum UniqueName {
  static func next() -> String {
    let now = BootClock.now.components
    let time = String(now.seconds * 1_000_000_000 + now.attoseconds / 1_000_000_000)
    return String(repeating: "0", count: 20 - time.count) + time + "-\(getpid())"
  }

  /// The process that has made a name.
  static func process(of name: String) -> Int32? {
    name.cut(atLast: "-").flatMap { Int32($0.after) }
  }
}
