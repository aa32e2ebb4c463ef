import Platform

/// The descendants of a process.
enum Descendants {
  /// The process groups of all descendants that lead a group of their own and stay in this session,
  /// such as those that another runner has started; empty where the system does not list children.
  static func groups(of process: pid_t) -> Set<pid_t> {
    let (own, session) = (getpgid(process), getsid(0))
    var groups: Set<pid_t> = []
    for descendant in all(of: process) {
      let group = getpgid(descendant)
      if group > 0, group != own, group != getpgrp(), getsid(descendant) == session {
        groups.insert(group)
      }
    }
    return groups
  }

  /// All descendants of a process, those farther away later.
  static func all(of process: pid_t) -> [pid_t] {
    var known: Set<pid_t> = [process]
    var found = [process]
    var place = 0
    while place < found.count {
      found += children(of: found[place]).filter { known.insert($0).inserted }
      place += 1
    }
    return Array(found.dropFirst())
  }

  /// The children of all threads of a process.
  private static func children(of process: pid_t) -> [pid_t] {
    #if os(Linux)
      let threads = "/proc/\(process)/task"
      return (names(inFolder: threads) ?? []).flatMap { numbers(in: "\(threads)/\($0)/children") }
    #else
      return []
    #endif
  }

  /// The numbers in a file of the kernel, separated by blanks.
  static func numbers(in path: String) -> [pid_t] {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return [] }
    let descriptor = FileDescriptor(owning: number)
    var text: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { space in
      while case let count = read(descriptor.number, space.baseAddress, space.count), count > 0 {
        text += space[..<count]
      }
    }
    return text.split(separator: UInt8(ascii: " ")).compactMap { digits in
      pid_t(String(decoding: digits, as: UTF8.self))
    }
  }
}
