import Platform

/// The reason why the hub of a command file does not answer as it should.
package enum HubError: Error, Equatable, CustomStringConvertible {
  /// None runs, and the request needs none to be started.
  case notRunning(file: String)
  /// None runs, or one that has no service of this name.
  case down(String)
  /// A folder or a file of its own cannot be used.
  case folder(String, reason: String)
  case cannotConnect(file: String, socket: String, reason: String)
  /// Another user's process serves the socket.
  case foreign(file: String, socket: String, user: uid_t?)
  case cannotStart(file: String, reason: String)
  /// It speaks another protocol.
  case otherProtocol(file: String, process: pid_t?, version: String?)
  /// It went away while it was being asked.
  case lost(file: String, log: String)
  /// It refuses the request, with the status and the kind of its answer, and the exit status of what has
  /// failed, if something has.
  case refused(status: Int, kind: String, message: String, exitStatus: Int32? = nil)

  package var description: String {
    switch self {
    case .notRunning(let file):
      "no hub is running for \(file); 'raclette up' and 'raclette run -d' start one"
    case .down(let name):
      "'\(name)' is not up"
    case .folder(let path, let reason):
      "the hub cannot use '\(path)': \(reason)"
    case .cannotConnect(let file, let socket, let reason):
      "cannot connect to the hub of \(file) at '\(socket)': \(reason)"
    case .foreign(let file, let socket, let user):
      "cannot use the hub of \(file): '\(socket)' is served by "
        + (user.map { "the user \($0)" } ?? "an unknown user") + "; remove that file"
    case .cannotStart(let file, let reason):
      "the hub of \(file) does not start: \(reason)"
    case .otherProtocol(let file, let process, let version):
      "the hub of \(file) (\(process.map { "pid \($0), " } ?? "")Raclette \(version ?? "unknown")) "
        + "is from another build of Raclette and cannot answer this call; "
        + (process.map { "to end it and everything it runs: kill \($0)" } ?? "end its process")
    case .lost(let file, let log):
      "the hub of \(file) has ended; \(log) has its last messages"
    case .refused(_, _, let message, _):
      message
    }
  }

  /// The exit status of a subcommand that fails by it.
  package var exitStatus: Int32 {
    if case .down = self { return ExitStatus.usage }
    guard case .refused(let status, let kind, _, let exitStatus) = self else {
      return ExitStatus.failure
    }
    if let exitStatus { return exitStatus }
    switch kind {
    case "not_enabled": return ExitStatus.notEnabled
    case "input", "request", "not_found": return ExitStatus.usage
    default: return status == 422 ? ExitStatus.usage : ExitStatus.failure
    }
  }
}
