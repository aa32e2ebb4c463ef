import Platform
import RunnerCore
import Scripting

/// What a service prints, in a file that outlives its hub. It is bounded: what came before the latest
/// megabytes is dropped. On the loop's thread.
final class ServiceRecord {
  /// The size from which the file becomes the earlier one, of which one is kept.
  private static let most = 4 << 20
  /// How many bytes are written at once, at the latest in the next turn of the loop.
  private static let part = 64 << 10

  private let path: String
  /// The first line, which says whose record it is, for a service with parameters.
  private let heading: [UInt8]
  /// Negative while nothing is written.
  private var descriptor: Int32 = -1
  private var size = 0
  private var unwritten: [UInt8] = []
  private let inNextTurn: (@escaping () -> Void) -> Void

  /// - Parameters:
  ///   - start: the beginning of the paths of the records of all services.
  ///   - inNextTurn: calls a function in the next turn of the loop.
  init(
    _ key: ServiceKey, _ start: String, inNextTurn: @escaping (@escaping () -> Void) -> Void
  ) {
    path = ServiceLog.path(start, key)
    heading = key.shownInput == nil ? [] : Array((ServiceLog.heading(key.text) + "\n").utf8)
    self.inNextTurn = inNextTurn
    open()
  }

  deinit { end() }

  private func open() {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    descriptor = Platform.open(path, flags, 0o600)
    var information = stat()
    size = fstat(descriptor, &information) == 0 ? Int(information.st_size) : 0
  }

  private func shut() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Writes what is left, and leaves the file until more comes.
  func end() {
    write()
    shut()
  }

  /// Separates a new run of the service from the earlier ones.
  func beginRun() {
    guard size > heading.count || !unwritten.isEmpty else { return }
    add(line: Array("--- started \(localTimeText(WallClock.seconds)) ---".utf8))
  }

  func add(_ line: ServiceLine) {
    add(line: line.bytes.withUnsafeBytes { Secrets.masked($0) } ?? line.bytes)
  }

  private func add(line: [UInt8]) {
    let isFirst = unwritten.isEmpty
    unwritten += line
    unwritten.append(10)
    if unwritten.count >= Self.part {
      write()
    } else if isFirst {
      inNextTurn { [weak self] in self?.write() }
    }
  }

  private func write() {
    guard !unwritten.isEmpty else { return }
    if descriptor < 0 { open() }
    if size + unwritten.count > Self.most {
      shut()
      _ = rename(path, "\(path).1")
      open()
    }
    if size == 0 { unwritten.insert(contentsOf: heading, at: 0) }
    size += unwritten.count
    _ = writeAll(unwritten, to: descriptor)
    unwritten.removeAll(keepingCapacity: true)
  }
}
