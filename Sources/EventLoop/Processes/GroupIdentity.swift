import Platform

extension GroupIdentity {
  /// The identity of the group of a leader, which may have ended but was not reaped; nil if the
  /// system does not provide it.
  public init?(leader: Int32) {
    guard !Self.ownSystem.isEmpty, let process = ProcessStatus(leader) else { return nil }
    self.init(
      leader: leader, started: process.started, session: process.session,
      system: Self.ownSystem)
  }

  /// The identity of a group whose leader has written its line of `/proc/self/stat`; nil for another
  /// text.
  public init?(recorded line: String, on system: String) {
    guard let leader = line.split(separator: " ").first.flatMap({ Int32($0) }),
      let process = ProcessStatus(line: Array(line.utf8)), process.group == leader
    else { return nil }
    self.init(
      leader: leader, started: process.started, session: process.session, system: system)
  }

  /// The identity in one line, as `init(text:)` reads it.
  package var text: String { "\(leader) \(started) \(session) \(system)" }

  /// Reads what `text` has written; nil for anything else.
  package init?(text: Substring) {
    let words = text.split(separator: " ", maxSplits: 3)
    guard words.count == 4, let leader = Int32(words[0]), let started = Int64(words[1]),
      let session = Int32(words[2])
    else { return nil }
    self.init(leader: leader, started: started, session: session, system: String(words[3]))
  }

  /// The system that this process runs on; empty if that is not known.
  public static let ownSystem: String = {
    let file = content(of: "/proc/sys/kernel/random/boot_id")
    let boot = String(decoding: file.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard !boot.isEmpty, let space = linkTarget(of: "/proc/self/ns/pid") else { return "" }
    return "\(boot) \(space)"
  }()

  /// The groups that have any process left, determined in one scan of all processes. Processes that
  /// have ended but were not reaped do not count.
  public static func alive(among groups: [GroupIdentity]) -> Set<GroupIdentity> {
    // No recorded identity can make this process end its own group.
    let own = getpgrp()
    let known = Dictionary(
      grouping: groups.filter { $0.system == ownSystem && $0.leader > 1 && $0.leader != own },
      by: \.leader)
    guard !known.isEmpty else { return [] }
    var alive: Set<GroupIdentity> = []
    var others: Set<GroupIdentity> = []
    for name in names(inFolder: "/proc") ?? [] {
      guard let id = Int32(name), let process = ProcessStatus(id) else { continue }
      for group in known[process.group] ?? [] {
        // The id belongs to another group by now.
        if id == group.leader, process.started != group.started { others.insert(group) }
        if process.session == group.session, process.started >= group.started, !process.hasEnded {
          alive.insert(group)
        }
      }
    }
    return alive.subtracting(others)
  }

  /// Sends a signal to the given groups that have any process left.
  public static func send(_ signal: Int32, to groups: [GroupIdentity]) {
    for group in alive(among: groups) { kill(-group.leader, signal) }
  }

  fileprivate static func content(of path: String) -> [UInt8] {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return [] }
    let descriptor = FileDescriptor(owning: number)
    return withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { space in
      let count = read(descriptor.number, space.baseAddress, space.count)
      return Array(space.prefix(max(0, count)))
    }
  }
}

extension ProcessIdentity {
  /// The identity of a process that has not been reaped; nil if the system does not provide it.
  init?(_ process: Int32) {
    guard let status = ProcessStatus(process) else { return nil }
    self.init(id: process, started: status.started)
  }
}

/// The kernel's status of one process.
private struct ProcessStatus {
  let group: Int32
  let session: Int32
  let started: Int64
  let hasEnded: Bool

  init?(_ process: Int32) {
    self.init(line: GroupIdentity.content(of: "/proc/\(process)/stat"))
  }

  /// Reads the line by its bytes, because each process that is recorded is asked for it: to split it as a
  /// text takes seventy times as long.
  init?(line: [UInt8]) {
    // The program's name may contain anything, including a parenthesis.
    guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 20)
    guard fields.count > 19, let group = Int32(decimal: fields[2]),
      let session = Int32(decimal: fields[3]), let started = Int64(decimal: fields[19])
    else { return nil }
    self.group = group
    self.session = session
    self.started = started
    hasEnded = ["Z", "X", "x"].contains { fields[0].elementsEqual($0.utf8) }
  }
}

extension FixedWidthInteger {
  /// Reads a number of the kernel; nil for anything else.
  fileprivate init?(decimal digits: ArraySlice<UInt8>) {
    let isNegative = digits.first == UInt8(ascii: "-")
    let digits = digits.dropFirst(isNegative ? 1 : 0)
    var value: Self = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value &* 10 &+ Self(digit - UInt8(ascii: "0"))
    }
    guard !digits.isEmpty else { return nil }
    self = isNegative ? 0 - value : value
  }
}
