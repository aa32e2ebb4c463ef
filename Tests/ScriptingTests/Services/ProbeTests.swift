import Testing

@Suite("Probes of servers", .timeLimit(.minutes(1))) struct ProbeTests {
  @Test(arguments: [false, true])
  func localhostIsBothOfItsAddresses(_ isWide: Bool) throws {
    let server = try TestServer(isWide: isWide)
    defer { server.stop() }
    #expect(
      try Script.lines("print(rac.tcp('localhost:\(server.port)'):first())") == ["true"])
    #expect(try Script.lines("print(rac.tcp(\(server.port)):first())") == ["true"])
    let other = isWide ? "127.0.0.1" : "[::1]"
    #expect(
      try Script.lines("print(rac.tcp('\(other):\(server.port)'):first())") == ["false"])
  }

  @Test func itFollowsAServerThatComesAndGoes() throws {
    let script = try Script()
    defer { script.finish() }
    let first = try TestServer()
    let port = first.port
    first.stop()
    nonisolated(unsafe) var server: TestServer?
    script.define("serve") { _ in
      server = try TestServer(port: port)
      return .none
    }
    script.define("stop") { _ in
      server?.stop()
      return .none
    }
    let result = script.run(
      """
      local seen = {}
      rac.tcp(\(port)):take(4):subscribe(function(is)
        seen[#seen + 1] = tostring(is)
        if is then stop() else serve() end
      end)
      rac.async(function() while #seen < 4 do rac.sleep(0.01) end end):wait()
      print(table.concat(seen, " "))
      """)
    #expect(result.failure?.message == nil)
    #expect(result.output == ["false true false true"])
  }

  @Test(
    arguments: [
      ("HTTP/1.1 200 OK\r\n\r\n", "", "true"), ("HTTP/1.0 302 Found\r\n\r\n", "", "true"),
      ("HTTP/1.1 503 Busy\r\n\r\n", "", "false"), ("HTTP/1.1 404 No\r\n\r\n", "", "false"),
      ("HTTP/1.1 503 Busy\r\n\r\n", ", {status = 503}", "true"),
      ("HTTP/1.1 200 OK\r\n\r\n", ", {status = {204, 503}}", "false"),
      ("SSH-2.0-OpenSSH\r\n", "", "false"), ("", "", "false"),
    ])
  func aWebServerAnswers(_ answer: String, _ options: String, _ expected: String) throws {
    let server = try TestServer(answering: answer)
    defer { server.stop() }
    let url = "http://localhost:\(server.port)/health?x=1#part"
    #expect(try Script.lines("print(rac.http('\(url)'\(options)):first())") == [expected])
  }

  @Test(
    arguments: [
      (
        "rac.http('https://localhost/')",
        "bad argument #1 to 'http' ('https://localhost/' needs TLS, which probes do not support; use a function, such as one that calls curl)"
      ),
      (
        "rac.http('localhost:80')",
        "bad argument #1 to 'http' ('localhost:80' is not a URL: \"http://127.0.0.1:8080/health\")"
      ),
      (
        "rac.http('http://localhost/', {status = 99})",
        "bad argument #2 to 'http' ('status' must be a number from 100 to 599, or a list of such numbers)"
      ),
      (
        "rac.tcp('localhost')",
        "bad argument #1 to 'tcp' ('localhost' is not an address: \"localhost:5432\", \"[::1]:5432\" or a port alone)"
      ),
      ("rac.port('')", "bad argument #1 to 'port' (a name expected)"),
    ])
  func whatCannotBeAskedIsRefused(_ code: String, _ message: String) throws {
    let script = try Script()
    defer { script.finish() }
    #expect(script.run(code).failure?.message == "test:1: \(message)")
  }
}
