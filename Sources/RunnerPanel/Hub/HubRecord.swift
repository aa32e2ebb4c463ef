import EventLoop
import Platform
import RunnerCore

/// What a hub writes down for a successor, in case that it is killed: the process groups that run, what
/// it holds, and the last number of an execution. On the loop's thread.
final class HubRecord {
  /// The size from which the file is written again.
  private static let most = 64 << 10

  /// Where children write their descriptions, as the kernel gives them, before their programs begin.
  let descriptor: Int32
  private let path: String
  private var size = 0
  private var groups: [Int32: GroupIdentity] = [:]
  private var lastNumber: Int
  /// The services that are held until `down`.
  var held: Set<HubInheritance.Held> {
    didSet {
      append(
        oldValue.subtracting(held).map(HubRecordLine.free)
          + held.subtracting(oldValue).map(HubRecordLine.hold))
    }
  }
  /// The detached executions that run.
  var executions: Set<HubInheritance.Execution> {
    didSet {
      append(
        oldValue.subtracting(executions).map(HubRecordLine.over)
          + executions.subtracting(oldValue).map(HubRecordLine.execution))
    }
  }

  /// The executions that have ended, and whose results nobody has read.
  var results: Set<HubInheritance.Result> {
    didSet {
      append(
        oldValue.subtracting(results).map(HubRecordLine.read)
          + results.subtracting(oldValue).map(HubRecordLine.result))
    }
  }

  /// The mark of the processes that run; nil once the hub ends, which leaves nothing to its successor.
  private(set) var mark = ProcessMark.own

  /// Begins the record of this process with what its predecessor has left, but for its processes.
  ///
  /// - Throws: `HubError.folder` if the file cannot be made.
  init(_ path: String, _ inheritance: HubInheritance) throws(HubError) {
    self.path = path
    lastNumber = inheritance.lastNumber
    held = inheritance.held
    executions = inheritance.executions
    results = inheritance.results
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
    append([HubRecordLine.ended(leader)])
    if groups.isEmpty { rewrite() }
  }

  /// Records the number of an execution, so that it is never another one's.
  func note(number: Int) {
    guard number > lastNumber else { return }
    lastNumber = number
    append([HubRecordLine.number(number)])
  }

  /// The hub ends as it should: what goes on running then is meant to.
  func noteEnd() {
    mark = nil
    rewrite()
  }

  private func append(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    let bytes = Array(lines.joined().utf8)
    size += bytes.count
    if size > Self.most, rewrite() { return }
    write(bytes)
  }

  private func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { _ = writeBytes($0, to: descriptor) }
  }

  /// Replaces the file by one with what holds now.
  ///
  /// - Returns: false if there is no room for it, so that the old one goes on.
  @discardableResult
  private func rewrite() -> Bool {
    let size = replaceFile(at: path, openAs: descriptor) { replacement in
      var lines = [HubRecordFile(replacement, at: path).map(HubRecordLine.file) ?? ""]
      lines += [HubRecordLine.system, HubRecordLine.number(lastNumber)]
      if let mark { lines.append(HubRecordLine.mark(mark)) }
      lines += held.map(HubRecordLine.hold) + executions.map(HubRecordLine.execution)
      lines += results.map(HubRecordLine.result)
      lines += groups.values.map(HubRecordLine.began)
      return Array(lines.joined().utf8)
    }
    if let size { self.size = size }
    return size != nil
  }
}
