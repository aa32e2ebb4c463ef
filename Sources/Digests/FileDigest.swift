import Platform

extension SHA256 {
  /// The digest of some bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }

  /// The digest of a regular file's content.
  ///
  /// - Throws: `FileDigestError` if the file cannot be read.
  public static func digest(ofFile path: String) throws(FileDigestError) -> [UInt8] {
    var digest = SHA256()
    let code = readFile(path) { digest.update($0) }
    guard code == 0 else { throw FileDigestError(path: path, code: code) }
    return digest.finish()
  }
}

/// A file that cannot be read.
public struct FileDigestError: Error, Equatable, CustomStringConvertible {
  /// The path as it was given.
  public let path: String
  /// The system's error number.
  public let code: Int32

  /// Makes the error of a path.
  public init(path: String, code: Int32) { (self.path, self.code) = (path, code) }

  /// One readable line.
  public var description: String {
    let reason =
      switch code {
      case EISDIR: "it is a folder"
      case EINVAL: "it is not a regular file"
      default: systemErrorText(code)
      }
    return "cannot read '\(path)': \(reason)"
  }
}
