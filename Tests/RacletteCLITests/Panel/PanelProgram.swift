import Platform
import Testing

/// A panel at work, and its client. Its methods block; tests call them inside `onThread`.
final class PanelProgram: @unchecked Sendable {
  // Unchecked: each belongs to the one thread of its test.

  let running: Running
  let folder: Folder
  let token: String
  /// The port of the panel; nil if it listens at a path.
  let port: UInt16?
  private let path: String?

  /// Starts a panel with commands, and waits for its address.
  convenience init(_ commands: String, _ options: String...) {
    self.init(Folder(commands: commands), options)
  }

  /// Starts a program that becomes a panel at a port.
  init(_ folder: Folder, _ launch: Launch) {
    self.folder = folder
    path = nil
    running = Running(launch)
    running.waitForOutputLines(1)
    (port, token) = Self.parts(of: running.output)
  }

  /// Starts a panel that prints JSON to a pipe, of which only the first line is read.
  ///
  /// - Parameter output: the end from which the rest can be read.
  init(_ folder: Folder, printingTo output: inout Int32, _ options: [String] = []) {
    self.folder = folder
    path = nil
    let pipe = makePipe()
    output = pipe.reading
    running = Running(
      Launch(
        arguments: ["panel", "--json", "--listen", "127.0.0.1:0"] + options, folder: folder.path,
        output: .descriptor(pipe.writing)))
    close(pipe.writing)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.last != 10, uninterrupted({ read(pipe.reading, &byte, 1) }) == 1 {
      line.append(byte)
    }
    (port, token) = Self.parts(of: String(decoding: line, as: UTF8.self))
  }

  private static func parts(of address: String) -> (port: UInt16?, token: String) {
    let parts = address.firstMatch(of: /http:\/\/[^:"\/]+(?::(\d+))?\/#token=([\w-]+)/)
    return (parts?.1.flatMap { UInt16($0) }, parts.map { String($0.2) } ?? "")
  }

  /// - Parameter path: the socket at which it listens, in place of a port.
  init(
    _ folder: Folder, _ options: [String] = [], path: String? = nil,
    environment: [String: String] = [:]
  ) {
    self.folder = folder
    self.path = path
    let address = path.map { "unix:\($0)" } ?? "127.0.0.1:0"
    running = Running(
      Launch(
        arguments: ["panel", "--listen", address] + options, folder: folder.path,
        environment: environment))
    running.waitForOutputLines(1)
    (port, token) = Self.parts(of: running.output)
  }

  var host: String { port.map { "127.0.0.1:\($0)" } ?? "localhost" }

  /// The headers of a request that is accepted.
  func headers(_ more: [String: String?] = [:], hasBody: Bool) -> [String: String] {
    var headers: [String: String?] = ["Host": host, "Authorization": "Bearer \(token)"]
    if hasBody { headers["Content-Type"] = "application/json" }
    headers.merge(more) { $1 }
    return headers.compactMapValues { $0 }
  }

  /// Sends a request to the API and reads the whole answer.
  ///
  /// - Parameter headers: those that differ from what is accepted; nil leaves one out.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String: String?] = [:]
  ) -> HTTPReply {
    let target = path.hasPrefix("/") ? path : "/api/v1/\(path)"
    var lines = ["\(method) \(target) HTTP/1.1", "Connection: close"]
    var all = self.headers(headers, hasBody: body != nil)
    if let body, all["Content-Length"] == nil, all["Transfer-Encoding"] == nil {
      all["Content-Length"] = String(body.utf8.count)
    }
    lines += all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)" }
    return send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8))
  }

  /// Sends bytes as they are, and reads to the end of the connection.
  func send(_ bytes: [UInt8]) -> HTTPReply {
    let connection = connect()
    connection.write(bytes)
    return HTTPReply(connection.readToEnd())
  }

  /// A connection to the panel.
  func connect() -> TestConnection {
    if let path { return TestConnection(path: path) }
    return TestConnection(port: port ?? 0)
  }

  /// Opens a stream of events.
  func stream(
    _ path: String = "events", method: String = "GET", _ body: String? = nil,
    headers: [String: String?] = [:]
  ) -> EventStreamReader {
    let connection = connect()
    let all = self.headers(headers, hasBody: body != nil)
    let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
    connection.write(
      Array(
        ("\(method) /api/v1/\(path) HTTP/1.1\r\nConnection: close\r\n\(length)"
          + all.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n" + (body ?? "")).utf8))
    return EventStreamReader(connection)
  }

  /// Executes a command and returns the number of its execution.
  func execute(_ command: String, _ body: String = "{}") -> Int {
    let reply = send("POST", "commands/\(command)/executions", body)
    let id = reply.body.firstMatch(of: /"id":(\d+)/).flatMap { Int($0.1) }
    if id == nil { Issue.record("\(command) was not executed: \(reply)") }
    return id ?? -1
  }

  /// Waits until what the API tells of an execution has a text; an issue if it does not come.
  @discardableResult
  func wait(
    for execution: Int, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) -> HTTPReply {
    var reply = HTTPReply([])
    let isThere = eventually(sourceLocation: sourceLocation) {
      reply = send("GET", "executions/\(execution)")
      return reply.body.contains(text)
    }
    if !isThere {
      Issue.record("no \(text.debugDescription) in \(reply)", sourceLocation: sourceLocation)
    }
    return reply
  }

  /// Ends the panel by Ctrl-C.
  func end() -> Outcome {
    running.get(signal: SIGINT)
    return running.finish()
  }
}

/// A connection to a server.
final class TestConnection {
  let descriptor: Int32

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    connect(to: &address)
  }

  init(path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    connect(to: &address)
  }

  deinit { close(descriptor) }

  private func connect<Address>(to address: inout Address) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    signal(SIGPIPE, SIG_IGN)
    withUnsafeBytes(of: &address) { bytes in
      _ = uninterrupted {
        Platform.connect(
          descriptor, bytes.bindMemory(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
      }
    }
  }

  func write(_ bytes: [UInt8]) { writeWhole(bytes, to: descriptor) }

  /// Reads what has come; empty at the end, or when nothing comes for two minutes.
  func readSome() -> [UInt8] {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard uninterrupted({ poll(&polled, 1, 120_000) }) > 0 else { return [] }
    var space = [UInt8](repeating: 0, count: 65_536)
    let count = uninterrupted { read(descriptor, &space, space.count) }
    return count > 0 ? Array(space[..<count]) : []
  }

  func readToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    while case let piece = readSome(), !piece.isEmpty { bytes += piece }
    return bytes
  }
}

/// An answer.
struct HTTPReply: CustomStringConvertible {
  let status: Int
  /// The headers, with their names in lower case.
  let headers: [String: String]
  let body: String
  /// All bytes as they came.
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A line's end is one character of a text, and two bytes.
    let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
    let head = String(decoding: bytes[..<(end?.lowerBound ?? bytes.count)], as: UTF8.self)
    let lines = head.split(separator: "\r\n")
    status =
      lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = String(
        line[line.index(after: colon)...].drop { $0 == " " })
    }
    self.headers = headers
    body = String(decoding: bytes[(end?.upperBound ?? bytes.count)...], as: UTF8.self)
  }

  var description: String { String(decoding: bytes.prefix(2_000), as: UTF8.self) }
}

