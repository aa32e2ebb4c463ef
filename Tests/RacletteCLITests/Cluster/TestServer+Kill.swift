import Platform
import Testing

extension TestServer {
  /// Ends all its processes by `kill -9`, and returns when they are gone: a new server does not start
  /// beside them.
  ///
  /// - Parameter event: what happens to it before.
  func kill(after event: () -> Void = {}) {
    let lock = "\(folder)/data/postmaster.pid"
    guard
      let text = try? String(decoding: readBytes(lock), as: UTF8.self),
      let line = text.split(separator: "\n").first, let server = pid_t(line), server > 1
    else { return }
    let processes = [server] + Self.children(of: server)
    event()
    _ = Platform.kill(server, SIGKILL)
    eventually {
      processes.allSatisfy { process in
        var status: Int32 = 0
        waitpid(process, &status, WNOHANG)
        return !Self.isRunning(process)
      }
    }
    removeLocks()
  }

  /// Removes what says that it runs: to a server a zombie does, and in a container nobody may wait for it.
  func removeLocks() {
    unlink("\(folder)/data/postmaster.pid")
    unlink("\(folder)/.s.PGSQL.5432.lock")
  }

  private static func isRunning(_ process: pid_t) -> Bool {
    guard let bytes = try? readBytes("/proc/\(process)/stat") else { return false }
    // The name, in parentheses, may have any character.
    guard let name = bytes.lastIndex(of: UInt8(ascii: ")")) else { return false }
    return bytes[name + 2] != UInt8(ascii: "Z")
  }

  private static func children(of process: pid_t) -> [pid_t] {
    let path = "/proc/\(process)/task/\(process)/children"
    guard let bytes = try? readBytes(path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
  }

  private static func readBytes(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "re") else { throw Missing() }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  private func readBytes(_ path: String) throws -> [UInt8] { try Self.readBytes(path) }

  private struct Missing: Error {}
}
