/// Makes the folders that lead to a path, for the user alone, as far as they are missing.
///
/// - Returns: false, with `errno`, if one cannot be made.
public func makeFolders(above path: String) -> Bool {
  for index in path.indices.dropFirst() where path[index] == "/" {
    if mkdir(String(path[..<index]), 0o700) != 0, errno != EEXIST { return false }
  }
  return true
}

/// Removes a folder with all that is in it, as far as possible. Links in it are removed, not what
/// they lead to.
public func removeFolder(_ path: String) {
  for name in names(inFolder: path) ?? [] {
    let place = "\(path)/\(name)"
    var information = stat()
    guard lstat(place, &information) == 0 else { continue }
    if information.kind == .folder { removeFolder(place) } else { unlink(place) }
  }
  rmdir(path)
}

/// Copies a folder with its regular files and folders, which the user may change in the copy.
///
/// - Returns: 0, or the system's error number with the path that it is about.
public func copyFolder(_ source: String, to target: String) -> (code: Int32, path: String) {
  if mkdir(target, 0o700) != 0 { return (errno, target) }
  guard let names = names(inFolder: source) else { return (errno, source) }
  for name in names {
    let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
    var information = stat()
    guard lstat(from, &information) == 0 else { return (errno, from) }
    switch information.kind {
    case .folder:
      let result = copyFolder(from, to: to)
      if result.code != 0 { return result }
    case .regular:
      let code = copyFile(from, to: to, mode: information.st_mode & 0o777 | 0o200)
      if code != 0 { return (code, to) }
    case .link, .other: break
    }
  }
  return (0, target)
}

private func copyFile(_ source: String, to target: String, mode: mode_t) -> Int32 {
  guard let file = fopen(target, "wxe") else { return errno }
  var isWritten = true
  let code = readFile(source) { piece in
    if fwrite(piece.baseAddress, 1, piece.count, file) < piece.count { isWritten = false }
  }
  fchmod(fileno(file), mode)
  // Closing writes what is left; the disk may be full.
  let isClosed = fclose(file) == 0
  if code != 0 { return code }
  return isWritten && isClosed ? 0 : (errno == 0 ? EIO : errno)
}
