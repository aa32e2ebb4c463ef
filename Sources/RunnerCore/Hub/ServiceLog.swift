import Platform
import Scripting

/// The record of what one service prints, as `logs` shows it. On the loop's thread.
package final class ServiceLog {
  let path: String
  let service: ServiceFace
  private var descriptor: Int32 = -1
  private var inode: UInt64 = 0

  package init(_ place: HubPlace, _ key: ServiceKey) {
    (path, service) = (Self.path(place.outputs, key), key.face)
  }

  /// Finds the record of a service of a command with parameters by its path; nil if it is none.
  private init?(of command: String, at path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var space = [UInt8](repeating: 0, count: 64 << 10)
    let count = space.withUnsafeMutableBytes { readBytes(from: descriptor, into: $0) }
    let line = space.prefix(max(0, count)).prefix { $0 != 10 }
    let start = Self.heading("\(command) ")
    let heading = String(decoding: line, as: UTF8.self)
    guard heading.hasPrefix(start), let id = path.cut(atLast: Self.separator)?.after else {
      return nil
    }
    self.path = path
    service = ServiceFace(
      command, id: String(id.dropLast(Self.ending.count)),
      input: String(heading.dropFirst(start.count)))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  // MARK: Files

  private static let mark = "=== "
  private static let ending = ".output"
  /// What separates the name of a service from the digest of its input.
  private static let separator: Unicode.Scalar = "@"

  /// The first line of the record of a service with parameters.
  ///
  /// - Parameter service: the service as `ps` shows it.
  package static func heading(_ service: String) -> String { mark + service }

  /// The path of the record of a service, by the beginning of the paths of all; what came before it is in
  /// the file with `.1` behind the name.
  package static func path(_ start: String, _ key: ServiceKey) -> String {
    let id = key.id
    return start + PercentEncoding.encoded(key.name) + (id.isEmpty ? "" : "\(separator)\(id)")
      + ending
  }

  /// The records of the services that a name addresses, in the order of their inputs.
  package static func all(of name: ServiceName, in place: HubPlace) -> [ServiceLog] {
    name.meant(among: name.commands.flatMap { all(ofCommand: $0, in: place) }, \.service)
  }

  private static func all(ofCommand name: String, in place: HubPlace) -> [ServiceLog] {
    let plain = ServiceKey(name, input: "")
    let isThere = access(path(place.outputs, plain), F_OK) == 0
    let others = paths(ofInputsOf: name, place.outputs)
      .compactMap { ServiceLog(of: name, at: $0) }
      .sorted { ($0.service.text, $0.service.id) < ($1.service.text, $1.service.id) }
    return (isThere ? [ServiceLog(place, plain)] : []) + others
  }

  /// The records of all services, in the order of their names.
  static func all(in place: HubPlace) -> [ServiceLog] {
    let (folder, start) = CommandFile.split(place.outputs)
    let commands = (names(inFolder: folder) ?? []).compactMap { name -> String? in
      guard name.hasPrefix(start), name.hasSuffix(ending) else { return nil }
      let rest = name.dropFirst(start.count).dropLast(ending.count)
      return PercentEncoding.decoded(rest.prefix { $0 != "@" })
    }
    return Set(commands).sorted().flatMap { all(ofCommand: $0, in: place) }
  }

  /// The paths of the records of a service with parameters.
  ///
  /// - Parameter start: the beginning of the paths of all records.
  package static func paths(ofInputsOf name: String, _ start: String) -> [String] {
    let (folder, file) = CommandFile.split(start)
    let prefix = "\(file)\(PercentEncoding.encoded(name))\(separator)"
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
    let line = Array((Self.heading(service.text) + "\n").utf8)
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
