import EventLoop
import Platform

/// The ports that the checkouts of this user have, by names: a file of lines
/// `PORT<tab>NAME<tab>CHECKOUT`, of which the last one about a name counts. A lock on the file orders
/// the programs that use it at the same time.
struct PortBook {
  /// The ports that are given out: outside those that systems give to clients.
  static let range: ClosedRange<UInt16> = 20_000...29_999

  private let path: String

  /// - Throws: `PortError.noFolder` if no variable tells where the file belongs.
  init() throws(PortError) {
    guard let folder = StateFolder.path else { throw .noFolder }
    path = "\(folder)/ports"
  }

  /// A file at another place.
  init(path: String) { self.path = path }

  /// Returns the port of a name in a checkout: the one that it had, unless a program of somebody else
  /// listens there, or a new one.
  ///
  /// - Parameters:
  ///   - checkout: the real path of its folder.
  ///   - folder: where its commands work if not there: its command file was named by a link.
  ///   - isRecorded: false if a new one is only found, and may be another one next time.
  func port(
    _ name: String, of checkout: String, workingIn folder: String? = nil, isRecorded: Bool
  ) throws(PortError) -> UInt16 {
    let folders = [checkout, folder ?? checkout]
    guard isRecorded else {
      return try choose(name, checkout, folders, among: entries(fileContent(path) ?? []))
    }
    guard makeFolders(above: path) else { throw .file(path, errno) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(path, errno) }
    defer { unlockAndClose(descriptor) }
    var code: Int32
    repeat { code = flock(descriptor, LOCK_EX) } while code != 0 && errno == EINTR
    guard code == 0, let content = fileContent(path) else { throw .file(path, errno) }
    let known = entries(content)
    let port = try choose(name, checkout, folders, among: known)
    if known[PortBook.key(name, checkout)] == port { return port }
    // A line that a full disk or a power cut has left unfinished stays one of its own.
    let isWhole = content.last.map { $0 == UInt8(ascii: "\n") } ?? true
    let line = (isWhole ? "" : "\n") + "\(port)\t\(PortBook.key(name, checkout))\n"
    let count = line.exactBytes.withUnsafeBytes { writeBytes($0, to: descriptor) }
    guard count == line.exactBytes.count else { throw .file(path, count < 0 ? errno : ENOSPC) }
    return port
  }

  /// The ports that names of a checkout have, as far as they are noted.
  func ports(of names: some Sequence<String>, in checkout: String) -> [String: UInt16] {
    let known = entries(fileContent(path) ?? [])
    let noted = names.compactMap { name in known[PortBook.key(name, checkout)].map { (name, $0) } }
    return Dictionary(noted) { first, _ in first }
  }

  private func choose(
    _ name: String, _ checkout: String, _ folders: [String], among known: [String: UInt16]
  ) throws(PortError) -> UInt16 {
    let key = PortBook.key(name, checkout)
    if let port = known[key], Self.stays({ use(of: port, in: folders) }) { return port }
    let holders = Dictionary(
      known.filter { $0.key != key }.map { ($0.value, $0.key) }, uniquingKeysWith: { $1 })
    let count = UInt64(Self.range.count)
    let start = key.exactBytes.reduce(14_695_981_039_346_656_037 as UInt64) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    // A checkout that is gone needs its ports no longer, but it may be on a disk that comes back.
    for isUsable: (String) -> Bool in [{ _ in false }, { !Self.isThere($0) }] {
      for step in 0..<count {
        let port = Self.range.lowerBound + UInt16((start &+ step) % count)
        if port != known[key], holders[port].map(isUsable) ?? true, PortOwner.isFree(port) {
          return port
        }
      }
    }
    throw .none(Self.range)
  }

  /// The use of a port, from the point of view of a checkout.
  enum Use {
    /// By nobody, or by a program that belongs to the checkout.
    case none, own
    case others
    /// Somebody has it who is not known, or is about to end: an ending process no longer shows its
    /// sockets while these still exist.
    case unknown
  }

