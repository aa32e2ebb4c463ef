import Platform

/// Creates a new file beside another one, to replace it when it is complete. Its name is
/// unpredictable, and no existing file is opened.
///
/// - Parameter permissions: the permissions of the file, whatever the process's mask is.
/// - Returns: the file and its name; nil if it cannot be created, with the reason in `errno`.
package func makeFile(
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
