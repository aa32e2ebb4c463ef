import Digests
import Platform
import Scripting

/// The record of what one service prints, as `logs` shows it. On the loop's thread.
package final class ServiceLog {
  let path: String
  /// The line that separates the record from those of services with other inputs.
  let heading: String
  private var descriptor: Int32 = -1
  private var inode: UInt64 = 0

  package init(_ place: HubPlace, _ key: ServiceKey) {
    (path, heading) = (Self.path(place.outputs, key), Self.heading(key.text))
  }

  /// Finds the record of a service with parameters by its path; nil if it is none.
  private init?(at path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var space = [UInt8](repeating: 0, count: 64 << 10)
    let count = space.withUnsafeMutableBytes { readBytes(from: descriptor, into: $0) }
    let line = space.prefix(max(0, count)).prefix { $0 != 10 }
    guard line.starts(with: Self.mark.utf8) else { return nil }
    (self.path, heading) = (path, String(decoding: line, as: UTF8.self))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  // MARK: Files

  private static let mark = "=== "
  private static let ending = ".output"
  /// What separates the name of a service from the digest of its input.
  private static let separator = "@"

  /// The first line of the record of a service with parameters.
  ///
  /// - Parameter service: the service as `ps` shows it.
  package static func heading(_ service: String) -> String { mark + service }

  /// The path of the record of a service, by the beginning of the paths of all; what came before it is in
  /// the file with `.1` behind the name.
  package static func path(_ start: String, _ key: ServiceKey) -> String {
    let name = start + PercentEncoding.encoded(key.name)
    guard let input = key.shownInput else { return name + ending }
    var digest = SHA256()
    digest.update(part: input)
    return name + separator + digest.finish().hexadecimal.prefix(16) + ending
  }

  /// The records of the services that a name addresses, in the order of their inputs.
  package static func all(of name: ServiceName, in place: HubPlace) -> [ServiceLog] {
    let plain = ServiceKey(name.command, input: "")
    let isPlain = name.covers(plain) && access(path(place.outputs, plain), F_OK) == 0
    let others = paths(ofInputsOf: name.command, place.outputs).compactMap(ServiceLog.init(at:))
      .filter { name.covers(ServiceName(String($0.heading.dropFirst(mark.count)))) }
    return (isPlain ? [ServiceLog(place, plain)] : []) + others.sorted { $0.heading < $1.heading }
  }

  /// The paths of the records of a service with parameters.
  ///
  /// - Parameter start: the beginning of the paths of all records.
  package static func paths(ofInputsOf name: String, _ start: String) -> [String] {
    let (folder, file) = CommandFile.split(start)
    let prefix = file + PercentEncoding.encoded(name) + separator
    return (names(inFolder: folder) ?? []).filter { $0.hasPrefix(prefix) && $0.hasSuffix(ending) }
      .map { "\(folder)/\($0)" }
  }

  // MARK: Lines

  /// Returns the last lines; those to come are read next.
  ///
  /// - Parameter count: how many; nil for all that are kept.
  package func last(_ count: Int?) -> [UInt8] {
    var bytes: [UInt8] = []
    if count == nil || count ?? 0 > 0 {
      bytes += withoutHeading(fileContent("\(path).1") ?? [])
    }
    bytes += newFile()
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

  /// Returns what has come since the last call.
  package func more() -> [UInt8] {
    var bytes = rest()
    if isReplaced { bytes += newFile() }
    return bytes
  }

  private var isReplaced: Bool {
    var information = stat()
    return stat(path, &information) == 0 && UInt64(information.st_ino) != inode
  }

  /// Opens the file that is there now, and reads it.
  private func newFile() -> [UInt8] {
    if descriptor >= 0 { close(descriptor) }
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    var information = stat()
    if fstat(descriptor, &information) == 0 { inode = UInt64(information.st_ino) }
    return withoutHeading(rest())
  }

  private func withoutHeading(_ bytes: [UInt8]) -> [UInt8] {
    let line = Array("\(heading)\n".utf8)
    return bytes.starts(with: line) ? Array(bytes.dropFirst(line.count)) : bytes
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
}
