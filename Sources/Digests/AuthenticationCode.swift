extension SHA256 {
  private static let blockSize = 64

  /// The code of a message that only those who know the key can compute: HMAC (RFC 2104) with SHA-256.
  ///
  /// - Parameter key: up to 64 bytes; longer ones are replaced by their digests.
  public static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let key = key.count > blockSize ? digest(of: key) : key
    let block = key + [UInt8](repeating: 0, count: blockSize - key.count)
    let inner = digest(of: block.map { $0 ^ 0x36 } + message)
    return digest(of: block.map { $0 ^ 0x5c } + inner)
  }
}
