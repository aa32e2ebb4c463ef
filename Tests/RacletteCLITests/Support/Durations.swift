extension String {
  /// This text with each duration that the program printed (`3 ms`, `1.2 s`, `31 s`, `2 min 5 s`)
  /// replaced: how long something took is another each time.
  func replacingDurations(with text: String = "TIME") -> String {
    replacing(/\d+ ms\b|(\d+ min )?\d+(\.\d)? s\b/, with: text)
  }
}
