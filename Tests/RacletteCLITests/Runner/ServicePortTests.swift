import Testing
import TextFiles

/// The ports of services with real servers.
@Suite("ports that make services ready", .timeLimit(.minutes(5)))
struct ServicePortTests {
  /// A server that writes its port to a file, and listens: at 127.0.0.1 or ::1, or in a child that has
  /// inherited its socket.
  private static let server = """
    import os, signal, socket, sys
    kind, port = sys.argv[1], int(sys.argv[2])
    server = socket.socket(socket.AF_INET6 if kind == "6" else socket.AF_INET)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("::1" if kind == "6" else "127.0.0.1", port))
    server.listen()
    if kind == "child" and os.fork():
        server.close()
        os.wait()
    with open("port.new", "w") as file:
        file.write(str(server.getsockname()[1]) if server.fileno() >= 0 else "")
    os.rename("port.new", "port")
    signal.pause()

    """
  private let folder = Folder()

  init() { folder.write(Self.server, to: "server.py") }

  @Test(
    "may be at either address, and with a child that has inherited it",
    arguments: ["4", "6", "child"])
  func own(_ kind: String) async {
    folder.write(
      """
      local port = rac.port "db"
      rac.command{name = "db", service = true, ready = {port = port},
        run = {"python3", "server.py", "\(kind)", tostring(port)}}
      rac.command{name = "test", needs = "db", run = {"echo", tostring(port)}}
      """, to: "commands.lua")
    var ports: Set<String> = []
    // The second time at the same port.
    for _ in 0..<2 {
      let run = await raclette(
        "test", in: folder, environment: ["XDG_STATE_HOME": folder["state"]])
      #expect(run.errors == "raclette: db is starting\nraclette: db is ready\n")
      #expect(run.status == 0)
      ports.insert(run.output)
    }
    #expect(ports.count == 1)
  }

  @Test("are other ones once a program has them that a shell in the checkout has started")
  func taken() async {
    folder.write(
      """
      local port = rac.port "db"
      rac.command{name = "port", run = {"echo", tostring(port)}}
      """, to: "commands.lua")
    let run = await shell(
      """
      export XDG_STATE_HOME=$PWD/state
      first=$(raclette port)
      python3 server.py 4 $first & other=$!
      while [ ! -e port ]; do sleep 0.01; done
      second=$(raclette port)
      kill $other
      [ $second != $first ] && echo another one
      [ $second = $(raclette port) ] && echo the same
      """, in: folder)
    #expect(run.output == "another one\nthe same\n", "\(run)")
  }

  @Test("are the same ones through a link to the command file, as for the hub")
  func linked() async {
    folder.makeFolder("project")
    folder.write(
      """
      local port = rac.port "db"
      rac.command{name = "port", run = {"echo", tostring(port)}}
      rac.command{name = "serve", run = {"python3", "server.py", "4", tostring(port)}}
      """, to: "project/commands.lua")
    let run = await shell(
      """
      export XDG_STATE_HOME=$PWD/state
      ln -s project/commands.lua commands.lua
      first=$(cd project && raclette port)
      [ $first = $(raclette port) ] && echo the same
      raclette serve & server=$!
      while [ ! -e port ]; do sleep 0.01; done
      [ $first = $(raclette port) ] && echo the same with its own server
      kill $server; wait
      """, in: folder)
    #expect(run.output == "the same\nthe same with its own server\n", "\(run)")
  }

  @Test("of somebody else's server are an error that names it", arguments: ["port", "http"])
  func foreign(_ probe: String) async {
    folder.write(
      """
      local port = tonumber(io.open("port"):read("a"))
      rac.command{name = "db", service = true, run = "touch started; exec sleep 600",
        ready = "\(probe)" == "port" and {port = port} or {http = "http://localhost:" .. port}}
      rac.command{name = "test", needs = "db", run = "echo no"}
      """, to: "commands.lua")
    let run = await shell(
      """
      python3 server.py 4 0 & other=$!
      while [ ! -e port ]; do sleep 0.01; done
      raclette test; echo "status $?"
      kill $other
      echo "port $(cat port) belongs to 'python3' (pid $other), not to this service"
      ls started 2>/dev/null
      """, in: folder)
    let lines = run.lines
    #expect(lines.count == 2 && lines.first == "status 1", "\(run)")
    #expect(
      run.errors == """
        raclette: not executed: test
        raclette: error: db: the service has ended before it was ready: \(lines.last ?? "")

        """)
  }

  @Test("are those of the hub too once another program has had one")
  func hub() async {
    let folder = HubFolder(
      commands: """
        local port = rac.port "db"
        rac.command{name = "db", service = true, ready = {port = port},
          run = {"python3", "server.py", "4", tostring(port)}}
        rac.command{name = "test", needs = "db", run = "echo \" .. port .. \"; cat port"}
        rac.command{name = "hold", service = true, run = "echo up; exec sleep 600", ready = {line = "up"}}
        """)
    folder.folder.write(Self.server, to: "server.py")
    folder.folder.write(Self.server, to: "other/server.py")
    let runs = await shell(
      """
      export XDG_STATE_HOME=$PWD/state XDG_RUNTIME_DIR=\(folder.runtime.path)
      raclette -q up -d hold
      raclette -q test | tr '\\n' ' ' >first
      cat first; echo
      cd other
      python3 server.py 4 $(cut -d' ' -f1 ../first) & other=$!
      while [ ! -e port ]; do sleep 0.01; done
      cd ..
      raclette -q test | tr '\\n' ' '; echo
      kill $other; wait
      raclette -q test | tr '\\n' ' '; echo
      """, in: folder.folder)
    let ports = runs.lines.map { $0.split(separator: " ") }
    #expect(ports.count == 3 && runs.errors.isEmpty, "\(runs)")
    // What the command has read is what the service listens at.
    for pair in ports { #expect(pair.count == 2 && pair.first == pair.last, "\(runs)") }
    #expect(ports.first != ports.last, "\(runs)")
    #expect(ports.dropFirst().first == ports.last, "\(runs)")
  }
}
