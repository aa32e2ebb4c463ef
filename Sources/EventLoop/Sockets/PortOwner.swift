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
      let (own, others) = members(of: leaders)
      return owner(own, others) { holds(sockets, $0) }
    #else
      return .unknown
    #endif
  }

  /// Finds the owner of sockets among processes.
  ///
  /// - Parameter holds: whether a process has one of the sockets; nil if the system does not tell.
  static func owner(
    _ own: Set<pid_t>, _ others: [pid_t], _ holds: (pid_t) -> Bool?
  ) -> PortOwner {
    var mayBeOwn = false
    for process in own {
      switch holds(process) {
      case true?: return .own
      // It may have become another user.
      case nil: mayBeOwn = true
      case false?: break
      }
    }
    if let other = others.first(where: { holds($0) == true }) {
      return .other(pid: other, name: processName(other))
    }
    return mayBeOwn ? .unknown : .other(pid: nil, name: nil)
  }

  /// A port at which a process of some groups listens, or a descendant of one; the lowest, or nil if
  /// there is none.
  public static func port(of leaders: Set<Int32>) -> UInt16? { ports(of: leaders).min() }

  /// The ports at which the processes of some groups listen, or their descendants.
  public static func ports(of leaders: Set<Int32>) -> Set<UInt16> {
    #if os(Linux)
      var ports: [Substring: UInt16] = [:]
      for (port, socket) in allListeningSockets() { ports[socket] = port }
      guard !ports.isEmpty else { return [] }
      return Set(
        members(of: leaders).own.flatMap { process in
          let folder = "/proc/\(process)/fd"
          return (names(inFolder: folder) ?? []).compactMap { name -> UInt16? in
            guard let target = linkTarget(of: "\(folder)/\(name)"), target.hasPrefix("socket:[")
            else {
              return nil
            }
            return ports[target.dropFirst(8).dropLast()]
          }
        })
    #else
      return []
    #endif
  }

  /// The processes of some groups with their descendants, and all others.
  private static func members(of leaders: Set<Int32>) -> (own: Set<pid_t>, others: [pid_t]) {
    var others: [pid_t] = []
    var own = Set(leaders.flatMap { [$0] + Descendants.all(of: $0) })
    for name in names(inFolder: "/proc") ?? [] {
      guard let process = pid_t(name) else { continue }
      if leaders.contains(getpgid(process)) { own.insert(process) } else { others.append(process) }
    }
    return (own, others.filter { !own.contains($0) })
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
    Set(allListeningSockets().filter { $0.port == port }.map(\.socket))
  }

  /// The inodes of all sockets that listen, with their ports.
  private static func allListeningSockets() -> [(port: UInt16, socket: Substring)] {
    ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { table in
      text(of: table).split(separator: "\n").compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[3] == "0A",
          let digits = fields[1].split(separator: ":").last, let port = UInt16(digits, radix: 16)
        else { return nil }
        return (port, fields[9])
      }
    }
  }

  /// Returns nil for a process that runs and whose descriptors may not be looked at.
  private static func holds(_ sockets: Set<Substring>, _ process: pid_t) -> Bool? {
    let folder = "/proc/\(process)/fd"
    guard let names = names(inFolder: folder) else {
      let state = field("State", of: process)
      return state == nil || state?.first == "Z" ? false : nil
    }
    return names.contains { name in
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
    field("PPid", of: process).flatMap { pid_t($0) }
  }

  /// What the system says of a process under a name; nil if the process is gone.
  private static func field(_ name: String, of process: pid_t) -> Substring? {
    let line = text(of: "/proc/\(process)/status").split(separator: "\n").first {
      $0.hasPrefix("\(name):")
    }
    return line?.split(separator: "\t").last
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
