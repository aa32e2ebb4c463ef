/// What an entry of a plan is by its content: equal entries have equal keys, whatever their line or
/// place. The first 16 bytes of a SHA-256 digest.
public struct EntryKey: Sendable, Hashable {
  let bytes: [UInt8]

  /// The key of some parts; their order and their bounds count.
  public init(_ parts: String...) {
    var digest = SHA256()
    for part in parts {
      digest.update("\(part.utf8.count):".utf8)
      digest.update(part.utf8)
    }
    bytes = Array(digest.finish().prefix(16))
  }
}
