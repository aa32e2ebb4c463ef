import Platform

/// Opens folders below the folder of the command file, one name after the other, and never through a
/// symbolic link. It keeps the last one open, because paths come in their order.
final class FolderWay {
  private let root: Int32
  /// The names of the last folder, with slashes, and apart.
  private var last: [UInt8] = []
  private var names: [[UInt8]] = []
  private var descriptors: [Int32] = []

  /// - Throws: `CacheProblem.system` if the root cannot be opened.
  init(root path: String) throws(CacheProblem) {
    root = Platform.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else { throw .system(path, errno) }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
    close(root)
  }

  enum Missing {
    case made, refused
  }

  /// The descriptor of a folder, valid until the next call.
  ///
  /// - Parameter missing: whether folders are made where there are none.
  /// - Throws: `CacheProblem.behindLink` at a symbolic link, `obstructed` at something else.
  func folder(
    of path: CachePath, _ missing: Missing
  ) throws(CacheProblem) -> Int32 {
    if path.folder.elementsEqual(last) { return descriptors.last ?? root }
    return try descriptor(path.names.dropLast(), of: path, missing)
  }

  /// The descriptor of the folder that a path names.
  func open(_ path: CachePath, _ missing: Missing) throws(CacheProblem) -> Int32 {
    try descriptor(path.names[...], of: path, missing)
  }

  private func descriptor(
    _ wanted: ArraySlice<[UInt8]>, of path: CachePath, _ missing: Missing
  ) throws(CacheProblem) -> Int32 {
    let common = zip(names, wanted).prefix { $0 == $1 }.count
    while names.count > common {
      last.removeLast(min(last.count, names.removeLast().count + 1))
      close(descriptors.removeLast())
    }
    while names.count < wanted.count {
      let name = wanted[names.count]
      let next = try enter(name, missing, on: path, Array(wanted[...names.count]))
      if !names.isEmpty { last.append(UInt8(ascii: "/")) }
      last += name
      names.append(name)
      descriptors.append(next)
    }
    return descriptors.last ?? root
  }

  private func enter(
    _ name: [UInt8], _ missing: Missing, on path: CachePath, _ way: [[UInt8]]
  ) throws(CacheProblem) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let above = descriptors.last ?? root
    let text = String(exactly: Array(way.joined(separator: [UInt8(ascii: "/")])))
    for _ in 0..<2 {
      let next = name.withPath { openat(above, $0, flags) }
      if next >= 0 { return next }
      let code = errno
      if code == ENOENT, missing == .made {
        guard name.withPath({ mkdirat(above, $0, 0o777) }) == 0 || errno == EEXIST else {
          throw .system(text, errno)
        }
        continue
      }
      var information = stat()
      if name.withPath({ fstatat(above, $0, &information, AT_SYMLINK_NOFOLLOW) }) == 0 {
        switch information.kind {
        case .link: throw .behindLink(path.text, link: text)
        case .folder: break
        case .regular, .other: throw .obstructed(text)
        }
      }
      throw .system(text, code)
    }
    throw .system(text, ENOENT)
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as a C string.
  func withPath<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
    (self + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // Never empty: it contains the terminating zero.
        body($0.baseAddress.unsafelyUnwrapped)
      }
    }
  }
}
