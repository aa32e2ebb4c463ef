#if os(Linux)
  import Platform
  import Testing

  @testable import EventLoop

  @Suite("TCP sockets that listen") struct TCPListenerTests {
    @Test(arguments: [("127.0.0.1", AF_INET), ("::1", AF_INET6)])
    func areTheSameByAQuestionAndByTheTable(_ host: String, _ family: Int32) throws {
      let server = try #require(TestListener(host))
      let listener = TCPListener(port: server.port, inode: server.inode)
      let asked = try #require(TCPListener.asked(family))
      #expect(asked.contains(listener))
      #expect(TCPListener.listed(family).contains(listener))
      server.close()
      let left = try #require(TCPListener.asked(family))
      #expect(!left.contains(listener))
    }

    @Test func belongToTheProcessOrToAnother() throws {
      let server = try #require(TestListener("127.0.0.1"))
      defer { server.close() }
      #expect(PortOwner.ofPort(server.port, among: [getpid()]) == .own)
      guard case .other(getpid(), _) = PortOwner.ofPort(server.port, among: []) else {
        Issue.record("\(PortOwner.ofPort(server.port, among: []))")
        return
      }
      #expect(PortOwner.ports(of: [getpid()]).contains(server.port))
    }
  }

  /// A socket of this process that listens at a free port.
  private struct TestListener {
    private let descriptor: Int32
    let port: UInt16
    let inode: UInt64

    init?(_ host: String) {
      guard let address = SocketAddress(host, port: 0) else { return nil }
      let descriptor = address.open()
      guard address.with({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1) == 0 else {
        return nil
      }
      var bound = sockaddr_in6()
      var size = socklen_t(MemoryLayout.size(ofValue: bound))
      let code = withUnsafeMutablePointer(to: &bound) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      }
      var information = stat()
      guard code == 0, fstat(descriptor, &information) == 0 else { return nil }
      self.descriptor = descriptor
      // The port has the same place for both protocols.
      port = UInt16(bigEndian: bound.sin6_port)
      inode = UInt64(information.st_ino)
    }

    /// Ends it also for a child that has just been forked and still holds its descriptor.
    func close() {
      shutdown(descriptor, Int32(SHUT_RDWR))
      Platform.close(descriptor)
    }
  }
#endif