  /// True if a checkout keeps its port.
  ///
  /// - Parameters:
  ///   - use: looks at the port.
  ///   - pause: the time until the next look, while it is not known who has the port.
  static func stays(_ use: () -> Use, pause: () -> Void = { usleep(2_000) }) -> Bool {
    for _ in 0..<50 {
      switch use() {
      case .none, .own: return true
      case .others: return false
      case .unknown: pause()
      }
    }
    return false
  }

  /// A program belongs to a checkout if this program has started it while it worked there, or if it
  /// works there itself and nobody who does has started it: it is a daemon. A shell that works there
  /// may start anything.
  private func use(of port: UInt16, in folders: [String]) -> Use {
    if PortOwner.isFree(port) { return .none }
    let lineage = PortOwner.lineage(ofPort: port)
    let worksHere = { (process: Int32) in
      let folder = PortOwner.folder(ofProcess: process)
      return folders.contains { folder == $0 || folder?.hasPrefix("\($0)/") == true }
    }
    guard let program = lineage.first, PortOwner.folder(ofProcess: program) != nil else {
      return .unknown
    }
    if lineage.contains(where: { PortOwner.isThisProgram($0) && worksHere($0) }) { return .own }
    return worksHere(program) && !lineage.dropFirst().contains(where: worksHere) ? .own : .others
  }

  private func entries(_ content: [UInt8]) -> [String: UInt16] {
    var found: [String: UInt16] = [:]
    var holders: [UInt16: String] = [:]
    for line in content.split(separator: UInt8(ascii: "\n")) {
      guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { continue }
      let port = UInt16(String(decoding: line[..<tab], as: UTF8.self))
      guard let port, Self.range.contains(port) else { continue }
      let key = String(exactly: line[(tab + 1)...])
      // It was given to another one since.
      if let earlier = holders.updateValue(key, forKey: port), earlier != key {
        found[earlier] = nil
      }
      if let earlier = found.updateValue(port, forKey: key), earlier != port {
        holders[earlier] = nil
      }
    }
    return found
  }

  private static func key(_ name: String, _ checkout: String) -> String {
    "\(escaped(name))\t\(escaped(checkout))"
  }

  /// True if the checkout of a key is there.
  private static func isThere(_ key: String) -> Bool {
    guard let checkout = key.cut(atLast: "\t")?.after else { return false }
    return unescaped(String(checkout)).withCBytes { access($0, F_OK) } == 0 || errno != ENOENT
  }

  /// A text without the characters that separate parts of the file.
  private static func escaped(_ text: String) -> String {
    String(
      exactly: text.exactBytes.flatMap { byte -> [UInt8] in
        byte < 0x20 || byte == UInt8(ascii: "%")
          ? Array("%\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
          : [byte]
      })
  }

  private static func unescaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = text.exactBytes[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard byte == UInt8(ascii: "%"), let escaped = UInt8(digits, radix: 16) else {
        bytes.append(byte)
        continue
      }
      bytes.append(escaped)
      rest = rest.dropFirst(2)
    }
    return String(exactly: bytes)
  }
}

/// The reason why a name has no port.
enum PortError: Error, CustomStringConvertible {
  case noFolder
  case file(String, Int32)
  case none(ClosedRange<UInt16>)

  var description: String {
    switch self {
    case .noFolder:
      "ports cannot be kept: neither XDG_STATE_HOME nor HOME is set"
    case .file(let path, let code):
      "ports cannot be kept in \(path): \(systemErrorText(code)); set XDG_STATE_HOME to a folder "
        + "that you own on a local disk"
    case .none(let range): "no port from \(range.lowerBound) to \(range.upperBound) is free"
    }
  }
}

extension ScriptHost {
  /// The folder that the program's commands belong to: that of the outermost command file without
  /// symbolic links, as for its hub, or where the program works.
  var checkout: String {
    let file = scopes.all.first.flatMap { resolvedPath($0.path) }
    return file.map(FilePath.parent(of:)) ?? resolvedPath(".") ?? "."
  }
}
