import Platform
import Testing
import TextFiles

/// The requests that the panel refuses, and those that it takes.
@Suite("the panel's gate", .timeLimit(.minutes(5)))
struct PanelGateTests {
  private static let commands = """
    rac.command{name = "hello", run = "echo hello"}
    rac.command{name = "other", run = "echo other"}
    """

  private struct Refusal: CustomTestStringConvertible, Sendable {
    let method: String
    let path: String
    var body: String?
    var headers: [String: String?] = [:]
    let status: Int
    let kind: String

    var testDescription: String { "\(method) \(path) \(headers) \(status)" }
  }

  private static let press = "commands/hello/executions"

  private static let refusals: [Refusal] = [
    // A name that is bound to this machine's address, on each route, the page's files included.
    Refusal(
      method: "GET", path: "/", headers: ["Host": "evil.example"], status: 421, kind: "host"),
    Refusal(
      method: "GET", path: "/index.html", headers: ["Host": "evil.example:7878"], status: 421,
      kind: "host"),
    Refusal(
      method: "GET", path: "/nothing", headers: ["Host": "evil.example"], status: 421, kind: "host"),
    Refusal(
      method: "GET", path: "commands", headers: ["Host": "localhost.evil.example"], status: 421,
      kind: "host"),
    Refusal(
      method: "POST", path: press, body: "{}", headers: ["Host": "127.0.0.1@evil.example"],
      status: 421, kind: "host"),
    Refusal(
      method: "GET", path: "commands", headers: ["Host": "127.0.0.1:x"], status: 421, kind: "host"),
    // Pages of other origins, also of this machine.
    Refusal(
      method: "GET", path: "/", headers: ["Origin": "http://evil.example"], status: 403,
      kind: "origin"),
    Refusal(
      method: "GET", path: "commands", headers: ["Origin": "http://127.0.0.1:1"], status: 403,
      kind: "origin"),
    Refusal(
      method: "POST", path: press, body: "{}", headers: ["Origin": "null"], status: 403,
      kind: "origin"),
    Refusal(
      method: "GET", path: "commands", headers: ["Sec-Fetch-Site": "cross-site"], status: 403,
      kind: "origin"),
    Refusal(
      method: "GET", path: "commands", headers: ["Sec-Fetch-Site": "same-site"], status: 403,
      kind: "origin"),
    // The token, wherever it is not.
    Refusal(
      method: "GET", path: "commands", headers: ["Authorization": nil], status: 401, kind: "token"),
    Refusal(
      method: "GET", path: "commands", headers: ["Authorization": "Bearer x"], status: 401,
      kind: "token"),
    Refusal(
      method: "GET", path: "commands", headers: ["Authorization": "Basic x"], status: 401,
      kind: "token"),
    Refusal(
      method: "GET", path: "nothing", headers: ["Authorization": nil], status: 401, kind: "token"),
    Refusal(
      method: "GET", path: "events", headers: ["Authorization": nil], status: 401, kind: "token"),
    Refusal(
      method: "POST", path: press, body: "{}", headers: ["Authorization": nil], status: 401,
      kind: "token"),
    Refusal(
      method: "DELETE", path: "executions/1", headers: ["Authorization": nil], status: 401,
      kind: "token"),
    // Other content types, which pages of other origins may send without being asked.
    Refusal(
      method: "POST", path: press, body: "{}", headers: ["Content-Type": "text/plain"], status: 415,
      kind: "content_type"),
    Refusal(
      method: "POST", path: press, body: "{}", headers: ["Content-Type": nil], status: 415,
      kind: "content_type"),
    Refusal(
      method: "POST", path: press, body: "{}",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], status: 415,
      kind: "content_type"),
    Refusal(
      method: "PUT", path: "pages/P", body: "{}",
      headers: ["Content-Type": "application/json, text/plain"], status: 415, kind: "content_type"),
    // Methods and paths.
    Refusal(method: "PUT", path: "commands", body: "{}", status: 405, kind: "method"),
    Refusal(method: "POST", path: "executions", body: "{}", status: 405, kind: "method"),
    Refusal(method: "GET", path: press, status: 405, kind: "method"),
    Refusal(method: "OPTIONS", path: "commands", status: 405, kind: "method"),
    Refusal(method: "POST", path: "/", body: "{}", status: 405, kind: "method"),
    Refusal(method: "GET", path: "nothing", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "/api/v2/commands", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "/api/v1", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "/../commands.lua", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "/commands.lua", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "executions/x", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "executions/1", status: 404, kind: "not_found"),
    Refusal(method: "GET", path: "executions/%zz", status: 404, kind: "not_found"),
    Refusal(
      method: "GET", path: "executions/99999999999999999999", status: 404, kind: "not_found"),
    Refusal(
      method: "POST", path: "commands/hell/executions", body: "{}", status: 404, kind: "not_found"),
    // Bodies and arguments.
    Refusal(method: "POST", path: press, body: "", status: 400, kind: "request"),
    Refusal(method: "POST", path: press, body: "[]", status: 400, kind: "request"),
    Refusal(method: "POST", path: press, body: #"{"inpt": {}}"#, status: 400, kind: "request"),
    Refusal(
      method: "POST", path: press, body: #"{"confirmed": 1}"#, status: 400, kind: "request"),
    Refusal(method: "POST", path: press, body: #"{"pinned": true}"#, status: 400, kind: "request"),
    Refusal(method: "GET", path: "commands?x=1", status: 400, kind: "request"),
    Refusal(method: "GET", path: "events?look=x", status: 400, kind: "request"),
    Refusal(method: "GET", path: "events?page=a%20b", status: 400, kind: "request"),
    Refusal(method: "GET", path: "timeline.svg?width=1", status: 400, kind: "request"),
    Refusal(
      method: "POST", path: press, body: "{}",
      headers: ["Transfer-Encoding": "chunked", "Content-Length": nil], status: 411,
      kind: "length_required"),
    Refusal(
      method: "POST", path: press, body: "{}", headers: ["Content-Length": "1048577"], status: 413,
      kind: "too_large"),
    Refusal(
      method: "GET", path: "commands", body: "{}", headers: ["Content-Type": nil], status: 413,
      kind: "too_large"),
    Refusal(
      method: "POST", path: "pages/P/refreshes", body: #"{"command": "hello"}"#, status: 400,
      kind: "request"),
    Refusal(
      method: "PUT", path: "pages/P", body: #"{"stream": "x"}"#, status: 404, kind: "not_found"),
  ]

  @Test("refuses what is not for it, and tells why")
  func refusals() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for refusal in Self.refusals {
        let reply = panel.send(
          refusal.method, refusal.path, refusal.body, headers: refusal.headers)
        #expect(reply.status == refusal.status, "\(refusal.testDescription): \(reply)")
        #expect(
          reply.body.contains("{\"error\":{\"kind\":\"\(refusal.kind)\",\"message\":\""),
          "\(refusal.testDescription): \(reply)")
        #expect(reply.headers["access-control-allow-origin"] == nil)
      }
      // Nothing of it was executed.
      #expect(panel.send("GET", "executions").body.contains("\"executions\":[]"))
      #expect(panel.end().status == 130)
    }
  }

