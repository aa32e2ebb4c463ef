import Platform

/// The doors for programs: `raclette mcp` from its start to its first answer, its calls beside presses
/// over the panel's API, and a batch with traces beside one without.
func agentBenchmark() {
  withTemporaryFolder { folder in
    write(commands, to: "\(folder)/commands.lua")
    greeting(folder)
    calls(folder)
    traces(folder)
  }
}

private let commands = """
  for n = 1, 20 do rac.command{name = "c" .. n, summary = "Does " .. n, run = print} end
  rac.command{name = "noop", params = {{name = "n", default = ""}}, concurrency = "unlimited",
    run = function() end}
  rac.command{name = "process", params = {{name = "n", default = ""}}, concurrency = "unlimited",
    run = {"true"}}
  """

private let hello =
  #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#
  + #""capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#

private func greeting(_ folder: String) {
  write(hello + "\n", to: "\(folder)/hello")
  let run = { (program: String) in
    runProcess(["sh", "-c", "cd '\(folder)' && exec \(program) <hello"])
  }
  let times = alternating(
    100, { run("'\(raclettePath())' mcp") }, { run("'\(raclettePath())' list") })
  print(
    "raclette mcp to its first answer: \(micros(times.one)) µs, raclette list "
      + "\(micros(times.other)) µs, ratio \(twoDigits(times.one / times.other)) (at most 2)")
  write(
    """
    from mcp.server import MCPServer
    server = MCPServer("bench")
    server.run()
    """, to: "\(folder)/server.py")
  let python = getenv("PYTHON").map { String(cString: $0) } ?? "python3"
  guard system("'\(python)' -c 'from mcp.server import MCPServer' 2>/dev/null") == 0 else {
    return print("the Python SDK's server: skipped; pip install mcp, or set PYTHON")
  }
  let peer = alternating(5, { run("'\(python)' server.py") }, {}).one
  print(
    "the Python SDK's smallest server: \(micros(peer)) µs, \(twoDigits(peer / times.one)) times as "
      + "long")
}

/// Calls of a command that does nothing, one after the other, against presses by the panel's API.
private func calls(_ folder: String) {
  let count = 1_000
  let panel = PanelProcess(folder, "\(folder)/commands.lua")
  let session = AgentProcess(folder)
  session.call(
    #""method":"initialize","params":"# + hello.split(separator: #""params":"#)[1].dropLast())
  let call = #""method":"tools/call","params":{"name":"run","arguments":{"command":"noop"}}"#
  session.call(call)
  let times = alternating(
    5, { for _ in 0..<count { session.call(call) } },
    { for _ in 0..<count { panel.execute("noop", readsOutput: true) } })
  session.end()
  panel.end()
  print(
    "\(count) calls of run: \(micros(times.one) / count) µs each, presses over the panel's API "
      + "\(micros(times.other) / count) µs, ratio \(twoDigits(times.one / times.other)) "
      + "(at most 1.3)")
}

/// A batch whose spans go to a collector that is there, that is not there, and to none.
private func traces(_ folder: String) {
  // No-ops have nothing that the spans could hide behind; processes are what people have.
  let plans = [(command: "noop", count: 20_000), (command: "process", count: 2_000)]
  for (command, count) in plans {
    write(
      (0..<count).map { "{\"command\": \"\(command)\", \"input\": {\"n\": \"\($0)\"}}\n" }.joined(),
      to: "\(folder)/\(command).jsonl")
  }
  write(
    """
    import http.server
    class Collector(http.server.BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"
      def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
      def log_message(self, *_): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
    open("port.part", "w").write(str(server.server_port))
    import os
    os.rename("port.part", "port")
    server.serve_forever()
    """, to: "\(folder)/collector.py")
  let collector = startProcess(["sh", "-c", "cd '\(folder)' && exec python3 collector.py"])
  defer {
    kill(collector, SIGKILL)
    var status: Int32 = 0
    waitpid(collector, &status, 0)
  }
  while access("\(folder)/port", F_OK) != 0 { usleep(1_000) }
  let run = { (options: String, command: String) in
    runProcess([
      "sh", "-c",
      "cd '\(folder)' && exec '\(raclettePath())' batch -q \(options) \(command).jsonl 2>/dev/null",
    ])
  }
  for (command, count) in plans {
    for (name, url) in [
      ("to a collector", "http://127.0.0.1:$(cat port)"),
      ("without a collector", "http://127.0.0.1:1"),
    ] {
      let times = alternating(7, { run("--otlp \(url)", command) }, { run("", command) })
      print(
        "\(count) entries (\(command)) with traces \(name): \(micros(times.one) / 1000) ms, without "
          + "\(micros(times.other) / 1000) ms, ratio \(twoDigits(times.one / times.other)) "
          + "(at most 1.02)")
    }
  }
}

private func micros(_ duration: Duration) -> Int { Int(duration / .microseconds(1)) }

/// `raclette mcp`, and its client.
private final class AgentProcess {
  private let pid: pid_t
  private let input: Int32
  private let output: Int32
  private var lastID = 0

  init(_ folder: String) {
    var (down, up): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&down) == 0, pipe(&up) == 0 else { exit(1) }
    for end in [down[1], up[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Its program replaces the shell, which has the ends of the pipes by their numbers.
    pid = startProcess([
      "sh", "-c",
      "cd '\(folder)' && exec '\(raclettePath())' mcp <&\(down[0]) >&\(up[1])",
    ])
    close(down[0])
    close(up[1])
    (input, output) = (down[1], up[0])
  }

  /// Sends a request and waits for its answer, a line.
  func call(_ fields: String) {
    lastID += 1
    let line = "{\"jsonrpc\":\"2.0\",\"id\":\(lastID),\(fields)}\n"
    _ = line.withExactBytes { writeBytes($0, to: input) }
    var space = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = space.withUnsafeMutableBytes { readBytes(from: output, into: $0) }
      guard count > 0 else { return print("raclette mcp has left") }
      if space[count - 1] == 10 { return }
    }
  }

  func end() {
    close(input)
    close(output)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }
}
