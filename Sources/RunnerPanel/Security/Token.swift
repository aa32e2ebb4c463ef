import Platform

/// The secret that a client has to send with each request: 256 random bits.
struct Token: Sendable {
  /// The token as text, in the alphabet of URLs.
  let text: String

  private static let byteCount = 32
  /// Its length in Base64 without padding.
  private static let length = 43
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// A new token.
  ///
  /// - Throws: `PanelError.noRandomness`.
  init() throws(PanelError) {
    text = try RandomText.make(bytes: Self.byteCount)
  }

  /// The token of a file, which is made if it is missing.
  ///
  /// - Throws: `PanelError.tokenFile` for a file that others may read, or without a token.
  init(file path: String) throws(PanelError) {
    let problem = { (reason: String) in PanelError.tokenFile(path, reason: reason) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw problem("cannot be read: \(systemErrorText(errno))") }
      self = try Token()
      try write(to: path)
      return
    }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw problem("is not a regular file")
    }
    guard information.st_uid == geteuid() else { throw problem("belongs to another user") }
    guard information.st_mode & 0o077 == 0 else {
      throw problem("can be read by others; to make it private: chmod 600")
    }
    var space = [UInt8](repeating: 0, count: 1_024)
    let count = space.withUnsafeMutableBytes { readBytes(from: descriptor, into: $0) }
    guard count >= 0 else { throw problem("cannot be read: \(systemErrorText(errno))") }
    let line = space[..<count].prefix { $0 != 10 && $0 != 13 }
    guard count < space.count, line.count >= Self.length,
      line.allSatisfy(Self.alphabet.contains)
    else {
      throw problem(
        "holds no token: one line of at least \(Self.length) letters, digits, '-' and '_'; "
          + "without the file, a new one is made")
    }
    text = String(decoding: line, as: UTF8.self)
  }

  private func write(to path: String) throws(PanelError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let line = Array((text + "\n").utf8)
    let count =
      descriptor < 0 ? -1 : line.withUnsafeBytes { writeBytes($0, to: descriptor) }
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    guard count == line.count else {
      throw .tokenFile(path, reason: "cannot be written: \(systemErrorText(code))")
    }
  }

  /// Returns true if a text is the token, in a time that does not depend on where they differ.
  func isEqual(to other: String) -> Bool {
    let (own, given) = (Array(text.utf8), Array(other.utf8))
    var difference = own.count ^ given.count
    for index in own.indices {
      difference |= Int(own[index] ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }
}

/// Random bytes as text.
enum RandomText {
  /// Returns random bytes in the alphabet of URLs.
  ///
  /// - Throws: `PanelError.noRandomness`.
  static func make(bytes count: Int) throws(PanelError) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    let source = open("/dev/urandom", O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .noRandomness }
    defer { close(source) }
    let read = bytes.withUnsafeMutableBytes { readBytes(from: source, into: $0) }
    guard read == count else { throw .noRandomness }
    return encoded(bytes)
  }

  /// Base64 for URLs, without padding.
  private static func encoded(_ bytes: [UInt8]) -> String {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
