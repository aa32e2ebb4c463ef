import Platform

/// A temporary folder with files, removed with the object.
final class Tree: Sendable {
  let path: String

  /// - Parameter files: the paths of files; those that end with a slash are folders.
  init(_ files: [String] = []) {
    var template = Array("/tmp/raclette-tree-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("no temporary folder") }
    path = template.withUnsafeBufferPointer { String(exactly: $0.baseAddress!) }
    for file in files { make(file) }
  }

  deinit { Self.remove(path) }

  func make(_ name: String, _ text: String = "") {
    for (index, character) in zip(name.indices, name) where character == "/" {
      mkdir("\(path)/\(name[..<index])", 0o755)
    }
    guard !name.hasSuffix("/"), let file = fopen("\(path)/\(name)", "we") else { return }
    fputs(text, file)
    fclose(file)
  }

  func link(_ name: String, to target: String) {
    "\(path)/\(name)".withCBytes { name in _ = target.withCBytes { symlink($0, name) } }
  }

  static func remove(_ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for name in names(inFolder: path) ?? [] { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
