import Digests

/// The key of a plan entry's content: equal entries have equal keys, regardless of their line or
/// place. It is the first 16 bytes of a SHA-256 digest.
public struct EntryKey: Sendable, Hashable {
  /// The 16 bytes.
  package let bytes: [UInt8]

  /// The key of some parts; their order and their boundaries count.
  public init(_ parts: String...) {
    var digest = SHA256()
    for part in parts {
      digest.update("\(part.utf8.count):".utf8)
      digest.update(part.utf8)
    }
    bytes = Array(digest.finish().prefix(16))
  }
}
