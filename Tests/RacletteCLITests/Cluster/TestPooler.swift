import Platform
import Testing
import TextFiles

/// PgBouncer before a server of the tests, in a folder of its own, reached by a Unix socket.
final class TestPooler: Sendable {
  enum Mode: String { case session, transaction }

  private static let program = "/usr/sbin/pgbouncer"

  static var isInstalled: Bool { TestServer.isInstalled && access(program, X_OK) == 0 }

  private let folder: String

  /// - Parameter settings: lines of its configuration.
  init(_ server: TestServer, _ mode: Mode, _ settings: [String] = []) {
    var template = Array("\(server.folder)/pooler-XXXXXX".utf8CString)
    let isMade = mkdtemp(&template) != nil
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let configuration =
      [
        "[databases]", "* = host=\(server.folder) user=postgres", "[pgbouncer]", "listen_addr =",
        "listen_port = 6432", "unix_socket_dir = \(folder)", "pool_mode = \(mode)",
        "auth_type = any", "pidfile = \(folder)/pid", "logfile = \(folder)/log",
        // It tries a server again that was away.
        "server_login_retry = 1",
      ] + settings
    if getuid() == 0 { spawnAndWait(["/bin/chown", "postgres", folder]) }
    // It will not be root.
    let isRoot = getuid() == 0
    let run = Running(
      Launch(
        program: isRoot ? "/sbin/runuser" : "/bin/sh",
        arguments: (isRoot ? ["-u", "postgres", "--", "/bin/sh"] : [])
          + ["-c", "cd / && cat >'\(folder)/ini' && exec \(Self.program) -q -d '\(folder)/ini'"],
        input: .text(configuration.map { $0 + "\n" }.joined()))
    ).finish()
    if !isMade || run.status != 0 { Issue.record("the pooler does not start: \(run)") }
    // What it leaves in the background listens later.
    let question = "postgresql://postgres@/pgbouncer?host=\(folder)&port=6432"
    eventually {
      spawnAndWait(["/bin/sh", "-c", "psql -qAtc 'SHOW VERSION' '\(question)' >/dev/null 2>&1"])
        == 0
    }
  }

  /// The URL of a journal of the server by way of the pooler.
  func url(of place: ClusterFolder) -> String {
    "postgresql://postgres@/\(place.database)?host=\(folder)&port=6432"
  }

  /// What messages call it.
  func name(of place: ClusterFolder) -> String { "\(folder):6432/\(place.database)" }

  func stop() {
    guard let line = try? TextFile("\(folder)/pid").lines.first, let pid = pid_t(line), pid > 1
    else { return }
    kill(pid, SIGKILL)
    spawnAndWait(["/bin/rm", "-rf", folder])
  }
}
