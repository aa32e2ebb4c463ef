import Platform
import RunnerCore

/// The bytes of a file.
enum WholeFile {
  /// - Returns: nil, with `errno` set, if the file cannot be read.
  static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return ferror(file) == 0 ? bytes : nil
  }
}
