import LuaRuntime
import Platform
import RunnerCore

/// The entries of earlier sessions, in `$XDG_STATE_HOME/raclette/history`, one per line: U+001E
/// separates the lines of an entry.
///
/// Each entry is appended when it is submitted, so concurrent sessions lose nothing, and neither
/// does a killed one. Each session also reads what the others append.
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
  /// The file that was read, and how many of its bytes: what follows are entries of others.
  private var known: (file: ino_t, size: off_t)?
  /// Entries of others that were read before one of this session was written.
  private var news: [String] = []

  init() {
    path = Self.usualPath
  }

  /// The path of the file; nil if no variable tells where it belongs.
  package static var usualPath: String? { folder.map { "\($0)/history" } }

  /// The folder of what sessions keep; nil if no variable tells it.
  static var folder: String? { StateFolder.path }

  /// Returns the stored entries, the latest of many.
  func load() -> [String] {
    guard let path, let (bytes, starts) = lines(of: path) else { return [] }
    var information = stat()
    if stat(path, &information) == 0 { known = (information.st_ino, off_t(bytes.count)) }
    if starts.count > Self.capacity * 2 { shorten(path) }
    return starts.suffix(Self.capacity).map { Self.entry(bytes, from: $0) }
  }

  /// The bytes of a file, and where its lines begin; nil if there is none to read.
  private func lines(of path: String) -> (bytes: [UInt8], starts: [Int])? {
    var information = stat()
    // Opening a FIFO by name would wait for its writer.
    if stat(path, &information) == 0, information.st_mode & S_IFMT != S_IFREG {
      problem = "\(path) is not a regular file"
      return nil
    }
    guard let bytes = WholeFile.read(path) else {
      if errno != ENOENT { problem = "cannot read \(path): \(systemErrorText(errno))" }
      return nil
    }
    var starts: [Int] = []
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var start = 0
      while start < bytes.count {
        starts.append(start)
        guard let end = memchr(base + start, 10, bytes.count - start) else { break }
        start = end - UnsafeMutableRawPointer(mutating: base) + 1
      }
    }
    return (bytes, starts)
  }

  private static func entry(_ bytes: [UInt8], from start: Int) -> String {
    let line = bytes[start...].prefix { $0 != 10 && $0 != 0 }
    guard line.contains(lineBreak) else { return String(decoding: line, as: UTF8.self) }
    return String(decoding: line.map { $0 == lineBreak ? 10 : $0 }, as: UTF8.self)
  }

  /// Returns the entries that other sessions have stored since the last call.
  func takeNews() -> [String] {
    guard let path, problem == nil else { return [] }
    var information = stat()
    if stat(path, &information) == 0,
      known.map({ $0 != (information.st_ino, information.st_size) })
        ?? true
    {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor >= 0 {
        readNews(descriptor)
        close(descriptor)
      }
    }
    defer { news = [] }
    return news
  }

  /// Reads whole lines behind what is known. Of a file that has taken the place of another, as a
  /// shortened one does, it is not known which lines are new.
  private func readNews(_ descriptor: Int32) {
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return
    }
    let size = information.st_size
    guard let known, known.file == information.st_ino, known.size <= size else {
      let isFirst = self.known == nil
      self.known = (information.st_ino, isFirst ? 0 : size)
      if isFirst, size > 0 { readNews(descriptor) }
      return
    }
    guard known.size < size else { return }
    var bytes = [UInt8](repeating: 0, count: Int(size - known.size))
    let count = pread(descriptor, &bytes, bytes.count, known.size)
    guard count > 0, let end = bytes[..<count].lastIndex(of: 10) else { return }
    self.known = (known.file, known.size + off_t(end) + 1)
    var start = 0
    while start <= end {
      news.append(Self.entry(bytes, from: start))
      start = (bytes[start...].firstIndex(of: 10) ?? end) + 1
    }
  }

  /// Stores a line unless it repeats the one before.
  func append(_ line: [UInt8]) {
    guard let path, problem == nil, line != previous, line.count <= Self.longestLine,
      !line.contains(0)
    else { return }
    previous = line
    _ = makeFolders(above: path)
    let descriptor = openLocked(path)
    guard descriptor >= 0 else {
      problem = "cannot write \(path): \(systemErrorText(errno))"
      return
    }
    defer { unlockAndClose(descriptor) }
    let text = (Self.endsLine(descriptor) ? [] : [10]) + Self.stored(line)
    readNews(descriptor)
    if write(descriptor, text, text.count) != text.count {
      problem = "cannot write \(path): \(systemErrorText(errno))"
    }
    var information = stat()
    if fstat(descriptor, &information) == 0 { known = (information.st_ino, information.st_size) }
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
      unlockAndClose(descriptor)
    }
  }

  /// Truncates a long file to its latest lines.
  private func shorten(_ path: String) {
    let lock = openLocked(path)
    guard lock >= 0 else { return }
    defer { unlockAndClose(lock) }
    // A link stays one.
    let path = resolvedPath(path) ?? path
    guard let (file, fresh) = makeFile(beside: path, 0o600) else { return }
    if let (bytes, starts) = lines(of: path), let start = starts.suffix(Self.capacity).first {
      let kept = bytes[start...] + (bytes.last == 10 ? [] : [10])
      kept.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    }
    if fclose(file) != 0 || rename(fresh, path) != 0 { unlink(fresh) }
  }
}
