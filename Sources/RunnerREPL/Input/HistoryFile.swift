import LuaRuntime
import Platform
import RunnerCore

/// The entries of earlier sessions, in `$XDG_STATE_HOME/raclette/history`, one per line: U+001E
/// separates the lines of an entry.
///
/// Each entry is appended when it is submitted, so concurrent sessions lose nothing, and neither
/// does a killed one.
package final class HistoryFile {
  /// The number of lines kept between sessions.
  static let capacity = 10_000
  /// The maximum length of a stored line, in bytes.
  private static let longestLine = 64 * 1024

  /// The separator of the lines of an entry.
  private static let lineBreak: UInt8 = 0x1E

  private let path: String?
  /// The reason why lines are not stored, if there is one.
  private(set) var problem: String?
  private var previous: [UInt8] = []

  init() {
    path = Self.usualPath
  }

  /// The path of the file; nil if no variable tells where it belongs.
  package static var usualPath: String? { folder.map { "\($0)/history" } }

  private static var folder: String? {
    if let base = ProcessEnvironment.folder(of: "XDG_STATE_HOME") { return "\(base)/raclette" }
    return environment("HOME").map { "\($0)/.local/state/raclette" }
  }

  /// Returns the stored lines.
  func load() -> [String] {
    guard let path else { return [] }
    let lines = lines(of: path)
    if lines.count > Self.capacity * 2 { shorten(path) }
    return lines.suffix(Self.capacity)
  }

  private func lines(of path: String) -> [String] {
    var information = stat()
    // Opening a FIFO by name would wait for its writer.
    if stat(path, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      problem = "\(path) is no regular file"
      return []
    }
    guard let file = fopen(path, "re") else {
      if errno != ENOENT { problem = "cannot read \(path): \(systemErrorText(errno))" }
      return []
    }
    defer { fclose(file) }
    var lines: [String] = []
    var buffer: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(buffer) }
    while case let count = getline(&buffer, &capacity, file), count > 0, let buffer {
      let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
      let entry = bytes.prefix { $0 != 10 && $0 != 0 }.map { $0 == Self.lineBreak ? 10 : $0 }
      lines.append(String(decoding: entry, as: UTF8.self))
    }
    if ferror(file) != 0 { problem = "cannot read \(path): \(systemErrorText(EIO))" }
    return lines
  }

  /// Stores a line unless it repeats the one before.
  func append(_ line: [UInt8]) {
    guard let path, problem == nil, line != previous, line.count <= Self.longestLine,
      !line.contains(0)
    else { return }
    previous = line
    makeFolders(to: path)
    let descriptor = openLocked(path)
    guard descriptor >= 0 else {
      problem = "cannot write \(path): \(systemErrorText(errno))"
      return
    }
    defer { close(descriptor) }
    let text = (Self.endsLine(descriptor) ? [] : [10]) + Self.stored(line)
    if write(descriptor, text, text.count) != text.count {
      problem = "cannot write \(path): \(systemErrorText(errno))"
    }
  }

  /// True if a file is empty or ends with a line break, which a full disk or an editor may omit.
  private static func endsLine(_ descriptor: Int32) -> Bool {
    let end = lseek(descriptor, 0, SEEK_END)
    var last: UInt8 = 0
    return end <= 0 || pread(descriptor, &last, 1, end - 1) != 1 || last == 10
  }

  private static func stored(_ entry: [UInt8]) -> [UInt8] {
    entry.map { $0 == 10 ? lineBreak : $0 } + [10]
  }

  private func makeFolders(to path: String) {
    for index in path.indices.dropFirst() where path[index] == "/" {
      mkdir(String(path[..<index]), 0o700)
    }
  }

  /// Opens the file for appending, while no other session replaces it.
  ///
  /// - Returns: a descriptor, or a negative number.
  private func openLocked(_ path: String) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      // Where files cannot be locked, only this session can be considered.
      guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { return descriptor }
      var own = stat()
      var current = stat()
      if fstat(descriptor, &own) == 0, stat(path, &current) == 0, own.st_ino == current.st_ino {
        return descriptor
      }
      close(descriptor)
    }
  }

  /// Truncates a long file to its latest lines.
  private func shorten(_ path: String) {
    let lock = openLocked(path)
    guard lock >= 0 else { return }
    defer { close(lock) }
    // A link stays one.
    let path = resolvedPath(path) ?? path
    guard let (file, fresh) = makeFile(beside: path, 0o600) else { return }
    for entry in lines(of: path).suffix(Self.capacity) {
      let text = Self.stored(Array(entry.utf8))
      fwrite(text, 1, text.count, file)
    }
    if fclose(file) != 0 || rename(fresh, path) != 0 { unlink(fresh) }
  }
}
