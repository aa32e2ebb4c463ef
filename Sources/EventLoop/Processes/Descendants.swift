import Platform

/// The descendants of a process.
enum Descendants {
  /// The process groups of all descendants that lead a group of their own and stay in this session,
  /// such as those that another runner has started; empty where the system does not list children.
  static func groups(of process: pid_t) -> Set<pid_t> {
    var groups: Set<pid_t> = []
    var known: Set<pid_t> = [process]
    var due = [process]
    let (own, session) = (getpgid(process), getsid(0))
    while let next = due.popLast() {
      for child in children(of: next) where known.insert(child).inserted {
        due.append(child)
        let group = getpgid(child)
        if group > 0, group != own, group != getpgrp(), getsid(child) == session {
          groups.insert(group)
        }
      }
    }
    return groups
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
