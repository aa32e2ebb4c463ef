import Platform

/// The panel against `run`: a million lines with a reader and without, and the memory of a gigabyte
/// with a reader that never reads.
func panelBenchmark() {
  let folder = "/tmp/raclette-panel-benchmark-\(getpid())"
  mkdir(folder, 0o755)
  defer { runProcess(["rm", "-rf", folder]) }
  let file = "\(folder)/commands.lua"
  guard let commands = fopen(file, "we") else { return print("cannot write \(file)") }
  fputs(
    """
    rac.command{name = "million", run = "seq 1000000"}
    rac.command{name = "gigabyte", run = "yes 0123456789012345678901234567890 | head -c 1000000000"}
    """, commands)
  fclose(commands)
  let run = { (options: String, command: String) in
    [
      "sh", "-c",
      "exec '\(raclettePath())' run \(options) -f '\(file)' \(command) >'\(folder)/out'",
    ]
  }
  let panel = PanelProcess(folder, file)
  let read = alternating(
    5, { panel.execute("million", readsOutput: true) }, { runProcess(run("--json", "million")) })
  print(
    "a million lines with a reader: \(milliseconds(read.one)) ms, run --json >file "
      + "\(milliseconds(read.other)) ms, ratio \(twoDigits(read.one / read.other)) (at most 1.5)")
  let alone = alternating(
    5, { panel.execute("million", readsOutput: false) }, { runProcess(run("", "million")) })
  print(
    "a million lines without: \(milliseconds(alone.one)) ms, run >file "
      + "\(milliseconds(alone.other)) ms, ratio \(twoDigits(alone.one / alone.other)) (at most 1.05)"
  )
  panel.end()
  let other = PanelProcess(folder, file)
  let stuck = other.send("GET", "events?look=1", "")
  other.execute("gigabyte", readsOutput: false, besides: stuck)
  let peak = other.peak
  other.end()
  let floor = peakMemory(of: run("", "gigabyte"))
  print(
    "1 GB with a reader that never reads: at most \(peak / 1024) MB, run >file \(floor / 1024) MB, "
      + "\((peak - floor) / 1024) MB more (at most 4)")
}

private func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

/// A panel at a socket, and its client.
final class PanelProcess {
  let pid: pid_t
  private let path: String
  private let token: String

  init(_ folder: String, _ file: String) {
    path = "\(folder)/socket"
    let tokenFile = "\(folder)/token"
    pid = startProcess([
      raclettePath(), "panel", "-q", "-f", file, "--listen", "unix:\(path)", "--token-file",
      tokenFile,
    ])
    while access(path, F_OK) != 0 { usleep(1_000) }
    var line = [CChar](repeating: 0, count: 100)
    if let file = fopen(tokenFile, "re") {
      fgets(&line, Int32(line.count), file)
      fclose(file)
    }
    token = String(decoding: line.prefix { $0 > 32 }.map(UInt8.init), as: UTF8.self)
  }

  var peak: Int { peakMemory(of: pid) ?? 0 }

  func end() {
    kill(pid, SIGTERM)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  /// Sends a request.
  ///
  /// - Returns: the connection, from which nothing has been read.
  func send(_ method: String, _ target: String, _ body: String) -> Int32 {
    let connection = connectToSocket(at: path)
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    let request =
      "\(method) /api/v1/\(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
      + "Connection: close\r\nContent-Type: application/json\r\n\(length)\r\n\(body)"
    _ = request.withExactBytes { writeBytes($0, to: connection) }
    return connection
  }

  /// Executes a command to its end.
  ///
  /// - Parameter readsOutput: false to read only the events of its states.
  func execute(_ command: String, readsOutput: Bool, besides other: Int32 = -1) {
    let target = "commands/\(command)/executions"
    if readsOutput {
      let connection = send("POST", target + "?follow=1", "{}")
      read(connection, until: nil)
    } else {
      let events = send("GET", "events", "")
      read(send("POST", target, "{}"), until: nil)
      read(events, until: Array("\"type\":\"completed\"".utf8))
    }
    if other >= 0 { close(other) }
  }

  private func read(_ connection: Int32, until sought: [UInt8]?) {
    defer { close(connection) }
    var space = [UInt8](repeating: 0, count: 1 << 18)
    var end: [UInt8] = []
    while true {
      let count = space.withUnsafeMutableBytes { readBytes(from: connection, into: $0) }
      if count <= 0 { return }
      guard let sought else { continue }
      end = Array((end + space[..<count]).suffix(4_096))
      if end.firstRange(of: sought) != nil { return }
    }
  }
}

/// Connects to a server at a path, once it listens.
func connectToSocket(at path: String) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  #if canImport(Glibc)
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let connection = socket(AF_UNIX, SOCK_STREAM, 0)
  #endif
  // The file is there a moment before the program listens.
  while withUnsafeBytes(
    of: &address,
    { bytes in
      connect(
        connection, bytes.bindMemory(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
    }) != 0
  {
    usleep(1_000)
  }
  return connection
}
