import EventLoop
import Platform

/// A request to a hub and the answer as it comes, on a connection of its own. On the loop's thread.
///
/// It is HTTP/1.0, so that an answer ends with its connection.
final class HubExchange: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var unsent: ArraySlice<UInt8>
  /// What has come and is no whole line yet.
  private var received: [UInt8] = []
  /// The status of the answer, once its head has come.
  private(set) var status: Int?
  /// The fields of the answer's head, by their names in lower case.
  private(set) var fields: [String: String] = [:]
  /// Called once the head of the answer has come.
  var onHead: () -> Void = {}
  /// Called with each line of the body, without its end.
  var onLine: ([UInt8]) -> Void = { _ in }
  /// Called once at the end of the connection, unless the exchange was cancelled.
  var onEnd: () -> Void = {}

  /// Sends a request.
  ///
  /// - Parameter descriptor: a connection, which belongs to the exchange from now on.
  init(_ descriptor: Int32, _ request: [UInt8], on loop: EventLoop) throws(EventLoopError) {
    self.descriptor = descriptor
    unsent = request[...]
    do {
      watch = try loop.watchDescriptor(descriptor) { [unowned self] in advance() }
    } catch {
      close(descriptor)
      throw error
    }
    watch?.waitForSpace(true)
  }

  deinit { cancel() }

  /// Leaves: closes the connection, so that the hub frees what it held for it.
  func cancel() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    close(descriptor)
    onLine = { _ in }
    onEnd = {}
  }

  /// Tells the hub that nothing more is wanted, and keeps the loop alive until the hub has ended the
  /// answer.
  ///
  /// - Parameters:
  ///   - onLine: called with each line until then.
  ///   - done: called then.
  func finish(_ onLine: @escaping ([UInt8]) -> Void, _ done: @escaping () -> Void) {
    guard watch != nil, isInBody else {
      cancel()
      return done()
    }
    self.onLine = onLine
    // The object lives until then.
    onEnd = { [self] in withExtendedLifetime(self, done) }
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private func advance() {
    send()
    var space = [UInt8](repeating: 0, count: 32 << 10)
    while watch != nil {
      let count = space.withUnsafeMutableBytes { readBytes(from: descriptor, into: $0) }
      if count > 0 {
        take(space[..<count])
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno == EAGAIN {
        return
      } else {
        return end()
      }
    }
  }

  private func send() {
    while !unsent.isEmpty {
      let count = unsent.withUnsafeBytes { writeBytes($0, to: descriptor) }
      if count < 0, errno == EINTR { continue }
      // What is wrong with the connection, reading tells.
      if count <= 0 { return }
      unsent = unsent.dropFirst(count)
    }
    watch?.waitForSpace(false)
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    var start = 0
    received += bytes
    while watch != nil, let end = received[start...].firstIndex(of: 10) {
      let line = Array(received[start..<end])
      start = end + 1
      takeLine(line)
    }
    if watch != nil { received.removeFirst(start) }
  }

  private var isInBody = false

  private func takeLine(_ line: [UInt8]) {
    guard !isInBody else { return onLine(line) }
    let text = String(decoding: line.last == 13 ? line.dropLast() : line[...], as: UTF8.self)
    guard status != nil else {
      return status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
    guard !text.isEmpty else {
      isInBody = true
      return onHead()
    }
    guard let field = text.cut(atFirst: ":") else { return }
    fields[field.before.lowercased()] = String(field.after.drop { $0 == " " })
  }

  private func end() {
    if isInBody, !received.isEmpty { onLine(received) }
    let onEnd = onEnd
    cancel()
    onEnd()
  }
}
