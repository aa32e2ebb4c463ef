import Platform

/// The process that listens at a port of this machine.
public enum PortOwner: Sendable, Equatable {
  /// No process listens.
  case nobody
  /// One of the processes that were asked about, or a descendant of one.
  case own
  /// Another process; without its id and name if it belongs to another user.
  case other(pid: Int32?, name: String?)
  /// The system does not tell.
  case unknown

  /// Finds who listens at a port.
  ///
  /// - Parameter leaders: the leaders of the process groups that are asked about.
  public static func ofPort(_ port: UInt16, among leaders: Set<Int32>) -> PortOwner {
    #if os(Linux)
      let sockets = listeningSockets(at: port)
      guard !sockets.isEmpty else { return .nobody }
      var others: [pid_t] = []
      var own = Set(leaders.flatMap { [$0] + Descendants.all(of: $0) })
      for name in names(inFolder: "/proc") ?? [] {
        guard let process = pid_t(name) else { continue }
        if leaders.contains(getpgid(process)) {
          own.insert(process)
        } else {
          others.append(process)
        }
      }
      if own.contains(where: { holds(sockets, $0) }) { return .own }
      let other = others.first { !own.contains($0) && holds(sockets, $0) }
      return .other(pid: other, name: other.flatMap(processName))
    #else
      return .unknown
    #endif
  }

  /// The processes that lead to the one that listens at a port, itself first; empty if that is not
  /// known.
  public static func lineage(ofPort port: UInt16) -> [Int32] {
    guard case .other(let pid?, _) = ofPort(port, among: []) else { return [] }
    var lineage: [Int32] = [pid]
    while let parent = parent(of: lineage[lineage.count - 1]), parent > 1, lineage.count < 100 {
      lineage.append(parent)
    }
    return lineage
  }

  /// The folder that a process works in; nil if it may not be known.
  public static func folder(ofProcess process: Int32) -> String? {
    linkTarget(of: "/proc/\(process)/cwd")
  }

  /// The inodes of the sockets that listen at a port.
  private static func listeningSockets(at port: UInt16) -> Set<Substring> {
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    var found: Set<Substring> = []
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
      for line in text(of: table).split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == "0A" else { continue }
        found.insert(fields[9])
      }
    }
    return found
  }

  private static func holds(_ sockets: Set<Substring>, _ process: pid_t) -> Bool {
    let folder = "/proc/\(process)/fd"
    return (names(inFolder: folder) ?? []).contains { name in
      guard let target = linkTarget(of: "\(folder)/\(name)"), target.hasPrefix("socket:[") else {
        return false
      }
      return sockets.contains(target.dropFirst(8).dropLast())
    }
  }

  private static func processName(_ process: pid_t) -> String? {
    let name = text(of: "/proc/\(process)/comm").split(separator: "\n").first
    return name.map(String.init)
  }

  private static func parent(of process: pid_t) -> pid_t? {
    let line = text(of: "/proc/\(process)/status").split(separator: "\n").first {
      $0.hasPrefix("PPid:")
    }
    return line?.split(separator: "\t").last.flatMap { pid_t($0) }
  }

  /// The content of a file of the kernel, whose size is not known before.
  private static func text(of path: String) -> String {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return "" }
    defer { close(number) }
    var bytes: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      while case let count = readBytes(from: number, into: space), count > 0 {
        bytes += space[..<count]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
