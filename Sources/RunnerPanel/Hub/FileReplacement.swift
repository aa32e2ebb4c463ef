import Platform

/// Puts another file into the place of one that is open for appending, so that a process that is killed
/// meanwhile leaves one or the other. The descriptor keeps its number.
///
/// - Parameter content: returns the content of the new file, whose descriptor it is given.
/// - Returns: the size of the new file; nil if there is no room for it, or somebody has removed the old one
///   or put another into its place: the old one goes on then.
func replaceFile(
  at path: String, openAs descriptor: Int32, by content: (_ replacement: Int32) -> [UInt8]
) -> Int? {
  guard isOpen(descriptor, at: path) else { return nil }
  let next = "\(path).next"
  unlink(next)
  let replacement = open(next, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
  guard replacement >= 0 else { return nil }
  defer { close(replacement) }
  let bytes = content(replacement)
  guard writeAll(bytes, to: replacement) == 0, rename(next, path) == 0 else {
    unlink(next)
    return nil
  }
  dup2(replacement, descriptor)
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  return bytes.count
}
