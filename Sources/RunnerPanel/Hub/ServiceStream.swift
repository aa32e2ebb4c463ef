import Platform
import RunnerCore
import Scripting

/// Lines of JSON about a service for as long as the client is there. On the loop's thread.
final class ServiceStream: HeldStream {
  var resume: () -> Void = {}
  private var pending: [UInt8] = []
  private var sent = 0
  private var hasLeft = false
  private var isOver = false
  /// True if its client only learns the states of a service.
  var isWatch = false
  /// True while what is sent waits for lines that come before it.
  private var isHeldBack = false
  /// Called once when the client leaves; returns true if there is something for it to wait for.
  var onLeave: () -> Bool = { false }
  /// Called once nothing more is sent.
  var onEnd: () -> Void = {}

  /// The most bytes of lines that wait for a slow client.
  private static let most = 1 << 20

  /// Keeps what is sent until `proceed`.
  func holdBack() { isHeldBack = true }

  /// Sends lines, then what was sent meanwhile.
  func proceed(behind lines: [JSONValue]) {
    isHeldBack = false
    guard !hasLeft else { return }
    pending.insert(contentsOf: lines.flatMap { ($0.text + "\n").utf8 }, at: 0)
    resume()
  }

  func send(_ status: ServiceStatus) { send(.object(status.fields)) }

  func send(_ json: JSONValue) {
    guard !hasLeft, pending.count - sent < Self.most else { return }
    pending += (json.text + "\n").utf8
    resume()
  }

  /// Ends the response.
  ///
  /// - Parameter last: lines for a client that has left and waits for the end.
  func finish(_ last: [JSONValue] = []) {
    for json in last { pending += (json.text + "\n").utf8 }
    (isOver, isHeldBack) = (true, false)
    resume()
  }

  /// Ends the response because the hub ends, which the client learns: it would take an end without that
  /// for the kill of the hub.
  func finishWithHub() {
    pending += (HubStream.endOfHub.text + "\n").utf8
    finish()
  }

  /// What the client held is free at once. If that ends services, a client that is still there is kept
  /// until nothing of them is left.
  func clientLeft() -> Bool {
    guard !hasLeft else { return true }
    hasLeft = true
    (pending, sent) = ([], 0)
    // It may hold what holds the stream.
    let leave = onLeave
    onLeave = { false }
    return !leave()
  }

  func read(into space: UnsafeMutableRawBufferPointer) -> Int? {
    if isHeldBack { return 0 }
    if sent == pending.count {
      pending.removeAll(keepingCapacity: pending.capacity < 64 << 10)
      sent = 0
    }
    let count = min(space.count, pending.count - sent)
    if count == 0 { return isOver ? nil : 0 }
    pending.withUnsafeBytes {
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count]))
    }
    sent += count
    return count
  }

  func ended() {
    _ = clientLeft()
    resume = {}
    onEnd()
  }
}
