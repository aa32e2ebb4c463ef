import Platform

extension String {
  /// True if the bytes precede those of another text.
  func isBefore(_ other: String) -> Bool { compareBytes(with: other) < 0 }

  /// True if both are the same bytes. Swift's `==` also holds for different bytes of one character.
  func hasBytes(of other: String) -> Bool { compareBytes(with: other) == 0 }

  private func compareBytes(with other: String) -> Int {
    var (first, second) = (self, other)
    let order = first.withUTF8 { first in
      second.withUTF8 { second in
        let order = Int(
          memcmp(first.baseAddress!, second.baseAddress!, Swift.min(first.count, second.count)))
        return order == 0 ? first.count - second.count : order
      }
    }
    // The exact bytes have the order of the texts' bytes but where some are not UTF-8. Most texts that
    // are compared are the same.
    guard order != 0, keepsBytes || other.keepsBytes else { return order }
    let (ownBytes, otherBytes) = (exactBytes, other.exactBytes)
    if ownBytes == otherBytes { return 0 }
    return ownBytes.lexicographicallyPrecedes(otherBytes) ? -1 : 1
  }
}
