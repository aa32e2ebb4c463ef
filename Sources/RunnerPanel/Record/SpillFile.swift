import Platform

/// A file without a name, for what would take too much memory. The system frees it when the program
/// ends, however that happens.
final class SpillFile {
  private let descriptor: Int32
  private var size = 0

  /// A new file; nil if the system gives none.
  init?() {
    guard let descriptor = Self.folders.lazy.compactMap(Self.create).first else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Returns: their place; nil if not all of them could be written; then the file is as it was.
  func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(size + written))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        ftruncate(descriptor, off_t(size))
        return nil
      }
      written += count
    }
    defer { size += written }
    return size..<size + written
  }

  /// Reads bytes that have been appended; nil if the system does not give them back.
  func read(_ range: Range<Int>) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeMutableBytes { space in
        pread(
          descriptor, space.baseAddress.map { $0 + start }, space.count - start,
          off_t(range.lowerBound + start))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      start += count
    }
    return bytes
  }

  /// The temporary folder, and before it one that is on a disk where that may be in memory.
  private static var folders: [String] {
    [ProcessEnvironment.value(of: "TMPDIR"), "/var/tmp", "/tmp"].compactMap { $0 }
      .filter { !$0.isEmpty }
  }

  private static func create(in folder: String) -> Int32? {
    #if os(Linux)
      let flags = O_RDWR | O_CLOEXEC | 0o20200000  // O_TMPFILE
      let descriptor = open(folder, flags, 0o600)
      if descriptor >= 0 { return descriptor }
    #endif
    var template = Array("\(folder)/raclette-XXXXXX".utf8CString)
    let named = mkstemp(&template)
    guard named >= 0 else { return nil }
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    _ = template.withUnsafeBufferPointer { $0.baseAddress.map { unlink($0) } }
    return named
  }
}
