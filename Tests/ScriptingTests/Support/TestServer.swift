import Platform
import Reactive
import Synchronization

/// A server on a thread of its own that accepts connections and answers each with a text.
final class TestServer: Sendable {
  let port: UInt16
  private let descriptor: Mutex<Int32>

  /// - Parameters:
  ///   - isWide: true to listen at ::1, and not at 127.0.0.1.
  ///   - answer: what each connection is sent once it has sent something; nil for nothing.
  init(port: UInt16 = 0, isWide: Bool = false, answering answer: String? = nil) throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let number = socket(isWide ? AF_INET6 : AF_INET, kind, 0)
    var yes: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = port.bigEndian
    four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    inet_pton(AF_INET6, "::1", &six.sin6_addr)
    let bytes =
      isWide ? withUnsafeBytes(of: six) { Array($0) } : withUnsafeBytes(of: four) { Array($0) }
    let code = bytes.withUnsafeBytes {
      bind(number, $0.bindMemory(to: sockaddr.self).baseAddress!, socklen_t($0.count))
    }
    guard code == 0, listen(number, 16) == 0 else { throw Failed(code: errno) }
    var place = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &place) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(number, $0, &size)
      }
    }
    // The port is at the same place in both kinds of addresses.
    self.port = UInt16(bigEndian: place.sin6_port)
    descriptor = Mutex(number)
    guard let answer else { return }
    Scheduler.background(named: "server").schedule { Self.serve(number, answer) }
  }

  struct Failed: Error { let code: Int32 }

  private static func serve(_ number: Int32, _ answer: String) {
    while case let connection = accept(number, nil, nil), connection >= 0 {
      var space = [UInt8](repeating: 0, count: 4_096)
      _ = space.withUnsafeMutableBytes { readBytes(from: connection, into: $0) }
      _ = Array(answer.utf8).withUnsafeBytes { writeBytes($0, to: connection) }
      close(connection)
    }
  }

  func stop() {
    descriptor.withLock { number in
      guard number >= 0 else { return }
      shutdown(number, Int32(SHUT_RDWR))
      close(number)
      number = -1
    }
  }

  deinit { stop() }
}

/// A folder of one test, removed at its end.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/raclette-test-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    mkdtemp(&template)
    path = String(exactly: template.withUnsafeBufferPointer { $0.baseAddress! })
  }

  deinit { removeFolder(path) }
}
