import Platform
import Testing

/// How a panel starts and ends, and what keeps it from starting.
@Suite("a panel's start", .timeLimit(.minutes(5)))
struct PanelStartTests {
  private static let commands = "rac.command{name = 'say', run = 'echo said'}"

  private func permissions(of path: String) -> UInt32 {
    var information = stat()
    _ = lstat(path, &information)
    return UInt32(information.st_mode) & 0o777
  }

  @Test("it prints its address, and ends by a signal with everything that it runs")
  func signals() async {
    for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
      await onThread {
        let panel = PanelProgram(
          "rac.command{name = 'long', run = 'echo ready; exec sleep 1000'}")
        #expect(
          panel.running.output.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n/)
            != nil)
        let stream = panel.stream()
        stream.wait(for: "\nid: ")
        panel.wait(for: panel.execute("long"), "\"outputs\":1")
        panel.running.get(signal: signal)
        #expect(stream.readToEnd().contains("\"type\":\"ending\""))
        let outcome = panel.running.finish()
        #expect(outcome.status == status)
      }
    }
  }

  @Test("--json prints the address and the events")
  func json() async {
    await onThread {
      let panel = PanelProgram(Self.commands, "--json")
      panel.wait(for: panel.execute("say"), "\"state\":\"completed\"")
      let lines = panel.end().lines
      #expect(lines.first?.contains("\"type\":\"panel\",\"address\":\"http://127.0.0.1:") == true)
      for type in ["execution_started", "next", "completed", "enabled", "ending"] {
        #expect(lines.contains { $0.contains("\"type\":\"\(type)\"") }, "\(lines)")
      }
      let numbers = lines.compactMap { $0.firstMatch(of: /"seq":(\d+)/).flatMap { Int($0.1) } }
      #expect(numbers == Array(1...lines.count))
    }
  }

  @Test("a socket in the file system is its user's alone, and goes with the panel")
  func path() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let path = folder["panel.socket"]
      // One that an earlier panel has left behind.
      let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      withUnsafeBytes(of: &address) { bytes in
        _ = bind(
          left, bytes.bindMemory(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
      }
      close(left)
      let panel = PanelProgram(folder, path: path)
      #expect(permissions(of: path) == 0o600)
      // A tunnel has a port of its own.
      #expect(panel.send("GET", "commands", headers: ["Host": "localhost:9000"]).status == 200)
      #expect(panel.send("GET", "commands", headers: ["Host": "evil"]).status == 421)
      let second = Running(
        Launch(arguments: ["panel", "--listen", "unix:\(path)"], folder: folder.path)
      ).finish()
      #expect(second.status == 1 && second.errors.contains("address already in use"), "\(second)")
      #expect(panel.end().status == 130)
      #expect(!Folder.isThere(path))
      folder.write("text", to: "panel.socket")
      let third = Running(
        Launch(arguments: ["panel", "--listen", "unix:\(path)"], folder: folder.path)
      ).finish()
      #expect(third.status == 1 && third.errors.contains("not a socket"))
    }
  }

  @Test("--open shows the address to the browser, and its token to nobody else")
  func browser() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      folder.write(
        "#!/bin/sh\necho \"$@\" >\(folder["words"])\ncp \"$1\" \(folder["page"])\necho >\(folder["opened"])\n",
        to: "bin/xdg-open")
      chmod(folder["bin/xdg-open"], 0o755)
      let path = getenv("PATH").map { String(cString: $0) } ?? ""
      let panel = PanelProgram(
        folder, ["--open"], environment: ["PATH": "\(folder["bin"]):\(path)"])
      #expect(eventually { Folder.isThere(folder["opened"]) })
      let read = { (name: String) in
        Running(Launch(program: "/bin/cat", arguments: [folder[name]])).finish().output
      }
      #expect(!read("words").contains(panel.token))
      #expect(read("page").contains("url=http://\(panel.host)/#token=\(panel.token)\""))
      let file = String(read("words").dropLast())
      #expect(permissions(of: file) == 0o600)
      #expect(panel.end().status == 130)
      #expect(!Folder.isThere(file))
    }
  }

  @Test("a port that is taken is an error")
  func port() async {
    await onThread {
      let panel = PanelProgram(Self.commands)
      let second = Running(
        Launch(
          arguments: ["panel", "--listen", "127.0.0.1:\(panel.port ?? 0)"],
          folder: panel.folder.path)
      ).finish()
      #expect(second.status == 1)
      #expect(second.errors.contains("address already in use; --listen :0 takes a free port"))
      _ = panel.end()
    }
  }

  @Test("wrong options are told")
  func options() async {
    let folder = Folder(commands: Self.commands)
    for (words, status, message) in [
      (["--listen", "nowhere"], Int32(2), "--listen cannot be 'nowhere'"),
      (["--listen", "127.0.0.1:70000"], 2, "--listen cannot be"),
      (["--listen", "0.0.0.0:0"], 1, "specify the name that clients use: --allow-host NAME"),
      (["--listen", "example:1", "--allow-host", "example"], 1, "is not an IPv4 address"),
      (["--allow-host", "a b"], 2, "--allow-host cannot be 'a b'"),
      (["--keep", "many"], 2, "--keep"),
      (["word"], 2, "unexpected argument 'word'"),
      (["-f", "none.lua"], 3, "none.lua"),
    ] {
      let run = await onThread {
        Running(Launch(arguments: ["panel"] + words, folder: folder.path)).finish()
      }
      #expect(run.status == status && run.errors.contains(message), "\(words): \(run)")
      #expect(run.output == "")
    }
  }

  @Test("without the library, it names the package")
  func library() async {
    // The loader finds a file that is no library before the real one.
    let folder = Folder(["commands.lua": Self.commands, "libmicrohttpd.so.12": ""])
    let run = await raclette(
      "panel", "--listen", ":0", in: folder, environment: ["LD_LIBRARY_PATH": folder.path])
    #expect(run.status == 1)
    #expect(run.errors.contains("install the package libmicrohttpd12"), "\(run)")
    let list = await raclette("list", in: folder, environment: ["LD_LIBRARY_PATH": folder.path])
    #expect(list.status == 0)
  }

  @Test("a token file is made for its user alone, and used again")
  func tokenFile() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      let path = folder["token"]
      let first = PanelProgram(folder, ["--token-file", path])
      #expect(permissions(of: path) == 0o600)
      #expect(first.send("GET", "commands").status == 200)
      _ = first.end()
      let second = PanelProgram(folder, ["--token-file", path])
      #expect(second.token == first.token)
      _ = second.end()
      let start = {
        Running(
          Launch(
            arguments: ["panel", "--listen", ":0", "--token-file", path], folder: folder.path)
        ).finish()
      }
      chmod(path, 0o644)
      var run = start()
      #expect(run.status == 1 && run.errors.contains("can be read by others"), "\(run)")
      folder.write("short\n", to: "token")
      chmod(path, 0o600)
      run = start()
      #expect(run.status == 1 && run.errors.contains("holds no token"), "\(run)")
      folder.remove("token")
      folder.makeFolder("token")
      run = start()
      #expect(run.status == 1 && run.errors.contains("is not a regular file"), "\(run)")
    }
  }
}
