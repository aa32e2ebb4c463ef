import Platform

/// The address of a server: an address of the Internet protocols and a port, or a socket in the file
/// system.
public struct SocketAddress: Sendable, Hashable {
  /// The address as the system takes it.
  let bytes: [UInt8]
  let family: Int32

  /// Makes an address from a numeric host, such as `127.0.0.1` or `::1`; nil for anything else.
  public init?(_ host: String, port: UInt16) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, host, &four) == 1 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = four
      bytes = withUnsafeBytes(of: address) { Array($0) }
      family = AF_INET
    } else if inet_pton(AF_INET6, host, &six) == 1 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = six
      bytes = withUnsafeBytes(of: address) { Array($0) }
      family = AF_INET6
    } else {
      return nil
    }
  }

  /// Makes the address of a socket in the file system; nil if the path is too long for one.
  public init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let text = path.exactBytes
    guard text.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
    bytes = withUnsafeBytes(of: address) { Array($0) }
    family = AF_UNIX
  }

  private init(_ entry: addrinfo) {
    bytes = Array(UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen)))
    family = entry.ai_family
  }

  /// The addresses of a host, by a look-up that may block for seconds.
  public static func named(_ host: String, port: UInt16) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = streamSocket
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next {
      found.append(SocketAddress(entry.pointee))
      next = entry.pointee.ai_next
    }
    return found
  }

  /// Calls a function of the system that takes an address.
  package func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    bytes.withUnsafeBytes { raw in
      guard let start = raw.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return body(start, socklen_t(raw.count))
    }
  }

  /// Opens a socket for addresses of this kind that no child inherits; -1, with `errno`, if there can
  /// be none.
  package func open() -> Int32 {
    let number = socket(family, streamSocket, 0)
    guard number >= 0 else { return -1 }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return number
  }
}

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  private let streamSocket = SOCK_STREAM
#endif
