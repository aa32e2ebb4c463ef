import Platform

/// Makes a new file beside another one, to take its place when it is whole. Nobody can foresee its name,
/// and nothing that is there already is opened.
///
/// - Parameter permissions: those of the file, whatever the process's mask is.
/// - Returns: the file and its name; nil if none can be made, for the reason in `errno`.
func makeFile(
  beside path: String, _ permissions: mode_t
) -> (file: UnsafeMutablePointer<FILE>, name: String)? {
  let name = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
  let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { return nil }
  if permissions != 0o600 { fchmod(descriptor, permissions) }
  guard let file = fdopen(descriptor, "w+") else {
    let code = errno
    close(descriptor)
    unlink(name)
    errno = code
    return nil
  }
  return (file, name)
}
