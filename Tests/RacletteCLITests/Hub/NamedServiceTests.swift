import Platform
import Testing

/// Services of one command with several inputs, which orders address as `ps` shows them.
@Suite("services with inputs", .timeLimit(.minutes(5)))
struct NamedServiceTests {
  private static let commands = #"""
    rac.command{name = "web", service = true, ready = {line = "up"},
      params = {{name = "port", type = "integer", default = 80}, {name = "token", required = false}},
      secrets = {"token"}, run = "echo up $port; exec sleep 600"}
    rac.command{name = "one", needs = {{"web", port = 1}}, run = "exec sleep 600"}
    rac.command{name = "two", needs = {{"web", port = 2, token = "hunter2"}}, run = "exec sleep 600"}
    """#

  /// Calls `body` while two services with the ports 1 and 2 are used.
  private func whileUsed(
    _ body: @escaping @Sendable (HubFolder, Running, Running) -> Void
  ) async {
    let folder = HubFolder(commands: Self.commands)
    await onThread {
      // 'ps' lists services in the order of their first uses.
      let one = Running(folder.launch("one"))
      one.waitForErrors("raclette: web port=1 is ready\n")
      let two = Running(folder.launch("two"))
      two.waitForErrors("raclette: web port=2 token=*** is ready\n")
      body(folder, one, two)
    }
  }

  @Test("down ends the one that it names, also by a masked secret, or all of a name")
  func down() async {
    await whileUsed { folder, one, two in
      let order = { (word: String) in Running(folder.launch("down", word)).finish() }
      let first = order(#"web { "port": 1 }"#)
      #expect(first.errors == #"raclette: web {"port":1} has ended"# + "\n", "\(first)")
      #expect(
        one.finish().errorLines.last == """
          raclette: error: one: 'web' failed: the service has ended while it was used: \
          'raclette down' has ended it
          """)
      let listed = Running(folder.launch("ps")).finish()
      let rows = listed.lines.map { $0.split(separator: "  ")[0] }
      #expect(rows == ["SERVICE", #"web {"port":2,"token":"***"}"#], "\(listed)")
      let absent = order(#"web {"port":1}"#)
      #expect(absent.errors == #"raclette: error: 'web {"port":1}' is not up"# + "\n", "\(absent)")
      #expect(absent.status == 2)
      let second = order(#"web {"port":2,"token":"***"}"#)
      #expect(
        second.errors == #"raclette: web {"port":2,"token":"***"} has ended"# + "\n", "\(second)")
      _ = two.finish()
      _ = Running(folder.launch("up", "-d", "web")).finish()
      let plain = order("web")
      #expect(plain.errors == #"raclette: web {"port":80} has ended"# + "\n", "\(plain)")
    }
  }

  @Test("are all checked before anything is done to one of them", arguments: ["down", "restart"])
  func checkedFirst(order: String) async {
    await whileUsed { folder, _, _ in
      let before = Running(folder.launch("ps", "--json")).finish().output.matches(of: /"pid":\d+/)
      let unknown = Running(folder.launch(order, #"web {"port":1}"#, "wbe")).finish()
      #expect(
        unknown.errors
          == "raclette: error: unknown service 'wbe' in commands.lua; did you mean 'web'?\n",
        "\(unknown)")
      #expect(unknown.status == 2)
      let after = Running(folder.launch("ps", "--json")).finish().output.matches(of: /"pid":\d+/)
      #expect(before.map(\.output) == after.map(\.output) && before.count == 3)
    }
  }

  @Test("restart starts the one that it names again, or all of a name")
  func restart() async {
    await whileUsed { folder, one, _ in
      let processes = { () -> [Substring] in
        Running(folder.launch("ps")).finish().output.matches(of: /\} .*? s +(\d+)/).map {
          $0.output.1
        }
      }
      let before = processes()
      let first = Running(folder.launch("restart", #"web {"port":1}"#)).finish()
      #expect(first.errors == #"raclette: web {"port":1} has restarted"# + "\n", "\(first)")
      let after = processes()
      #expect(before.count == 2 && after.count == 2, "\(before) \(after)")
      #expect(before.first != after.first && before.last == after.last, "\(before) \(after)")
      let all = Running(folder.launch("restart", "web")).finish()
      #expect(
        all.errors == """
          raclette: web {"port":1} has restarted
          raclette: web {"port":2,"token":"***"} has restarted

          """, "\(all)")
      let absent = Running(folder.launch("restart", #"web {"port":3}"#)).finish()
      #expect(absent.errors == #"raclette: error: 'web {"port":3}' is not up"# + "\n", "\(absent)")
    }
  }

  @Test("that differ only in a secret are told apart by ids, and each order acts on one")
  func alike() async {
    let folder = HubFolder(
      commands: Self.commands + #"""
        rac.command{name = "three", needs = {{"web", port = 2, token = "swordfish"}},
          run = "exec sleep 600"}
        """#)
    await onThread {
      let users = ["two", "three"].map { name in
        let user = Running(folder.launch(name))
        user.waitForErrors("raclette: web port=2 token=*** is ready\n")
        return user
      }
      let call = { (words: String...) in
        Running(
          Launch(arguments: words, folder: folder.path, environment: folder.environment)
        ).finish()
      }
      let shown = #"web {"port":2,"token":"***"}"#
      let names = call("ps").output.matches(
        of: #/(?m)^(web@[0-9a-f]{8}) \{"port":2,"token":"\*\*\*"\} /#
      ).map { String($0.output.1) }
      guard names.count == 2 else {
        Issue.record("\(call("ps"))")
        return
      }
      for order in ["down", "restart", "logs"] {
        for name in [shown, #"web {"port":2}"#] {
          let refused = call(order, name)
          let list = names.sorted().joined(separator: ", ")
          #expect(
            refused.errors == """
              raclette: error: '\(name)' matches several services, which 'raclette ps' shows: \
              \(list)

