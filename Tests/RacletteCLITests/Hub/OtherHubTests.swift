import Platform
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
    async let served: Void = onThread { Self.answer(listener) }
    let listed = await folder.call("ps")
    await served
    close(listener)
    unlink(socket)
    let version = await folder.call("--version").output.dropLast().dropFirst("raclette ".count)
    #expect(
      listed.errors == """
        raclette: the hub of \(folder.path)/commands.lua is of Raclette 0.0.1, and this is \
        \(version); it is replaced once it holds nothing
        raclette: nothing runs for \(folder.path)/commands.lua

        """, "\(listed)")
    #expect(listed.status == 0)
  }

  /// Answers one client as a hub that holds nothing.
  private static func answer(_ listener: Int32) {
    let connection = uninterrupted { accept(listener, nil, nil) }
    var space = [UInt8](repeating: 0, count: 4_096)
    _ = read(connection, &space, space.count)
    writeWhole(
      Array(
        """
        HTTP/1.1 200 OK\r
        X-Raclette-Version: 0.0.1\r
        \r
        {"hub":{},"services":[],"executions":[]}

        """.utf8), to: connection)
    close(connection)
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
          raclette: error: the hub of \(folder.path)/commands.lua is not asked: \
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
