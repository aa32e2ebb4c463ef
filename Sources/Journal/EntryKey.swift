import Digests

/// The key of a plan entry's content: equal entries have equal keys, regardless of their line or
/// place. It is the first 16 bytes of a SHA-256 digest.
public struct EntryKey: Sendable, Hashable {
  /// The two halves of the 16 bytes, as they stand in memory.
  let words: (high: UInt64, low: UInt64)

  /// The key of some parts; their order and their boundaries count.
  public init(_ parts: String...) {
    var digest = SHA256()
    for part in parts { digest.update(part: part) }
    words = digest.finish { EntryKey.words(UnsafeRawBufferPointer(rebasing: $0[..<16])) } ?? (0, 0)
  }

  /// The 16 bytes.
  package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// The two halves of a key; nil for bytes that are no key.
  static func words(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
    guard bytes.count == 16 else { return nil }
    return (
      bytes.loadUnaligned(as: UInt64.self),
      bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    )
  }

  /// Equal keys are keys of equal entries, but for collisions of SHA-256.
  public static func == (one: EntryKey, other: EntryKey) -> Bool { one.words == other.words }

  /// Hashes a part of the key, which is itself a digest.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.high) }
}
