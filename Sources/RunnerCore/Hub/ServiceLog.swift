import EventLoop
import Platform
import Scripting

/// The record of what a service prints, as `logs` shows it. On the loop's thread.
package final class ServiceLog {
  private let path: String
  private var descriptor: Int32 = -1
  private var inode: UInt64 = 0

  package init(_ place: HubPlace, _ name: String) { path = Self.path(place.outputs, name) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The path of the record of a service, by the beginning of the paths of all; what came before it is in
  /// the file with `.1` behind the name.
  package static func path(_ start: String, _ name: String) -> String {
    "\(start)\(PercentEncoding.encoded(name)).output"
  }

  /// True if the service has printed anything.
  package var isThere: Bool { access(path, F_OK) == 0 }

  /// Prints the last lines.
  ///
  /// - Parameter count: how many; nil for all that are kept.
  package func show(last count: Int?) throws { try write(last(count)) }

  /// Returns the last lines; those to come are read next.
  ///
  /// - Parameter count: how many; nil for all that are kept.
  package func last(_ count: Int?) -> [UInt8] {
    var bytes: [UInt8] = []
    if count == nil || count ?? 0 > 0 { bytes += fileContent("\(path).1") ?? [] }
    openFile()
    bytes += rest()
    guard let count else { return bytes }
    var start = bytes.endIndex
    var lines = bytes.last == 10 || bytes.isEmpty ? -1 : 0
    while start > 0 {
      if bytes[start - 1] == 10 {
        lines += 1
        if lines == count { break }
      }
      start -= 1
    }
    return Array(bytes[start...])
  }

  /// Prints what comes, until the session ends.
  package func follow(in session: Session) throws {
    var hasChanged = true
    let watch = try session.loop.watchFolder(CommandFile.split(path).directory) {
      hasChanged = true
    }
    defer { watch.cancel() }
    while !session.isEnding {
      if hasChanged {
        hasChanged = false
        try write(more())
      }
      session.wait { hasChanged || session.isEnding }
    }
  }

  /// Returns what has come since the last call.
  package func more() -> [UInt8] {
    var bytes = rest()
    if isReplaced {
      openFile()
      bytes += rest()
    }
    return bytes
  }

  private var isReplaced: Bool {
    var information = stat()
    return stat(path, &information) == 0 && UInt64(information.st_ino) != inode
  }

  private func openFile() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    var information = stat()
    if fstat(descriptor, &information) == 0 { inode = UInt64(information.st_ino) }
  }

  private func rest() -> [UInt8] {
    guard descriptor >= 0 else { return [] }
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = space.withUnsafeMutableBytes({ readBytes(from: descriptor, into: $0) }),
      count > 0
    { bytes += space[..<count] }
    return bytes
  }

  private func write(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    try Terminal.output(masked: String(exactly: bytes).visibleBesideColors)
  }
}
