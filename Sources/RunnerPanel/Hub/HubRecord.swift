import EventLoop
import Platform
import RunnerCore

/// What a hub writes down for a successor, in case that it is killed: the process groups that run, and
/// the last number of an execution. On the loop's thread.
final class HubRecord {
  /// What a predecessor has left.
  struct Inheritance {
    var groups: [GroupIdentity] = []
    /// The number of its last execution.
    var lastNumber = 0
  }

  /// The size from which the file is written anew.
  private static let most = 64 << 10

  /// Where children write their descriptions, as the kernel gives them, before their programs begin.
  let descriptor: Int32
  private var size = 0
  private var groups: [Int32: GroupIdentity] = [:]
  private var lastNumber: Int

  /// Begins the record of this process.
  ///
  /// - Throws: `HubError.folder` if the file cannot be made.
  init(_ path: String, lastNumber: Int) throws(HubError) {
    self.lastNumber = lastNumber
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .folder(path, reason: systemErrorText(errno)) }
    rewrite()
  }

  deinit { close(descriptor) }

  /// A process that leads a group has recorded itself.
  func began(_ leader: Int32) {
    guard let group = GroupIdentity(leader: leader) else { return }
    groups[leader] = group
  }

  /// Records that a group has ended.
  func ended(_ leader: Int32) {
    guard groups.removeValue(forKey: leader) != nil else { return }
    append("ended \(leader)\n")
    if groups.isEmpty || size > Self.most { rewrite() }
  }

  /// Records the number of an execution, so that it is never another one's.
  func note(number: Int) {
    guard number > lastNumber else { return }
    lastNumber = number
    append("number \(number)\n")
  }

  private static func line(of group: GroupIdentity) -> String {
    "began \(group.leader) \(group.started) \(group.session) \(group.system)\n"
  }

  private func append(_ line: String) {
    let bytes = Array(line.utf8)
    size += bytes.count
    bytes.withUnsafeBytes { _ = writeBytes($0, to: descriptor) }
  }

  /// Writes what holds now in one piece behind the cut.
  private func rewrite() {
    ftruncate(descriptor, 0)
    size = 0
    append(
      "system \(GroupIdentity.ownSystem)\nnumber \(lastNumber)\n"
        + groups.values.map(Self.line).joined())
  }

  /// Reads what a predecessor has written; nothing if there was none.
  static func inheritance(at path: String) -> Inheritance {
    var inheritance = Inheritance()
    var groups: [Int32: GroupIdentity] = [:]
    var system = ""[...]
    let text = String(decoding: fileContent(path) ?? [], as: UTF8.self)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 4).map(String.init)
      switch (words.first, words.count) {
      case ("number", 2): inheritance.lastNumber = Int(words[1]) ?? inheritance.lastNumber
      case ("ended", 2): if let leader = Int32(words[1]) { groups[leader] = nil }
      case ("began", 5):
        guard let leader = Int32(words[1]), let started = Int64(words[2]),
          let session = Int32(words[3])
        else { continue }
        groups[leader] = GroupIdentity(
          leader: leader, started: started, session: session, system: words[4])
      case ("system", _): system = line.dropFirst("system ".count)
      default:
        guard let group = GroupIdentity(recorded: String(line), on: String(system)) else {
          continue
        }
        groups[group.leader] = group
      }
    }
    inheritance.groups = groups.values.sorted { $0.leader < $1.leader }
    return inheritance
  }
}

extension HubRecord.Inheritance {
  /// The time that a group has to end after SIGTERM.
  private static let grace = Duration.seconds(5)

  /// Ends the groups that are left. Nothing reports the end of another process's children.
  ///
  /// - Returns: the leaders of those that ran.
  func end() -> [Int32] {
    var alive = GroupIdentity.alive(among: groups)
    let found = alive.map(\.leader).sorted()
    guard !alive.isEmpty else { return [] }
    GroupIdentity.send(SIGTERM, to: Array(alive))
    GroupIdentity.send(SIGCONT, to: Array(alive))
    let limit = EventLoop.now + Self.grace
    while !alive.isEmpty {
      if EventLoop.now > limit { GroupIdentity.send(SIGKILL, to: Array(alive)) }
      usleep(10_000)
      alive = GroupIdentity.alive(among: Array(alive))
    }
    return found
  }
}
