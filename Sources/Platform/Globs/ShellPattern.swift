/// Patterns as shells and make match them: `*`, `?` and `[…]`, also for folders.
public enum ShellPattern {
  /// Returns the paths that a pattern matches, in the order of the C library.
  ///
  /// - Parameter folder: the folder where a pattern begins that has no leading slash. Its paths are
  ///   relative to it.
  public static func paths(_ pattern: String, in folder: String) -> [String] {
    var prefix: [UInt8] = []
    if !pattern.hasPrefix("/") {
      for byte in folder.exactBytes + Array("/".utf8) {
        if "*?[\\".utf8.contains(byte) { prefix.append(UInt8(ascii: "\\")) }
        prefix.append(byte)
      }
    }
    var found = glob_t()
    defer { globfree(&found) }
    let bytes = (prefix + pattern.exactBytes + [0]).map(CChar.init(bitPattern:))
    guard glob(bytes, 0, nil, &found) == 0 else { return [] }
    let start = prefix.isEmpty ? 0 : folder.exactBytes.count + 1
    return (0..<Int(found.gl_pathc)).compactMap { index in
      found.gl_pathv[index].map { path in
        let bytes = UnsafeRawBufferPointer(start: path, count: strlen(path))
        return String(exactly: UnsafeRawBufferPointer(rebasing: bytes[start...]))
      }
    }
  }
}
