import RunnerCore

/// A reason why a command cannot be audited.
enum AuditError: Error, CustomStringConvertible {
  case noTracer
  case service(String)
  case cannotStart(String)
  case untraced(command: String, status: Int32)

  var description: String {
    switch self {
    case .noTracer:
      "audit needs strace, which is not installed: apt-get install strace (or your system's "
        + "equivalent)"
    case .service(let name):
      "'\(name)' is a service, which does not end by itself; audit only works on commands that end"
    case .cannotStart(let reason): "cannot start strace: \(reason)"
    case .untraced(let command, let status):
      """
      strace has ended with \(status) before '\(command)' began, for the reason above. Tracing needs \
      ptrace, which other tracers, containers (docker run --cap-add SYS_PTRACE) and \
      kernel.yama.ptrace_scope may forbid
      """
    }
  }
}
