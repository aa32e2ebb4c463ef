import Platform
import Testing

/// Services with parameters, of which each input is a service of its own.
@Suite("inputs of services", .timeLimit(.minutes(5)))
struct ServiceInputTests {
  @Test("the hub keeps nothing open of inputs that have ended")
  func descriptors() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "web", service = true, params = {{name = "port", type = "integer"}},
          ready = {line = "up"}, run = "echo up; exec sleep 600"}
        rac.command{name = "bad", service = true, params = {{name = "port", type = "integer"}},
          ready = {line = "up"}, run = "exit 3"}
        rac.command{name = "test", params = {{name = "port", type = "integer"}, {name = "on", default = "web"}},
          needs = function(input) return {{input.on, port = input.port}} end, run = "true"}
        rac.command{name = "long", run = "exec sleep 600"}
        """#)
    _ = await folder.call("run", "-d", "long")
    let open = { @Sendable in Folder.names(in: "/proc/\(folder.process)/fd").count }
    _ = await folder.call("test", "1")
    let before = await onThread { () -> Int in
      eventually { Running(folder.launch("ps")).finish().output.contains("web") == false }
      return open()
    }
    for port in 2...6 {
      let run = await folder.call("test", "\(port)")
      #expect(run.status == 0, "\(run)")
      _ = await folder.call("test", "\(port)", "bad")
    }
    await onThread {
      eventually { open() <= before }
      return
    }
    let logs = await folder.call("logs", "web")
    #expect(logs.output.split(separator: "\n").count { $0.hasSuffix(" | up") } == 6, "\(logs)")
  }
}