/// A stream of server-sent events as a client reads it.
final class EventStreamReader {
  private let connection: TestConnection
  /// What has come and is not decoded yet: the head, or a piece that is not whole.
  private var raw: [UInt8] = []
  private var isInBody = false
  /// The head of the answer.
  private(set) var head = ""
  /// The events, without the marks of the pieces in which they came.
  private var body: [UInt8] = []

  init(_ connection: TestConnection) { self.connection = connection }

  /// The events that have come.
  var text: String { String(decoding: body, as: UTF8.self) }

  /// The place behind what has come, for `Last-Event-ID`.
  var place: String { text.matches(of: /\nid: (.*)\n/).last.map { String($0.1) } ?? "" }

  /// The id of the stream.
  var id: String { text.firstMatch(of: /"stream":"([\w-]+)"/).map { String($0.1) } ?? "" }

  /// Reads until a text has come a number of times; an issue if the stream ends before that.
  ///
  /// - Returns: false if the stream ends before that.
  @discardableResult
  func wait(
    for text: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    let sought = Array(text.utf8)
    var (start, found) = (0, 0)
    while true {
      while let place = Self.find(sought, in: body, from: start) {
        found += 1
        if found == count { return true }
        start = place + sought.count
      }
      start = max(start, body.count - sought.count + 1)
      guard read() else {
        Issue.record(
          "the stream has not had \(text.debugDescription) \(count) times, but \(self.text)",
          sourceLocation: sourceLocation)
        return false
      }
    }
  }

  func readToEnd() -> String {
    while read() {}
    return text
  }

  private func read() -> Bool {
    let piece = connection.readSome()
    if piece.isEmpty { return false }
    raw += piece
    let count = body.count
    decode()
    // Signs of life come every three seconds, however long what is waited for does not.
    let isSilent = body[count...].allSatisfy { $0 == 58 || $0 == 10 }
    signs = isSilent ? signs + 1 : 0
    return signs < Self.mostSigns
  }

  /// After how many signs of life without an event the stream is given up.
  private static let mostSigns = 40
  private var signs = 0

  private func decode() {
    let newline = Array("\r\n".utf8)
    if !isInBody {
      guard let end = Self.find(newline + newline, in: raw, from: 0) else { return }
      head = String(decoding: raw[..<end], as: UTF8.self)
      raw.removeFirst(end + 4)
      isInBody = true
    }
    var start = 0
    while let end = Self.find(newline, in: raw, from: start) {
      let size = Int(String(decoding: raw[start..<end], as: UTF8.self), radix: 16) ?? 0
      guard end + 2 + size + 2 <= raw.count else { break }
      body += raw[(end + 2)..<(end + 2 + size)]
      start = end + 2 + size + 2
    }
    raw.removeFirst(start)
  }

  private static func find(_ sought: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      var start = max(0, start)
      while start + sought.count <= bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, Int32(sought[0]), bytes.count - start)
      {
        let place = UnsafeRawPointer(found) - base
        if place + sought.count > bytes.count { return nil }
        if memcmp(found, sought, sought.count) == 0 { return place }
        start = place + 1
      }
      return nil
    }
  }
}
