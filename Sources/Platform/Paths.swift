// Overloads of the C library's functions that take a path, for paths as text. They pass the bytes
// that the text represents, where Swift's own conversion would pass its UTF-8. A file that calls
// one of them by name and imports this module gets these overloads; a call with a pointer, as here,
// gets the C library's function.

/// `open(2)`.
public func open(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0) }

/// `open(2)` with the permissions of a file that it creates.
public func open(_ path: String, _ flags: Int32, _ permissions: FilePermissions) -> Int32 {
  path.withCBytes { path in
    open(path, flags, permissions)
  }
}

/// `fopen(3)`.
public func fopen(_ path: String, _ mode: String) -> UnsafeMutablePointer<FILE>? {
  path.withCBytes { path in
    fopen(path, mode)
  }
}

/// `access(2)`.
public func access(_ path: String, _ mode: Int32) -> Int32 {
  path.withCBytes { path in
    access(path, mode)
  }
}

/// `stat(2)`.
public func stat(_ path: String, _ information: UnsafeMutablePointer<stat>) -> Int32 {
  path.withCBytes { path in
    stat(path, information)
  }
}

/// `lstat(2)`.
public func lstat(_ path: String, _ information: UnsafeMutablePointer<stat>) -> Int32 {
  path.withCBytes { path in
    lstat(path, information)
  }
}

/// `chdir(2)`.
public func chdir(_ path: String) -> Int32 {
  path.withCBytes { path in
    chdir(path)
  }
}

/// `mkdir(2)`.
@discardableResult
public func mkdir(_ path: String, _ permissions: FilePermissions) -> Int32 {
  path.withCBytes { path in
    mkdir(path, permissions)
  }
}

/// `unlink(2)`.
@discardableResult
public func unlink(_ path: String) -> Int32 {
  path.withCBytes { path in
    unlink(path)
  }
}

/// `rename(2)`.
public func rename(_ path: String, _ target: String) -> Int32 {
  path.withCBytes { path in
    target.withCBytes { target in
      rename(path, target)
    }
  }
}

/// The absolute path without symbolic links; nil, with `errno`, if nothing exists there.
public func resolvedPath(_ path: String) -> String? {
  path.withCBytes { path in
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(exactly: real)
  }
}

/// The target of a symbolic link, as it was written; nil, with `errno`, if it is not a link.
public func linkTarget(of path: String) -> String? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { space in
    let count = path.withCBytes { readlink($0, space.baseAddress!, Int(PATH_MAX)) }
    guard count >= 0 else { return nil }
    space[count] = 0
    return String(exactly: space.baseAddress!)
  }
}

/// The names in a folder, except `.` and `..`, in the system's order; nil, with `errno`, if it
/// cannot be read.
public func names(inFolder path: String) -> [String]? {
  guard let folder = path.withCBytes({ opendir($0) }) else { return nil }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: 256) { String(exactly: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Returns true if a path leads to the file that a descriptor has open, without a link at its end: nobody
/// has removed or replaced the file.
public func isOpen(_ descriptor: Int32, at path: String) -> Bool {
  var (own, named) = (stat(), stat())
  return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
    && own.st_ino == named.st_ino && own.st_dev == named.st_dev
}

/// The names of the folders in a folder, without links to folders, in the system's order; none if it
/// cannot be read.
public func folderNames(inFolder path: String) -> [String] {
  guard let folder = path.withCBytes({ opendir($0) }) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let type = Int32(entry.pointee.d_type)
    guard type == Int32(DT_DIR) || type == Int32(DT_UNKNOWN) else { continue }
    let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: 256) { String(exactly: $0) }
    }
    if name == "." || name == ".." { continue }
    var information = stat()
    // Some file systems do not tell what a name is of.
    let isFolder =
      type == Int32(DT_DIR)
      || lstat("\(path)/\(name)", &information) == 0 && information.kind == .folder
    if isFolder { names.append(name) }
  }
  return names
}

/// The process's working directory; nil, with `errno`, if it is unknown.
public func currentFolder() -> String? {
  guard let path = getcwd(nil, 0) else { return nil }
  defer { free(path) }
  return String(exactly: path)
}
