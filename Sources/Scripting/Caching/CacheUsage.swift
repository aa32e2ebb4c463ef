import Platform

/// How much a store holds, and how often it was of use. A hint: what is removed is decided by what is
/// there.
package struct CacheUsage: Sendable, Equatable {
  /// The bytes that were stored since the store was measured, with those that were there then.
  package var bytes = 0
  /// How often a result was restored.
  package var hits = 0
  /// How often there was none.
  package var misses = 0
  /// The seconds that the restored executions had taken.
  package var saved = 0.0

  /// Makes an empty one.
  package init() {}

  fileprivate init?(_ content: [UInt8]) {
    var reader = ByteReader(content)
    guard let bytes = try? reader.integer(), let hits = try? reader.integer(),
      let misses = try? reader.integer(), let saved = try? reader.number(), reader.isAtEnd
    else { return nil }
    (self.bytes, self.hits, self.misses) = (bytes, hits, misses)
    self.saved = Double(bitPattern: saved)
  }

  fileprivate var content: [UInt8] {
    var writer = ByteWriter()
    writer.write(bytes)
    writer.write(hits)
    writer.write(misses)
    writer.write(saved.bitPattern)
    return writer.bytes
  }
}

extension ResultCache {
  /// What is noted of the use of the store.
  package var usage: CacheUsage {
    fileContent("\(folder)/usage").flatMap(CacheUsage.init) ?? CacheUsage()
  }

  /// Changes the note, one program after the other.
  ///
  /// - Returns: the note after the change.
  @discardableResult
  func note(_ change: (inout CacheUsage) -> Void) -> CacheUsage {
    let path = "\(folder)/usage"
    var descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0, errno == ENOENT, makeFolders(above: path) {
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { return CacheUsage() }
    defer { unlockAndClose(descriptor) }
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    var usage = usage
    change(&usage)
    usage.content.withUnsafeBytes { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    return usage
  }
}
