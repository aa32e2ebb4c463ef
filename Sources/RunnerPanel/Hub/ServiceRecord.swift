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
  private var descriptor: Int32
  private var size = 0
  private var unwritten: [UInt8] = []
  private let inNextTurn: (@escaping () -> Void) -> Void

  /// - Parameter inNextTurn: calls a function in the next turn of the loop.
  init(_ path: String, inNextTurn: @escaping (@escaping () -> Void) -> Void) {
    self.path = path
    self.inNextTurn = inNextTurn
    descriptor = Self.open(path)
    var information = stat()
    if fstat(descriptor, &information) == 0 { size = Int(information.st_size) }
  }

  deinit {
    write()
    close(descriptor)
  }

  private static func open(_ path: String) -> Int32 {
    Platform.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  /// The path of the record of a service, and with `.1` behind it that of the earlier part.
  static func path(_ start: String, _ name: String) -> String { ServiceLog.path(start, name) }

  /// Separates a new run of the service from the earlier ones.
  func beginRun() {
    guard size > 0 || !unwritten.isEmpty else { return }
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
    if size + unwritten.count > Self.most {
      close(descriptor)
      _ = rename(path, "\(path).1")
      descriptor = Self.open(path)
      size = 0
    }
    size += unwritten.count
    _ = writeAll(unwritten, to: descriptor)
    unwritten.removeAll(keepingCapacity: true)
  }
}
