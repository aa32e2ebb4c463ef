extension Glob {
  /// Returns the paths of the files below a folder that match, each once, in the order of their
  /// bytes. Relative patterns give paths relative to the folder, absolute patterns absolute ones.
  ///
  /// A folder that does not exist has no files.
  ///
  /// - Parameter folder: the folder where relative patterns begin.
  /// - Throws: `GlobError.unreadable` if a folder cannot be read.
  public func paths(in folder: String = ".") throws(GlobError) -> [String] {
    try walk(folder).sorted
  }

  /// Searches as `paths` does.
  ///
  /// - Parameter onFolder: called with the path of each folder right before its entries are looked at. As
  ///   long as none of these folders changes, the search finds the same paths.
  func walk(
    _ folder: String, _ onFolder: ((String) -> Void)? = nil
  ) throws(GlobError) -> GlobWalk {
    var walk = GlobWalk(folder)
    for isAbsolute in [false, true] where patterns.contains(where: { $0.isAbsolute == isAbsolute })
    {
      try walk.search(
        isAbsolute ? [UInt8(ascii: "/")] : [], GlobStates(patterns, isAbsolute: isAbsolute),
        onFolder)
    }
    return walk
  }
}

/// A search for files that match.
struct GlobWalk {
  /// What precedes relative paths: nothing, or a folder with a slash.
  private let base: [UInt8]
  private var found: [[UInt8]] = []

  fileprivate init(_ folder: String) {
    base =
      folder == "." ? [] : folder.exactBytes + (folder.hasSuffix("/") ? [] : [UInt8(ascii: "/")])
  }

  /// Something in a folder: a file that matches, or with its states a folder to search, whose path ends
  /// with a slash.
  private struct Item {
    let path: [UInt8]
    let states: GlobStates?
  }

  /// The paths in the order of their bytes, each once.
  var sorted: [String] {
    // They are found in that order, unless patterns lead to several places.
    let isOrdered = zip(found, found.dropFirst()).allSatisfy { !Self.precedes($1, $0) }
    let ordered = isOrdered ? found : found.sorted(by: Self.precedes)
    var paths: [String] = []
    paths.reserveCapacity(ordered.count)
    for (index, path) in ordered.enumerated() where index == 0 || ordered[index - 1] != path {
      paths.append(String(exactly: path))
    }
    return paths
  }

  private static func precedes(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    let order = memcmp(first, second, min(first.count, second.count))
    return order == 0 ? first.count < second.count : order < 0
  }

  /// - Parameter folder: nothing, or a path with a slash at its end.
  fileprivate mutating func search(
    _ folder: [UInt8], _ states: GlobStates, _ onFolder: ((String) -> Void)?
  ) throws(GlobError) {
    if states.isDead { return }
    onFolder?(String(exactly: opened(folder).dropLast()))
    var items: [Item] = []
    if let names = states.onlyNames {
      for name in names { visit(name, in: folder, states, &items) }
    } else {
      try list(folder, states, &items)
      if states.continuesUpwards { visit(Array("..".utf8), in: folder, states, &items) }
    }
    // In the order of their bytes a folder stands, with its slash, where the paths below it do; to sort
    // the entries of each folder costs half as much as to sort all paths.
    items.sort { Self.precedes($0.path, $1.path) }
    for item in items {
      guard let states = item.states else {
        found.append(item.path)
        continue
      }
      try search(item.path, states, onFolder)
    }
  }

  private func visit(
    _ name: [UInt8], in folder: [UInt8], _ states: GlobStates, _ items: inout [Item]
  ) {
    guard let entry = entry(folder + name) else { return }
    name.withUnsafeBytes { take($0, entry, in: folder, states, &items) }
  }

  private func list(
    _ folder: [UInt8], _ states: GlobStates, _ items: inout [Item]
  ) throws(GlobError) {
    let path = opened(folder)
    guard
      let stream = path.withUnsafeBufferPointer({ bytes in
        bytes.withMemoryRebound(to: CChar.self) { opendir($0.baseAddress!) }
      })
    else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw .unreadable(folder: String(exactly: path.dropLast()), code: errno)
    }
    defer { closedir(stream) }
    while let item = readdir(stream) {
      withUnsafePointer(to: &item.pointee.d_name) { name in
        let bytes = UnsafeRawBufferPointer(
          start: name, count: strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)))
        guard !bytes.elementsEqual(".".utf8), !bytes.elementsEqual("..".utf8) else { return }
        switch Int32(item.pointee.d_type) {
        case Int32(DT_REG): take(bytes, .file, in: folder, states, &items)
        case Int32(DT_DIR): take(bytes, .folder, in: folder, states, &items)
        default:
          guard let entry = entry(folder + bytes) else { return }
          take(bytes, entry, in: folder, states, &items)
        }
      }
    }
  }

  private func take(
    _ name: UnsafeRawBufferPointer, _ entry: GlobEntry, in folder: [UInt8], _ states: GlobStates,
    _ items: inout [Item]
  ) {
    if entry != .folder, states.matches(name, entry) {
      items.append(Item(path: folder + name, states: nil))
    }
    if entry != .file {
      let next = states.entering(name, entry)
      if !next.isDead {
        items.append(Item(path: folder + name + [UInt8(ascii: "/")], states: next))
      }
    }
  }

  /// What stands at a path; nil if there is nothing.
  private func entry(_ path: [UInt8]) -> GlobEntry? {
    opened(path).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { path -> GlobEntry? in
        var information = stat()
        guard lstat(path.baseAddress!, &information) == 0 else { return nil }
        switch information.kind {
        case .folder: return .folder
        case .link:
          guard stat(path.baseAddress!, &information) == 0 else { return .file }
          return information.kind == .folder ? .linkToFolder : .file
        case .regular, .other: return .file
        }
      }
    }
  }

  /// A path as the system takes it, with a zero at its end.
  private func opened(_ path: [UInt8]) -> [UInt8] {
    let isAbsolute = path.first == UInt8(ascii: "/")
    let full = isAbsolute ? path : base + path
    return (full.isEmpty ? [UInt8(ascii: ".")] : full) + [0]
  }
}