  @Test("takes the names of the loopback, and those that are allowed")
  func names() async {
    await onThread {
      let panel = PanelProgram(Self.commands, "--allow-host", "build.example")
      for host in ["localhost", "LOCALHOST:9", "127.0.0.1", "[::1]:80", "build.example:443"] {
        #expect(panel.send("GET", "commands", headers: ["Host": host]).status == 200, "\(host)")
        for scheme in ["http", "https"] {
          #expect(
            panel.send("GET", "commands", headers: ["Host": host, "Origin": "\(scheme)://\(host)"])
              .status == 200)
        }
      }
      #expect(panel.send("GET", "commands", headers: ["Host": "example"]).status == 421)
      _ = panel.end()
    }
  }

  @Test("keeps each response away from other pages")
  func headers() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for path in ["/", "/nothing", "commands", "nothing", "timeline.svg"] {
        let headers = panel.send("GET", path).headers
        let policy = headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["cross-origin-resource-policy"] == "same-origin")
        #expect(headers["referrer-policy"] == "no-referrer")
        #expect(headers["set-cookie"] == nil)
      }
      _ = panel.end()
    }
  }

  @Test("serves each file of the page as it is")
  func files() async throws {
    let folder = TextFile.packageFolder + "/Sources/RunnerPanel/Page"
    let files = try TextFile.names(inFolder: folder).map {
      (name: $0, text: try TextFile("\(folder)/\($0)").lines.joined(separator: "\n"))
    }
    #expect(files.count > 50)
    await onThread {
      let panel = PanelProgram(Self.commands)
      for file in files {
        let reply = panel.send("GET", "/" + file.name)
        #expect(reply.status == 200, "\(file.name)")
        #expect(reply.body == file.text, "\(file.name)")
      }
      _ = panel.end()
    }
  }

  @Test("executes and cancels nothing if it may only be read")
  func readOnly() async {
    await onThread {
      let panel = PanelProgram(Self.commands, "--read-only")
      for (method, path, body) in [
        ("POST", Self.press, "{}"), ("POST", "pages/P/refreshes", "{}"),
        ("DELETE", "executions/1", nil as String?),
      ] {
        let reply = panel.send(method, path, body)
        #expect(reply.status == 403 && reply.body.contains("read_only"), "\(reply)")
      }
      #expect(panel.send("GET", "commands").body.contains("\"read_only\":true"))
      #expect(panel.send("GET", "executions").body.contains("\"executions\":[]"))
      let stream = panel.stream()
      #expect(stream.wait(for: "\"read_only\":true"))
      _ = panel.end()
    }
  }

  @Test("refuses a head that is too large")
  func largeHead() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for (line, expected) in [
        ("/" + String(repeating: "a", count: 100_000), [414, 431]),
        ("/", [431]),
      ] {
        let filler = line == "/" ? "X: \(String(repeating: "x", count: 100_000))\r\n" : ""
        let reply = panel.send(
          Array("GET \(line) HTTP/1.1\r\nHost: \(panel.host)\r\n\(filler)\r\n".utf8))
        #expect(expected.contains(reply.status), "\(reply)")
      }
      #expect(panel.send("GET", "commands").status == 200)
      _ = panel.end()
    }
  }

  @Test("answers what is not HTTP, and goes on")
  func garbage() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      for bytes in [
        "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
      ] {
        let connection = panel.connect()
        connection.write(Array(bytes.utf8))
        shutdown(connection.descriptor, Int32(SHUT_WR))
        let reply = HTTPReply(connection.readToEnd())
        #expect(reply.status == 0 || (400...505).contains(reply.status), "\(bytes): \(reply)")
      }
      #expect(panel.send("GET", "commands").status == 200)
      _ = panel.end()
    }
  }

  @Test("closes the connection of a client whose head does not come to its end")
  func slow() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let connection = panel.connect()
      connection.write(Array("GET / HTTP/1.1\r\nHost: \(panel.host)\r\nX: ".utf8))
      // Each byte is a sign of life, and is not enough.
      let isClosed = eventually {
        var polled = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&polled, 1, 100) > 0 { return true }
        connection.write([65])
        return false
      }
      #expect(isClosed)
      #expect(panel.send("GET", "commands").status == 200)
      _ = panel.end()
    }
  }

  @Test("serves 300 connections at a time")
  func many() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let streams = (0..<300).map { _ in panel.stream() }
      for stream in streams { #expect(stream.wait(for: "\"type\":\"stream\"")) }
      let execution = panel.execute("hello")
      for stream in streams {
        #expect(stream.wait(for: "\"type\":\"completed\",\"command\":\"hello\""))
      }
      #expect(execution == 1)
      #expect(panel.end().status == 130)
    }
  }
}
