import Platform

/// A connection to a socket in the file system, from the client's side.
public enum LocalSocket {
  /// The most bytes that the path of a socket may have.
  public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Connects to a server without waiting for it.
  ///
  /// - Returns: a descriptor that does not block and that children do not inherit; -1, with `errno`,
  ///   if nobody serves the socket.
  public static func connect(to path: String) -> Int32 {
    guard let address = SocketAddress(path: path) else {
      errno = ENAMETOOLONG
      return -1
    }
    let descriptor = address.open()
    guard descriptor >= 0 else { return -1 }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    if address.with({ systemConnect(descriptor, $0, $1) }) == 0 { return descriptor }
    let problem = errno
    close(descriptor)
    errno = problem
    return -1
  }

  /// The user who has the other end of a connection; nil if the system does not tell.
  public static func user(behind descriptor: Int32) -> uid_t? {
    #if os(Linux)
      // The structure `ucred`: process, user, group.
      var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
      var size = socklen_t(MemoryLayout.size(ofValue: credentials))
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
        return nil
      }
      return credentials.1
    #else
      var (user, group): (uid_t, gid_t) = (0, 0)
      return getpeereid(descriptor, &user, &group) == 0 ? user : nil
    #endif
  }
}

private func systemConnect(
  _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> Int32 {
  connect(descriptor, address, size)
}
