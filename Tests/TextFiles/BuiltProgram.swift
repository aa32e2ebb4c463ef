import Platform

/// The path of an executable of the build that the tests belong to.
package func builtProgram(_ name: String) -> String {
  // On macOS the bundle is a folder; the executable lies beside it.
  var folder = absolutePath(CommandLine.arguments[0])
  while let slash = folder.lastIndex(of: "/") {
    folder = String(folder[..<slash])
    let candidate = "\(folder)/\(name)"
    if access(candidate, X_OK) == 0 { return candidate }
  }
  preconditionFailure("\(name) is not beside the test bundle")
}

/// The path without symbolic links; the path itself if nothing is there.
package func absolutePath(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}
