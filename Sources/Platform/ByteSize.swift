extension Int {
  /// Reads a size in bytes: `256M`, `1.5GiB` or `4096`. `K`, `M`, `G` and `T` are powers of 1,024, in either
  /// case, and `B` or `iB` may follow; nil for anything else, and for less than a byte.
  public init?(size text: String) {
    var number = text.lowercased()[...]
    for ending in ["ib", "b"] where number.hasSuffix(ending) {
      number = number.dropLast(ending.count)
      break
    }
    var factor = 1
    if let unit = number.last, let index = "kmgt".firstIndex(of: unit) {
      factor = 1 << (10 * ("kmgt".distance(from: "kmgt".startIndex, to: index) + 1))
      number = number.dropLast()
    }
    if let whole = Int(number) {
      let (size, isTooLarge) = whole.multipliedReportingOverflow(by: factor)
      guard whole > 0, !isTooLarge else { return nil }
      self = size
      return
    }
    // `Double` reads more than decimals, such as `0x1p3` and `nan`.
    guard factor > 1, number.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
      let part = Double(number), let size = Int(exactly: (part * Double(factor)).rounded()),
      size > 0
    else { return nil }
    self = size
  }
}
