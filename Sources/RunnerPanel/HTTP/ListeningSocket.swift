import EventLoop
import Platform

/// The address at which a panel is served: a port of this machine, or a socket in the file system.
enum ListenAddress: Equatable {
  case port(host: String, port: UInt16)
  case path(String)

  static let usual = ListenAddress.port(host: "127.0.0.1", port: 7878)

  /// Reads the value of `--listen`: `127.0.0.1:7878`, `:0`, `[::1]:80`, `unix:PATH`.
  init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst("unix:".count))
      if path.isEmpty { return nil }
      self = .path(path)
      return
    }
    guard let parts = text.cut(atLast: ":"), let port = UInt16(parts.after) else { return nil }
    var host = String(parts.before)
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    self = .port(host: host.isEmpty ? "127.0.0.1" : host, port: port)
  }

  /// True if only this machine's users reach it.
  var isLocal: Bool {
    switch self {
    case .path: true
    case .port(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
  }
}

/// A socket that listens at an address.
final class ListeningSocket {
  let descriptor: Int32
  /// The address as a URL without a path: `http://127.0.0.1:7878`; nil for one in the file system.
  let url: String?
  private let path: String?
  private var inode: UInt64?

  /// - Throws: `PanelError.cannotListen`.
  init(_ address: ListenAddress) throws(PanelError) {
    switch address {
    case .path(let path):
      self.path = path
      url = nil
      descriptor = try Self.open(atPath: path)
      var information = stat()
      if lstat(path, &information) == 0 { inode = UInt64(information.st_ino) }
    case .port(let host, let port):
      path = nil
      let isWide = host.contains(":")
      descriptor = try Self.open(at: host, port, isWide: isWide)
      url = "http://\(isWide ? "[\(host)]" : host):\(Self.port(of: descriptor))"
    }
  }

  /// Removes a socket's file, unless another program has made a new one. The descriptor belongs to
  /// the server.
  func remove() {
    if let path, isThere { unlink(path) }
  }

  /// False if its file was removed, so that nobody can reach it any more.
  var isThere: Bool {
    guard let path, let inode else { return true }
    var information = stat()
    guard lstat(path, &information) == 0 else { return errno != ENOENT }
    return UInt64(information.st_ino) == inode
  }

  private static func failure(_ address: String, _ code: Int32, hint: String = "") -> PanelError {
    .cannotListen(address, reason: systemErrorText(code) + hint)
  }

  private static func open(
    at host: String, _ port: UInt16, isWide: Bool
  ) throws(PanelError) -> Int32 {
    let name = "\(isWide ? "[\(host)]" : host):\(port)"
    let target = host == "localhost" ? "127.0.0.1" : host
    let descriptor = socket(isWide ? AF_INET6 : AF_INET, streamSocket, 0)
    guard descriptor >= 0 else { throw failure(name, errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let bound: Int32
    if isWide {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, target, &address.sin6_addr) == 1 else {
        close(descriptor)
        throw .cannotListen(name, reason: "'\(host)' is not an IPv6 address")
      }
      bound = withUnsafeBytes(of: &address) { bindSocket(descriptor, $0) }
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      guard inet_pton(AF_INET, target, &address.sin_addr) == 1 else {
        close(descriptor)
        throw .cannotListen(name, reason: "'\(host)' is not an IPv4 address")
      }
      bound = withUnsafeBytes(of: &address) { bindSocket(descriptor, $0) }
    }
    guard bound == 0, listen(descriptor, 128) == 0 else {
      let code = errno
      close(descriptor)
      let hint = code == EADDRINUSE ? "; --listen :0 takes a free port" : ""
      throw failure(name, code, hint: hint)
    }
    return descriptor
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The port stands at the same place in both families.
    withUnsafeMutableBytes(of: &address) { bytes in
      if let start = bytes.bindMemory(to: sockaddr.self).baseAddress {
        _ = getsockname(descriptor, start, &size)
      }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Listens at a path, in place of a socket that nobody serves any more.
  private static func open(atPath path: String) throws(PanelError) -> Int32 {
    guard let address = SocketAddress(path: path) else {
      throw .cannotListen(path, reason: "the path has more than \(LocalSocket.longestPath) bytes")
    }
    let descriptor = address.open()
    guard descriptor >= 0 else { throw failure(path, errno) }
    var information = stat()
    if path.withCBytes({ lstat($0, &information) }) == 0 {
      guard information.st_mode & S_IFMT == S_IFSOCK else {
        close(descriptor)
        throw .cannotListen(path, reason: "there is a file that is not a socket")
      }
      guard !isServed(address) else {
        close(descriptor)
        throw failure(path, EADDRINUSE)
      }
      _ = path.withCBytes { unlink($0) }
    }
    // Nobody else may connect, not even between the two calls.
    let mask = umask(0o177)
    let bound = address.with { bind(descriptor, $0, $1) }
    let code = errno
    umask(mask)
    // An agent may send hundreds of calls at once, each on a connection of its own.
    guard bound == 0, listen(descriptor, 4096) == 0 else {
      let reason = bound == 0 ? errno : code
      close(descriptor)
      throw failure(path, reason)
    }
    return descriptor
  }

  private static func bindSocket(_ descriptor: Int32, _ address: UnsafeRawBufferPointer) -> Int32 {
    guard let start = address.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
    return bind(descriptor, start, socklen_t(address.count))
  }

  /// Returns true if a server accepts connections at an address.
  private static func isServed(_ address: SocketAddress) -> Bool {
    let descriptor = address.open()
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return address.with { connect(descriptor, $0, $1) } == 0
  }
}

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  private let streamSocket = SOCK_STREAM
#endif
