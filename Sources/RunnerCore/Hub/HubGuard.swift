import EventLoop
import Platform
import Scripting

/// Lets the hub end the processes of this program if it is killed while it uses services. On the loop's
/// thread.
///
/// The kernel ends the programs that this one has started, but not what these have started in turn.
/// Their process groups are in a file in memory, which the hub opens while this process lives, and reads
/// when the connection ends: what is in it then, nobody else will end. The file names the connection that
/// it is for. This process takes that name back before it closes the connection, because the hub may read
/// the file much later, when it is for the next one.
final class HubGuard: HostObserver {
  /// The size from which the file is written again.
  private static let most = 64 << 10

  private let loop: EventLoop
  private let descriptor: Int32
  private var groups: [Int32: GroupIdentity] = [:]
  private var hosts: [ObjectIdentifier: Weak] = [:]
  private var stream: HubStream?
  /// The number of the connection.
  private var number = 0
  /// The number of services that are used.
  private var useCount = 0

  private struct Weak { weak var host: ScriptHost? }

  /// Fails if the system has no files in memory.
  init?(on loop: EventLoop) {
    self.loop = loop
    guard let descriptor = openMemoryFile() else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Replaces what the file says by the connection that it is for and the groups that run.
  private func rewrite() {
    ftruncate(descriptor, 0)
    write(
      HubRecordLine.guarding(number) + HubRecordLine.system
        + groups.values.map(HubRecordLine.began).joined())
  }

  private func write(_ line: String) {
    Array(line.utf8).withUnsafeBytes { _ = writeBytes($0, to: descriptor) }
  }

  /// A service is used for work of a host.
  ///
  /// - Parameter onIdle: called with the stream that keeps the hub informed when no hub runs.
  func useBegins(
    in host: ScriptHost, by client: HubClient, onIdle: @escaping (HubStream) -> Void
  ) {
    useCount += 1
    if hosts[ObjectIdentifier(host)]?.host == nil {
      hosts[ObjectIdentifier(host)] = Weak(host: host)
      host.add(self)
    }
    guard stream == nil else { return }
    number += 1
    noteRunning()
    rewrite()
    loop.startsRecord = descriptor
    let path = JSONValue.string("/proc/\(getpid())/fd/\(descriptor)")
    let request = HubRequest(
      "POST", "guards", .object([("record", path), ("number", .integer(Int64(number)))]))
    // A hub that cannot read the file, as in another container, ends nothing.
    let stream = HubStream(client, request, .start) { _ in }
    stream.onIdle = { [unowned stream] in onIdle(stream) }
    stream.send()
    self.stream = stream
  }

  /// Notes the groups that have begun while there was no connection.
  private func noteRunning() {
    let leaders = loop.groupLeaders
    groups = groups.filter { leaders.contains($0.key) }
    for leader in leaders where groups[leader] == nil {
      groups[leader] = GroupIdentity(leader: leader)
    }
  }

  func useEnded() {
    useCount -= 1
    guard useCount == 0 else { return }
    loop.startsRecord = nil
    // The hub finds nothing to end.
    ftruncate(descriptor, 0)
    stream?.end({ _ in }, {})
    stream = nil
  }

  func hostBeganGroup(_ leader: Int32, of execution: Int?) {
    if stream != nil, let group = GroupIdentity(leader: leader) { groups[leader] = group }
  }

  func hostEndedGroup(_ leader: Int32) {
    guard groups.removeValue(forKey: leader) != nil, stream != nil else { return }
    write(HubRecordLine.ended(leader))
    if groups.isEmpty || lseek(descriptor, 0, SEEK_END) > Self.most { rewrite() }
  }
}
