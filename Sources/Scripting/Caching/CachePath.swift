import Platform

/// A path below the folder of the command file, as its names; so it means the same in each checkout.
struct CachePath: Sendable, Hashable {
  /// The names, at least one; none is empty, `.` or `..`.
  let names: [[UInt8]]

  /// - Returns: nil for a path that leads out of the folder, or to the folder itself.
  init?(_ path: String, in root: String?) {
    self.init(bytes: (path.withoutPrefix(root) ?? path).exactBytes)
  }

  init?(bytes: [UInt8]) {
    guard bytes.first != UInt8(ascii: "/"), !bytes.contains(0) else { return nil }
    let names = bytes.split(separator: UInt8(ascii: "/"))
      .filter { !$0.elementsEqual(".".utf8) }.map { [UInt8]($0) }
    guard !names.isEmpty, !names.contains(where: { $0.elementsEqual("..".utf8) }) else {
      return nil
    }
    self.names = names
  }

  var bytes: [UInt8] { Array(names.joined(separator: [UInt8(ascii: "/")])) }
  var text: String { String(exactly: bytes) }
  var last: [UInt8] { names[names.count - 1] }
  var folder: ArraySlice<[UInt8]> { names.dropLast() }
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
