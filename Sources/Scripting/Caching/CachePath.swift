import Platform

/// A path below the folder of the command file, as its names; so it means the same in each checkout.
struct CachePath: Sendable, Hashable {
  /// The names with a slash between them, at least one; none is empty, `.` or `..`.
  let bytes: [UInt8]
  /// The index where the last name begins.
  private let start: Int

  /// - Returns: nil for a path that leads out of the folder, or to the folder itself.
  init?(_ path: String, in root: String?) {
    self.init(bytes: (path.withoutPrefix(root) ?? path).exactBytes)
  }

  init?(bytes: [UInt8]) {
    guard bytes.first != Self.slash, !bytes.contains(0) else { return nil }
    if let start = Self.startOfLastName(in: bytes) {
      (self.bytes, self.start) = (bytes, start)
      return
    }
    let names = Self.names(in: bytes).filter { !$0.isEmpty && !$0.elementsEqual(".".utf8) }
    self.bytes = Array(names.joined(separator: [Self.slash]))
    guard let start = Self.startOfLastName(in: self.bytes) else { return nil }
    self.start = start
  }

  /// Where the last name begins; nil unless all names are plain.
  private static func startOfLastName(in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      for index in 0...bytes.count where index == bytes.count || bytes[index] == slash {
        let name = bytes[start..<index]
        let dots = name.count < 3 && name.allSatisfy { $0 == UInt8(ascii: ".") }
        // No name is `.`, `..` or empty.
        if dots { return nil }
        if index < bytes.count { start = index + 1 }
      }
      return start
    }
  }

  private static let slash = UInt8(ascii: "/")

  private static func names(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: slash, omittingEmptySubsequences: false)
  }

  var names: [[UInt8]] { Self.names(in: bytes).map { [UInt8]($0) } }
  var text: String { String(exactly: bytes) }
  var last: [UInt8] { Array(bytes[start...]) }
  /// The names before the last one.
  var folder: ArraySlice<UInt8> { bytes[..<max(0, start - 1)] }

  static func == (one: CachePath, other: CachePath) -> Bool { one.bytes == other.bytes }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension String {
  /// The rest of an absolute path below a folder; nil if it is elsewhere.
  fileprivate func withoutPrefix(_ root: String?) -> String? {
    guard let root, hasPrefix("/"), hasPrefix(root + "/") else { return nil }
    return String(dropFirst(root.count + 1))
  }

  /// The path relative to the folder of the command file, if it leads into it; else as it is.
  func inCheckout(_ root: String?) -> String {
    if self == root { return "." }
    return CachePath(self, in: root)?.text ?? self
  }
}
