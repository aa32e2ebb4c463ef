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
      let sockets = Set(TCPListener.all().lazy.filter { $0.port == port }.map(\.inode))
      guard !sockets.isEmpty else { return .nobody }
      // The common case, in which no other process is looked at.
      if descendants(of: leaders).contains(where: { holds(sockets, $0) == true }) { return .own }
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
      var ports: [UInt64: UInt16] = [:]
      for listener in TCPListener.all() { ports[listener.inode] = listener.port }
      guard !ports.isEmpty else { return [] }
      return Set(
        members(of: leaders).own.flatMap { process in
          let folder = "/proc/\(process)/fd"
          return (names(inFolder: folder) ?? []).compactMap { name in
            socket(at: "\(folder)/\(name)").flatMap { ports[$0] }
          }
        })
    #else
      return []
    #endif
  }

  /// The leaders of some groups with their descendants.
  private static func descendants(of leaders: Set<Int32>) -> Set<pid_t> {
    Set(leaders.flatMap { [$0] + Descendants.all(of: $0) })
  }

  /// The processes of some groups with their descendants, and all others.
  private static func members(of leaders: Set<Int32>) -> (own: Set<pid_t>, others: [pid_t]) {
    var others: [pid_t] = []
    var own = descendants(of: leaders)
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
    return Ancestry(of: pid).processes
  }

  /// The folder that a process works in; nil if it may not be known.
  public static func folder(ofProcess process: Int32) -> String? {
    linkTarget(of: "/proc/\(process)/cwd")
  }

  /// True for a process that runs the same program as this one, of whichever version.
  public static func isThisProgram(_ process: Int32) -> Bool {
    process == getpid() || processName(process) == processName(getpid())
  }

  /// Returns nil for a process that runs and whose descriptors may not be looked at.
  private static func holds(_ sockets: Set<UInt64>, _ process: pid_t) -> Bool? {
    let folder = "/proc/\(process)/fd"
    guard let names = names(inFolder: folder) else {
      let state = statusFields(of: "\(process)")?["State"]
      return state == nil || state?.first == "Z" ? false : nil
    }
    return names.contains { name in
      socket(at: "\(folder)/\(name)").map(sockets.contains) ?? false
    }
  }

  /// The inode of the socket that a descriptor in `/proc` is; nil for anything else.
  private static func socket(at path: String) -> UInt64? {
    guard let target = linkTarget(of: path), target.hasPrefix("socket:[") else { return nil }
    return UInt64(target.dropFirst(8).dropLast())
  }

  static func processName(_ process: pid_t) -> String? {
    let name = kernelText(of: "/proc/\(process)/comm").split(separator: "\n").first
    return name.map(String.init)
  }
}
