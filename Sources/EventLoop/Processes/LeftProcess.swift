import Platform

/// A process that a program has left in the background.
public struct LeftProcess: Sendable, Equatable {
  /// Its process id.
  public let id: Int32
  /// The name of its program, as the system has it.
  public let name: String
}

extension ChildProcess {
  /// The processes that are waited for although the program has ended: those left in its group, or else
  /// those outside that hold its output open. Empty where the system does not tell.
  public var leftProcesses: [LeftProcess] {
    guard programStatus != nil else { return [] }
    let processes = (names(inFolder: "/proc") ?? []).compactMap { pid_t($0) }.sorted()
    var left = processes.filter { getpgid($0) == processID && !Self.hasEnded($0) }
    if left.isEmpty {
      let pipes = outputInodes
      left = processes.filter { $0 != getpid() && Self.holds(pipes, $0) }
    }
    return left.compactMap { id in
      PortOwner.processName(id).map { LeftProcess(id: id, name: $0) }
    }
  }

  private static func hasEnded(_ process: pid_t) -> Bool {
    statusFields(of: "\(process)")?["State"]?.first == "Z"
  }

  private static func holds(_ pipes: [UInt64], _ process: pid_t) -> Bool {
    let folder = "/proc/\(process)/fd"
    return (names(inFolder: folder) ?? []).contains { name in
      linkTarget(of: "\(folder)/\(name)").map { target in
        pipes.contains { target == "pipe:[\($0)]" }
      } ?? false
    }
  }
}
