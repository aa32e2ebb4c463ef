import CLibUV
import Platform

/// An error of the loop itself.
public enum EventLoopError: Error, Equatable, CustomStringConvertible {
  /// The loop could not be set up; `code` is libuv's, a negated errno.
  case cannotStart(code: Int32)
  /// The OS does not let this signal be handled; `code` is libuv's, a negated errno.
  case cannotHandle(signal: Int32, code: Int32)
  /// The folder cannot be watched; `code` is libuv's, a negated errno.
  case cannotWatch(path: String, code: Int32)
  /// Standard input cannot be read; `code` is libuv's, a negated errno.
  case cannotRead(code: Int32)

  /// A one-line message.
  public var description: String {
    switch self {
    case .cannotStart(let code):
      "the event loop cannot start: \(systemErrorText(-code))"
    case .cannotHandle(let signal, let code):
      "signal \(signal) cannot be handled: \(systemErrorText(-code))"
    case .cannotWatch(let path, let code):
      "'\(path)' cannot be watched: \(Self.reason(watching: -code))"
    case .cannotRead(let code):
      "standard input cannot be read: \(systemErrorText(-code))"
    }
  }

  /// The reason why a folder cannot be watched: on Linux, a limit is told by its name.
  private static func reason(watching code: Int32) -> String {
    switch code {
    #if os(Linux)
      case ENOSPC:
        "all folders that a user may watch on this system are taken; watch fewer, or raise the limit: "
          + "sysctl fs.inotify.max_user_watches=1048576"
      case EMFILE:
        "too many programs watch files; raise the limit: sysctl fs.inotify.max_user_instances=1024"
    #endif
    default: systemErrorText(code)
    }
  }
}
