import Platform

/// A file of this package.
package struct TextFile {
  package enum Failure: Error {
    case unreadable(String)
    case unwritable(String)
  }

  package let lines: [String]

  package init(_ path: String) throws {
    lines = String(decoding: try Self.bytes(path), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Whether a file has a text. To look for it in each line takes a hundred times as long.
  package static func has(_ text: String, inFile path: String) throws -> Bool {
    let bytes = try bytes(path) + [0]
    return bytes.withUnsafeBytes { strstr($0.bindMemory(to: CChar.self).baseAddress!, text) != nil }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "re") else { throw Failure.unreadable(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk.prefix(count)
    }
    return bytes
  }

  package static func write(_ lines: [String], to path: String) throws {
    guard let file = fopen(path, "we") else { throw Failure.unwritable(path) }
    defer { fclose(file) }
    let bytes = Array(lines.joined(separator: "\n").utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw Failure.unwritable(path)
    }
  }

  /// The names in a folder, sorted.
  package static func names(inFolder path: String) throws -> [String] {
    guard let folder = opendir(path) else { throw Failure.unreadable(path) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The paths of the files in a folder and its folders.
  package static func paths(inFolder path: String) throws -> [String] {
    try names(inFolder: path).flatMap { name in
      (try? paths(inFolder: "\(path)/\(name)")) ?? ["\(path)/\(name)"]
    }
  }

  /// The folder of the package.
  package static let packageFolder = #filePath.split(separator: "/").dropLast(3)
    .reduce(into: "") { $0 += "/" + $1 }
}
