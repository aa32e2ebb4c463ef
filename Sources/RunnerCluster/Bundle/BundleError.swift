/// The reason why a bundle cannot be made.
package enum BundleError: Error, Equatable {
  /// A file is named by a relative path that leads out of the folder.
  case outside(String, namedBy: String, folder: String)
  case unreadable(String, reason: String)
  case notUTF8(String)
  /// A file that workers need holds secrets, which are not carried.
  case secretFile(String, command: String)
  case pattern(String, reason: String)
  case noMatch(String)
  case changed(String)
}

extension BundleError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .outside(let path, let name, let folder):
      "'\(path)', which \(name) names, is outside of '\(folder)', whose files workers get; move it "
        + "there, or name it by an absolute path that all machines have"
    case .unreadable(let path, let reason): "cannot read '\(path)': \(reason)"
    case .notUTF8(let path): "workers cannot get '\(path)': its name is not UTF-8"
    case .secretFile(let path, let command):
      "the env_file '\(path)' of '\(command)' sets secrets, which are not carried to workers; write "
        + "{{\"\(path)\", optional = true}}, and set the variables in the environment of the workers"
    case .pattern(let pattern, let reason): "--bundle '\(pattern)': \(reason)"
    case .noMatch(let pattern): "--bundle '\(pattern)' matches no file"
    case .changed(let path): "'\(path)' has changed while it was handed over; start again"
    }
  }
}
