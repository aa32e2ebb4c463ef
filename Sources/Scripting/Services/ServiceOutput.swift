import EventLoop
import LuaRuntime
import Platform
import Reactive

/// What a service prints: the latest lines of its present run, and those who receive them as they come.
/// Confined to the loop's thread.
final class ServiceOutput {
  private static let mostLines = 200
  private static let mostBytes = 64 * 1_024
  /// The number of lines that are shown with a failure.
  static let linesOfFailure = 10

  private var lines: [ServiceLine] = []
  private var byteCount = 0
  /// The number of kept lines that what the service needs has printed, before its own work.
  private var othersCount = 0
  private var receivers: [Int: (ServiceLine) -> Void] = [:]
  private var lastReceiver = 0
  private var errors = LineSplitter(limit: mostBytes)

  /// Passes on the lines that are kept, and then those to come.
  func receive(_ receiver: @escaping (ServiceLine) -> Void) -> any Disposable {
    for line in lines { receiver(line) }
    return add(receiver)
  }

  /// Does the same without the lines of what the service needs.
  func receiveOwn(_ receiver: @escaping (ServiceLine) -> Void) -> any Disposable {
    for line in lines.dropFirst(othersCount) { receiver(line) }
    return add(receiver)
  }

  private func add(_ receiver: @escaping (ServiceLine) -> Void) -> any Disposable {
    lastReceiver += 1
    let number = lastReceiver
    receivers[number] = receiver
    return ActionDisposable(onLoop { [weak self] in self?.receivers[number] = nil })
  }

  /// True if somebody receives its lines.
  var isReceived: Bool { !receivers.isEmpty }

  /// Forgets the lines of an earlier run.
  func begin() {
    (lines, byteCount, othersCount) = ([], 0, 0)
    errors = LineSplitter(limit: Self.mostBytes)
  }

  /// Begins with the lines of its own work.
  func beginOwn() {
    finish()
    othersCount = lines.count
  }

  func add(_ bytes: [UInt8]) { add(ServiceLine(bytes, isError: false)) }

  /// Adds a piece of standard error.
  func addErrors(_ bytes: UnsafeRawBufferPointer) {
    var found: [ServiceLine] = []
    errors.append(bytes) { found.append(ServiceLine(Array($0), isError: true)) }
    for line in found { add(line) }
  }

  /// Adds the end of standard error if it is no whole line: nothing more will come.
  func finish() {
    var last: ServiceLine?
    errors.finish { last = ServiceLine(Array($0), isError: true) }
    if let last { add(last) }
  }

  private func add(_ line: ServiceLine) {
    lines.append(line)
    byteCount += line.bytes.count
    if lines.count > 2 * Self.mostLines || byteCount > 2 * Self.mostBytes { shorten() }
    for (number, receiver) in receivers where receivers[number] != nil { receiver(line) }
  }

  private func shorten() {
    let count = lines.count
    defer { othersCount = max(0, othersCount - (count - lines.count)) }
    lines.removeFirst(max(0, count - Self.mostLines))
    byteCount = lines.reduce(0) { $0 + $1.bytes.count }
    while byteCount > Self.mostBytes, lines.count > 1 {
      byteCount -= lines.removeFirst().bytes.count
    }
  }

  /// The last lines, for the message of a failure.
  var lastLines: [String] {
    lines.suffix(Self.linesOfFailure).map(\.textOfFailure)
  }
}

extension ServiceLine {
  /// The line as messages show it.
  var textOfFailure: String { Secrets.masked(String(exactly: bytes)) }
}
