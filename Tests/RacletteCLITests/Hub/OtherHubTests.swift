import Platform
import RunnerCore
import Testing

/// Hubs that are not this user's, or not of this version.
@Suite("other hubs", .timeLimit(.minutes(5)))
struct OtherHubTests {
  private static let commands = #"rac.command{name = "line", run = "true"}"#

  @Test("a hub of another version is asked, and its version is told")
  func version() async {
    let folder = HubFolder(commands: Self.commands)
    folder.folder.makeFolder(".raclette")
    let socket = folder.file("sock")
    let listener = listen(at: socket)
    async let served: Void = onThread {
      Self.answer(
        listener,
        """
        HTTP/1.1 200 OK\r
        X-Raclette-Version: 0.0.1\r
        \(HubProtocol.field): \(HubProtocol.number)\r
        \r
        {"hub":{},"services":[],"executions":[]}

        """)
    }
    let listed = await folder.call("ps")
    await served
    close(listener)
    unlink(socket)
    let version = await folder.call("--version").output.dropLast().dropFirst("raclette ".count)
    #expect(
      listed.errors == """
        raclette: the hub of \(folder.path)/commands.lua runs Raclette 0.0.1, and this is \
        \(version); it will be replaced once it holds nothing
        raclette: nothing is running for \(folder.path)/commands.lua

        """, "\(listed)")
    #expect(listed.status == 0)
  }

  @Test("a hub of a build that speaks another protocol does not act on a request, and is told")
  func otherProtocol() async {
    let folder = HubFolder(commands: Self.commands)
    folder.folder.makeFolder(".raclette")
    folder.folder.write("99999999\n", to: ".raclette/hub-\(getuid()).lock")
    let socket = folder.file("sock")
    let listener = listen(at: socket)
    async let served = onThread {
      Self.answer(
        listener,
        """
        HTTP/1.1 404 Not Found\r
        X-Raclette-Version: 0.1.0\r
        \r
        {"error":{"kind":"not_found","message":"there is no such path"}}

        """)
    }
    let down = await folder.call("down", "web")
    let request = await served
    close(listener)
    unlink(socket)
    unlink(folder.file("lock"))
    #expect(
      request.hasPrefix("DELETE \(HubProtocol.path)/services?name=web HTTP/1.0\r\n"), "\(request)")
    #expect(
      down.errors == """
        raclette: error: the hub of \(folder.path)/commands.lua (pid 99999999, Raclette 0.1.0) is \
        from another build of Raclette and cannot answer this call; \
        to end it and everything it runs: kill 99999999

        """, "\(down)")
    #expect(down.status == 1)
  }

  @Test("a client of a build that speaks another protocol is told by a hub that holds something")
  func otherClient() async {
    let folder = HubFolder(commands: #"rac.command{name = "line", run = "exec sleep 600"}"#)
    _ = await folder.call("run", "-d", "line")
    let socket = folder.file("sock")
    for path in ["/api/v1", "/hub/1", "/hub/\(HubProtocol.number + 1)"] {
      let answer = await onThread {
        let connection = TestConnection(path: socket)
        connection.write(
          Array("DELETE \(path)/executions/1 HTTP/1.0\r\nX-Raclette-Version: 0.1.0\r\n\r\n".utf8))
        return String(decoding: connection.readToEnd(), as: UTF8.self)
      }
      #expect(answer.hasPrefix("HTTP/1.1 409 "), "\(answer)")
      #expect(
        answer.contains(
          """
          "message":"the hub of \(folder.path)/commands.lua (pid \(folder.process), Raclette 0.1.0) is \
          from another build of Raclette and cannot answer this call; \
          to end it and everything it runs: kill \(folder.process)"
          """), "\(answer)")
    }
    #expect(await folder.call("ps").lines.last?.contains("running") == true)
  }

  /// Answers one client.
  ///
  /// - Returns: what it has asked.
  @discardableResult
  private static func answer(_ listener: Int32, _ answer: String) -> String {
    let connection = uninterrupted { accept(listener, nil, nil) }
    var space = [UInt8](repeating: 0, count: 4_096)
    let count = read(connection, &space, space.count)
    writeWhole(Array(answer.utf8), to: connection)
    close(connection)
    return String(decoding: space.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(
    "a socket that another user serves is refused",
    .enabled(if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0))
  func foreign() async {
    let folder = HubFolder(commands: Self.commands)
    folder.folder.makeFolder(".raclette")
    for path in [folder.path, folder.path + "/.raclette"] { chmod(path, 0o777) }
    var launch = folder.launch(
      "--reuid=65534", "--regid=65534", "--clear-groups", Program.path, "panel", "--listen",
      "unix:\(folder.file("sock"))")
    launch.program = "/usr/bin/setpriv"
    let refused = await onThread { [launch] in
      let other = Running(launch)
      other.waitForErrors("listening at unix:")
      let outcomes = ["ps", "down"].map { Running(folder.launch($0)).finish() }
      other.get(signal: SIGTERM)
      _ = other.finish()
      return outcomes
    }
    for outcome in refused {
      #expect(
        outcome.errors == """
          raclette: error: cannot use the hub of \(folder.path)/commands.lua: \
          '\(folder.file("sock"))' is served by the user 65534; remove that file

          """, "\(outcome)")
      #expect(outcome.status == 1)
    }
  }
}

/// Listens at a path.
private func listen(at path: String) -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  withUnsafeBytes(of: &address) { bytes in
    _ = bind(descriptor, bytes.bindMemory(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
  }
  precondition(Platform.listen(descriptor, 4) == 0, "cannot listen at \(path)")
  return descriptor
}
