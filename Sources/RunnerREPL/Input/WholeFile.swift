import Platform
import RunnerCore

/// The bytes of a file.
enum WholeFile {
  /// - Returns: nil, with `errno` set, if the file cannot be read.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Not filled with zeros: the prompt waits for the history, of which there may be little.
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      var bytes: [UInt8] = []
      while true {
        let count = readBytes(from: descriptor, into: space)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count == 0 ? bytes : nil }
        bytes += UnsafeRawBufferPointer(rebasing: space[..<count])
      }
    }
  }
}
