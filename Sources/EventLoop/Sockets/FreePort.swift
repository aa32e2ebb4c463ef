import Platform

extension PortOwner {
  /// Returns true if a server could listen at a port now, at every address of this machine.
  public static func isFree(_ port: UInt16) -> Bool {
    // A system without one of the protocols has no address there to be taken.
    ["0.0.0.0", "::"].allSatisfy { host in
      guard let address = SocketAddress(host, port: port) else { return true }
      let descriptor = address.open()
      guard descriptor >= 0 else { return errno == EAFNOSUPPORT }
      defer { close(descriptor) }
      var yes: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      // What an earlier server has left does not keep a new one from listening.
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
      if address.family == AF_INET6 {
        setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
      }
      let code = address.with { bind(descriptor, $0, $1) }
      return code == 0 || errno != EADDRINUSE
    }
  }
}