              """, "\(refused)")
          #expect(refused.status == 2)
        }
      }
      let log = call("logs", names[0])
      #expect(log.output == "up 2\n", "\(log)")
      let all = call("logs", "web")
      #expect(
        all.output
          == names.sorted().map { #"\#($0) {"port":2,"token":"***"} | up 2"# + "\n" }.joined(),
        "\(all)")
      let restarted = call("restart", names[1])
      #expect(restarted.errors == "raclette: \(shown) has restarted\n", "\(restarted)")
      #expect(call("logs", names[0]).output == "up 2\n")
      #expect(
        call("logs", names[1]).output.withoutTimesOfRuns == "up 2\n--- started TIME ---\nup 2\n")
      // By the input that has the secret.
      let ended = call("down", #"web {"port":2,"token":"swordfish"}"#)
      #expect(ended.errors == "raclette: \(shown) has ended\n", "\(ended)")
      _ = users[1].finish()
      // There is only one now that has the member.
      let last = call("down", #"web {"port":2}"#)
      #expect(last.errors == "raclette: \(shown) has ended\n", "\(last)")
      _ = users[0].finish()
    }
    #expect(!folder.logOfHub.contains("swordfish"), "\(folder.logOfHub)")
    let records = Folder.names(in: "\(folder.path)/.raclette").joined()
    #expect(!records.contains("swordfish") && !records.contains("hunter2"), "\(records)")
  }

  @Test("are addressed by the whole name of their command first, which may look like an id")
  func nameLikeID() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "web@12345678", service = true, ready = {line = "up"},
          params = {{name = "port", type = "integer", default = 80}},
          run = "echo up $port; exec sleep 600"}
        rac.command{name = "both", needs = {{"web@12345678", port = 1}, {"web@12345678", port = 2}},
          run = "exec sleep 600"}
        """#)
    await onThread {
      let both = Running(folder.launch("both"))
      both.waitForErrors("raclette: web@12345678 port=1 is ready\n")
      both.waitForErrors("raclette: web@12345678 port=2 is ready\n")
      let one = Running(folder.launch("logs", #"web@12345678 {"port":1}"#)).finish()
      #expect(one.output == "up 1\n", "\(one)")
      let all = Running(folder.launch("logs", "web@12345678")).finish()
      #expect(
        all.output == """
          web@12345678 {"port":1} | up 1
          web@12345678 {"port":2} | up 2

          """, "\(all)")
      let restarted = Running(folder.launch("restart", #"web@12345678 {"port":2}"#)).finish()
      #expect(
        restarted.errors == #"raclette: web@12345678 {"port":2} has restarted"# + "\n",
        "\(restarted)")
      let ended = Running(folder.launch("down", "web@12345678")).finish()
      #expect(
        ended.errorLines.sorted() == [
          #"raclette: web@12345678 {"port":1} has ended"#,
          #"raclette: web@12345678 {"port":2} has ended"#,
        ], "\(ended)")
      _ = both.finish()
      let absent = Running(folder.launch("down", "web@12345678")).finish()
      #expect(absent.errors == "raclette: error: 'web@12345678' is not up\n", "\(absent)")
    }
  }

  @Test("are written into the log of the hub only if they are there: a name may have a secret")
  func absent() async {
    await whileUsed { folder, _, _ in
      for name in [#"web {"token":"swordfish"}"#, #"web {"port":1}"#] {
        _ = Running(folder.launch("down", name)).finish()
      }
      let log = folder.logOfHub
      #expect(!log.contains("swordfish"), "\(log)")
      #expect(log.contains(#" down web {"port":1}"# + "\n"), "\(log)")
    }
  }

  @Test("have ids that tell nothing of their secrets, and stay with another hub")
  func ids() async {
    let folders = (0..<2).map { _ in HubFolder(commands: Self.commands) }
    let ids = await onThread {
      folders.map { folder in
        (0..<2).map { _ in
          let two = Running(folder.launch("two"))
          two.waitForErrors("raclette: web port=2 token=*** is ready\n")
          let listed = Running(folder.launch("ps", "--json")).finish().output
          two.get(signal: SIGTERM)
          _ = two.finish()
          folder.waitForEndOfHub()
          return listed.firstMatch(of: /"id":"([0-9a-f]{16})"/).map { String($0.output.1) }
        }
      }
    }
    #expect(!ids.joined().contains(nil), "\(ids)")
    #expect(ids.allSatisfy { $0[0] == $0[1] }, "\(ids)")
    // They depend on a key, not on the input alone.
    #expect(ids[0][0] != ids[1][0])
    var information = stat()
    #expect(lstat(folders[0].file("key"), &information) == 0)
    #expect(information.st_mode & 0o777 == 0o600 && information.st_size == 32)
  }

  @Test("logs shows each record by itself, and the lines of all of a name behind their names")
  func logs() async {
    await whileUsed { folder, _, _ in
      let first = Running(folder.launch("logs", #"web {"port":1}"#)).finish()
      #expect(first.output == "up 1\n", "\(first)")
      let all = Running(folder.launch("logs", "web")).finish()
      #expect(
        all.output == """
          web {"port":1}               | up 1
          web {"port":2,"token":"***"} | up 2

          """, "\(all)")
      let absent = Running(folder.launch("logs", #"web {"port":3}"#)).finish()
      #expect(
        absent.errors == """
          raclette: error: 'web {"port":3}' has printed nothing: it was not started yet

          """, "\(absent)")
    }
  }
}
