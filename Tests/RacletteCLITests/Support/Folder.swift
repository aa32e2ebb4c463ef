import Platform
import Testing

/// A temporary folder that goes with the object.
final class Folder: Sendable {
  let path: String

  init(_ files: [String: String] = [:]) {
    var template = Array("/tmp/raclette-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template), let real = realpath(made, nil) else {
      preconditionFailure("no temporary folder could be made")
    }
    defer { free(real) }
    path = String(cString: real)
    for (name, text) in files { write(text, to: name) }
  }

  /// A folder whose `commands.lua` has this text.
  convenience init(commands text: String) {
    self.init(["commands.lua": text])
  }

  deinit {
    let remove = spawnAndWait(["/bin/rm", "-rf", path])
    precondition(remove == 0, "the temporary folder stays behind")
  }

  /// The last part of its path.
  var name: String { String(path.split(separator: "/").last ?? "") }

  subscript(name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, and the folders that lead to it. Whoever watches sees the whole file come at once.
  func write(_ text: String, to name: String) {
    write(Array(text.utf8), to: name)
  }

  func write(_ bytes: [UInt8], to name: String) {
    makeFolders(to: name)
    // Elsewhere, and not handed down to what other tests start: they would keep it from execution.
    let new = path + ".new"
    guard let file = fopen(new, "we") else { preconditionFailure("cannot write \(name)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    precondition(rename(new, self[name]) == 0, "cannot write \(name)")
  }

  func makeFolder(_ name: String) {
    makeFolders(to: name)
    mkdir(self[name], 0o755)
  }

  /// A pipe with a name.
  func makePipe(_ name: String) -> String {
    mkfifo(self[name], 0o644)
    return self[name]
  }

  func remove(_ name: String) { unlink(self[name]) }

  /// What a folder holds, without what its folders hold.
  static func names(in folder: String) -> Set<String> {
    var names: Set<String> = []
    guard let stream = opendir(folder) else { return names }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      _ = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        names.insert(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
    }
    return names
  }

  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private func makeFolders(to name: String) {
    for index in name.indices where name[index] == "/" {
      mkdir(self[String(name[..<index])], 0o755)
    }
  }
}

/// Runs a program to its end.
///
/// - Returns: its wait status.
@discardableResult
func spawnAndWait(_ words: [String]) -> Int32 {
  var pid: pid_t = 0
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { arguments.forEach { free($0) } }
  guard posix_spawnp(&pid, words[0], nil, nil, &arguments, environ) == 0 else { return -1 }
  var status: Int32 = 0
  _ = uninterrupted { waitpid(pid, &status, 0) }
  return status
}

/// Writes a text to a named pipe, once there is a reader; an issue of the caller's place if none comes.
func write(_ text: String, toPipe path: String, sourceLocation: SourceLocation = #_sourceLocation) {
  var descriptor: Int32 = -1
  eventually(sourceLocation: sourceLocation) {
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    return descriptor >= 0
  }
  guard descriptor >= 0 else { return }
  _ = fcntl(descriptor, F_SETFL, 0)
  writeWhole(Array(text.utf8), to: descriptor)
  close(descriptor)
}
