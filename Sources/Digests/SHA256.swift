import CCrypto

/// The SHA-256 digest (FIPS 180-4) of bytes that arrive in pieces.
public struct SHA256: Sendable {
  private var context = SHA256_CTX()

  /// The digest of no bytes.
  public init() { SHA256_Init(&context) }

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA256_Update(&context, bytes.baseAddress, bytes.count)
  }

  /// Adds bytes.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    ContiguousArray(bytes).withUnsafeBytes { update($0) }
  }

  /// Adds the UTF-8 bytes of a text as a part of several: its boundaries count.
  public mutating func update(part text: String) {
    var text = text
    text.withUTF8 { update(part: UnsafeRawBufferPointer($0)) }
  }

  /// Adds bytes as a part of several: their boundaries count.
  public mutating func update(part bytes: [UInt8]) {
    bytes.withUnsafeBytes { update(part: $0) }
  }

  private mutating func update(part bytes: UnsafeRawBufferPointer) {
    var length = "\(bytes.count):"
    length.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    update(bytes)
  }

  /// Finishes the digest and returns its 32 bytes.
  public mutating func finish() -> [UInt8] { finish { Array($0) } }

  /// Finishes the digest and passes on its 32 bytes.
  public mutating func finish<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: Int(SHA256_DIGEST_LENGTH), alignment: 8) { space in
      SHA256_Final(space.baseAddress, &context)
      return body(UnsafeRawBufferPointer(space))
    }
  }
}
