import EventLoop
import Platform
import Scripting

/// The start of a hub by one of its clients. On the loop's thread.
///
/// The hub is this program in a session of its own. Its standard output is a pipe until it listens: it
/// writes `ready` there, or the reason why it does not start, and closes it. If another one starts at
/// the same time, the loser of their lock waits for the winner, and writes the same. One that waits for the
/// end of an earlier hub says so first, and ends with its client.
package final class HubStart: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// What a hub writes once it listens; a line for people may follow.
  package static let ready = "ready\n"
  private static let wait = "waits for "

  /// What a hub writes that waits for the end of an earlier one.
  package static func wait(for process: pid_t) -> String { "\(wait)\(process)\n" }

  /// The earlier hub that the hub waits for; nil if it waits for none.
  private(set) var predecessor: pid_t?

  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var text: [UInt8] = []
  private let onWait: () -> Void
  private let onEnd: (Result<String, HubError>) -> Void
  private let place: HubPlace

  /// - Parameters:
  ///   - onWait: called once `predecessor` is known.
  ///   - onEnd: called once with what the hub has to tell, or why it does not start.
  init(
    _ place: HubPlace, on loop: EventLoop, onWait: @escaping () -> Void,
    _ onEnd: @escaping (Result<String, HubError>) -> Void
  ) throws(HubError) {
    self.place = place
    self.onWait = onWait
    self.onEnd = onEnd
    let program =
      resolvedPath("/proc/self/exe") ?? ProcessEnvironment.arguments().first ?? "raclette"
    // It loads the command file itself.
    let request = ProcessRequest(
      argv: [program, "--color", "never", ":hub", "-f", place.commandFile].map(\.exactBytes),
      environment: HubEnvironment(of: .own, hasLoaded: false).entries,
      directory: CommandFile.split(place.commandFile).directory.exactBytes)
    do {
      descriptor = try loop.spawnDetachedWithOutput(request).output
      watch = try loop.watchDescriptor(descriptor) { [unowned self] in read() }
    } catch { throw .cannotStart(file: place.commandFile, reason: "\(error)") }
  }

  deinit { cancel() }

  func cancel() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    close(descriptor)
  }

  private func read() {
    var space = [UInt8](repeating: 0, count: 4_096)
    let count = space.withUnsafeMutableBytes { readBytes(from: descriptor, into: $0) }
    if count > 0 {
      text += space[..<count]
      return readWait()
    }
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    let text = String(decoding: text, as: UTF8.self)
    cancel()
    if text.hasPrefix(Self.ready) {
      return onEnd(.success(String(text.dropFirst(Self.ready.count))))
    }
    let reason = text.isEmpty ? "it ended at once; see \(place.log)" : text
    onEnd(.failure(.cannotStart(file: place.commandFile, reason: reason)))
  }

  private func readWait() {
    guard predecessor == nil, text.starts(with: Self.wait.utf8), let end = text.firstIndex(of: 10)
    else { return }
    let number = text[..<end].dropFirst(Self.wait.utf8.count)
    predecessor = pid_t(String(decoding: number, as: UTF8.self))
    text.removeSubrange(...end)
    onWait()
  }
}
