import Platform
import RunnerCore
import Scripting

/// What a service prints, in a file that outlives its hub. It is bounded: what came before the latest
/// megabytes is dropped. On the loop's thread.
final class ServiceRecord {
  /// The size from which the file becomes the earlier one, of which one is kept.
  private static let most = 4 << 20

  private let path: String
  private var descriptor: Int32
  private var size = 0

  init(_ path: String) {
    self.path = path
    descriptor = Self.open(path)
    var information = stat()
    if fstat(descriptor, &information) == 0 { size = Int(information.st_size) }
  }

  deinit { close(descriptor) }

  private static func open(_ path: String) -> Int32 {
    Platform.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  /// The path of the record of a service, and with `.1` behind it that of the earlier part.
  static func path(_ start: String, _ name: String) -> String { ServiceLog.path(start, name) }

  func add(_ line: ServiceLine) {
    let bytes = (Secrets.masked(line.bytes.withUnsafeBytes { Array($0) }) ?? line.bytes) + [10]
    if size + bytes.count > Self.most {
      close(descriptor)
      _ = rename(path, "\(path).1")
      descriptor = Self.open(path)
      size = 0
    }
    size += bytes.count
    bytes.withUnsafeBytes { _ = writeBytes($0, to: descriptor) }
  }
}

extension Secrets {
  fileprivate static func masked(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.withUnsafeBytes { masked($0) }
  }
}
