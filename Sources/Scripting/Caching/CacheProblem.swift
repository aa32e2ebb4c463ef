import Platform

/// Why the cache of results does not do what a command asks of it.
package enum CacheProblem: Error, Equatable {
  /// An output is outside the folder of the command file.
  case outside(String)
  /// An output is below a symbolic link, which leads somewhere else.
  case behindLink(String, link: String)
  /// An output is a device, a socket or a pipe.
  case special(String)
  /// An output was there before the execution, which left it as it was, and no other of the same
  /// definition is known to have made it.
  case leftover(String)
  /// The execution left an output of an earlier one as it was; a sentence says why it may not be one of
  /// its own.
  case stale(String, String)
  /// A file changed while it was stored.
  case changed(String)
  /// Something else is where an output belongs.
  case obstructed(String)
  /// What is stored is not what was written.
  case damaged
  /// A part of what was stored is gone.
  case incomplete
  /// The values, or what was printed, cannot be kept.
  case unkeepable(String)
  /// The state of a service counts, and nothing says so.
  case service(String)
  /// The folder of the store cannot be used.
  case store(String, Int32)
  /// The system refuses something.
  case system(String, Int32)
  /// The execution was cancelled meanwhile.
  case cancelled
}

extension CacheProblem: CustomStringConvertible {
  /// The reason, as a sentence without a full stop.
  package var description: String {
    switch self {
    case .outside(let path): "its output '\(path)' is outside the folder of the command file"
    case .behindLink(let path, let link):
      "its output '\(path)' is behind the symbolic link '\(link)', which the cache does not follow"
    case .special(let path): "its output '\(path)' is not a file, a folder or a symbolic link"
    case .leftover(let path):
      "it left '\(path)' as it was, which may be another command's or of an earlier state: remove it, or "
        + "exclude it with '!\(path)' in 'outputs'"
    case .stale(let path, let change):
      "it left '\(path)' of an earlier execution as it was, and since then \(change); remove "
        + "'\(path)'"
    case .changed(let path): "'\(path)' has changed meanwhile"
    case .obstructed(let path): "something else is at '\(path)'"
    case .damaged: "the entry is corrupted"
    case .incomplete: "a part of the entry is gone"
    case .unkeepable(let reason): reason
    case .service(let name):
      "it uses the service '\(name)', whose state counts only by a 'fingerprint'"
    case .store(let folder, let code): "cannot use '\(folder)': \(systemErrorText(code))"
    case .system(let path, let code): "'\(path)': \(systemErrorText(code))"
    case .cancelled: "it was cancelled"
    }
  }

  /// True if the entry in the cache is at fault, and not what surrounds it.
  var isOfEntry: Bool { self == .damaged || self == .incomplete }
}
