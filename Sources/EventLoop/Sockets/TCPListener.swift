#if os(Linux)
  import Platform

  /// A TCP socket of this machine that listens.
  struct TCPListener: Hashable {
    let port: UInt16
    /// The inode of the socket, which links in `/proc/PID/fd` name.
    let inode: UInt64

    /// All sockets that listen, of both Internet protocols.
    ///
    /// The kernel's tables are read only where it does not answer the question: to write them, it walks
    /// through the places of all possible connections, which takes milliseconds on a large machine.
    static func all() -> [TCPListener] {
      [AF_INET, AF_INET6].flatMap { asked($0) ?? listed($0) }
    }

    /// Asks the kernel by a socket of `NETLINK_SOCK_DIAG`, as `ss` does.
    ///
    /// - Returns: nil if the kernel refuses, as in some containers.
    static func asked(_ family: Int32) -> [TCPListener]? {
      let descriptor = socket(AF_NETLINK, rawSocket, Diagnosis.ofSockets)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      let question = Diagnosis.question(family)
      guard send(descriptor, question, question.count, 0) == question.count else { return nil }
      var found: [TCPListener] = []
      return withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { space in
        while case let count = recv(descriptor, space.baseAddress, space.count, dontWait), count > 0
        {
          switch Diagnosis.add(UnsafeRawBufferPointer(rebasing: space[..<count]), to: &found) {
          case .more: continue
          case .done: return found
          case .refused: return nil
          }
        }
        return nil
      }
    }

    /// Reads the kernel's table.
    static func listed(_ family: Int32) -> [TCPListener] {
      let table = kernelText(of: family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6")
      return table.split(separator: "\n").compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[3] == "0A",
          let digits = fields[1].split(separator: ":").last, let port = UInt16(digits, radix: 16),
          let inode = UInt64(fields[9])
        else { return nil }
        return TCPListener(port: port, inode: inode)
      }
    }
  }

  private let rawSocket = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
  private let dontWait = Int32(MSG_DONTWAIT)

  /// The messages of `NETLINK_SOCK_DIAG` (linux/netlink.h, linux/inet_diag.h), which the C library does
  /// not declare.
  private enum Diagnosis {
    /// `NETLINK_SOCK_DIAG`.
    static let ofSockets: Int32 = 4
    private static let listening: UInt32 = 10  // TCP_LISTEN
    /// The sizes of `nlmsghdr` and `inet_diag_req_v2`.
    private static let (header, request) = (16, 56)

    enum Progress { case more, done, refused }

    static func question(_ family: Int32) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: header + request)
      bytes.withUnsafeMutableBytes { bytes in
        bytes.storeBytes(of: UInt32(header + request), as: UInt32.self)
        bytes.storeBytes(of: 20, toByteOffset: 4, as: UInt16.self)  // SOCK_DIAG_BY_FAMILY
        bytes.storeBytes(of: 0x301, toByteOffset: 6, as: UInt16.self)  // NLM_F_REQUEST, NLM_F_DUMP
        bytes[header] = UInt8(family)
        bytes[header + 1] = UInt8(IPPROTO_TCP)
        bytes.storeBytes(of: 1 << listening, toByteOffset: header + 4, as: UInt32.self)
      }
      return bytes
    }

    /// Reads the messages of one answer.
    static func add(
      _ bytes: UnsafeRawBufferPointer, to found: inout [TCPListener]
    ) -> Progress {
      var start = 0
      while start + header <= bytes.count {
        let size = Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        switch bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self) {
        case 2: return .refused  // NLMSG_ERROR
        case 3: return .done  // NLMSG_DONE
        // The structure `inet_diag_msg`: its port is in network order.
        case 20 where size >= header + 72 && start + size <= bytes.count:
          let message = start + header
          let port = bytes.loadUnaligned(fromByteOffset: message + 4, as: UInt16.self)
          let inode = bytes.loadUnaligned(fromByteOffset: message + 68, as: UInt32.self)
          found.append(TCPListener(port: UInt16(bigEndian: port), inode: UInt64(inode)))
        default: break
        }
        guard size >= header else { return .refused }
        start += (size + 3) & ~3
      }
      return .more
    }
  }
#endif

/// The content of a file of the kernel, whose size is not known before.
func kernelText(of path: String) -> String {
  let number = open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { return "" }
  defer { close(number) }
  var bytes: [UInt8] = []
  withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
    while case let count = readBytes(from: number, into: space), count > 0 {
      bytes += space[..<count]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
