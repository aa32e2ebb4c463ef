import LuaRuntime
import Reactive

@testable import RunnerCore
@testable import RunnerPanel
@testable import Scripting

/// A client that uses a service by a stream of the hub, which it reads.
final class HubTestClient {
  let name: String
  /// Its variables.
  let caller = CallerEnvironment([])
  /// True if it waits when the service has ended for good, as `on_lost = "wait"` and `up` do.
  let staysWhenLost: Bool
  /// True if it wants no more than to see it ready.
  var leavesWhenReady = false
  /// The states that it was told.
  var states: [ServiceState] = []
  private(set) var isGone = false
  private(set) var hasNews = false
  /// True once the hub has said that nothing defines the service any more.
  private(set) var isAbandoned = false
  private var stream: ServiceStream?

  init(_ name: String, staysWhenLost: Bool) {
    (self.name, self.staysWhenLost) = (name, staysWhenLost)
  }

  func use(_ command: ScriptCommand, in holder: HubHolder) {
    follow { [caller] in holder.use(command, command.emptyInput, for: caller, $0) }
  }

  func follow(_ begin: (@escaping (ServiceStatus) -> Void) -> any Disposable) {
    let stream = ServiceStream()
    self.stream = stream
    stream.resume = { [weak self] in self?.hasNews = true }
    let use = begin { [weak stream] in stream?.send($0) }
    stream.onLeave = {
      use.dispose()
      return false
    }
  }

  /// Reads what has come.
  ///
  /// - Returns: false if it wants to leave.
  func read() -> Bool {
    hasNews = false
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 4_096)
    while let count = space.withUnsafeMutableBytes({ stream?.read(into: $0) }), count > 0 {
      bytes += space[..<count]
    }
    for line in bytes.split(separator: 10) {
      guard let json = JSONValue(text: String(decoding: line, as: UTF8.self)),
        let status = ServiceStatus(json)
      else { continue }
      states.append(status.state)
      if status.failure == "the command file no longer defines it" { isAbandoned = true }
      if status.state.isOver, !staysWhenLost || isAbandoned { return false }
      if status.state == .ready, leavesWhenReady { return false }
    }
    return true
  }

  func leave() {
    isGone = true
    _ = stream?.clientLeft()
    stream?.ended()
  }

  /// Its connection ends, and it reads nothing more.
  func kill() {
    isGone = true
    stream?.ended()
  }

  /// Its hub was killed, and it calls no other.
  func forget() { isGone = true }
}
