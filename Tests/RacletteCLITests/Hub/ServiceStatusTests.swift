import Platform
import Testing

/// The exit status by which a service, or what needs it, fails.
@Suite("exit statuses of services", .timeLimit(.minutes(5)))
struct ServiceStatusTests {
  private static let commands = #"""
    local function service(name, run, more)
      local definition = {name = name, service = true, ready = {line = "up"}, run = run}
      for key, value in pairs(more or {}) do definition[key] = value end
      rac.command(definition)
      rac.command{name = "use-" .. name, needs = name, run = "exec sleep 600"}
    end
    service("bad", "exit 3")
    service("killed", "kill -9 $$")
    service("mute", "exec sleep 600", {ready_timeout = 0.1})
    service("above-mute", "echo up; exec sleep 600", {needs = "mute"})
    service("high-mute", "echo up; exec sleep 600", {needs = "above-mute"})
    service("high-bad", "echo up; exec sleep 600", {needs = "bad"})
    service("shut", "echo up; exec sleep 600", {needs = "closed"})
    service("off", "echo up; exec sleep 600", {enabled = rac.just(false)})
    service("above-off", "echo up; exec sleep 600", {needs = "off"})
    rac.command{name = "closed", run = "true", enabled = rac.just(false)}
    service("lost", "echo up; cat go; exit 4")
    """#

  @Test(
    "are the same for each way to it",
    arguments: [
      ("bad", 3), ("killed", 137), ("mute", 124), ("above-mute", 124), ("high-mute", 124),
      ("high-bad", 3), ("shut", 75),
      ("off", 75), ("above-off", 75),
    ] as [(String, Int32)])
  func same(_ name: String, _ status: Int32) async {
    let folder = HubFolder(commands: Self.commands)
    let ways: [[String]] = [
      [name], ["use-\(name)"], ["up", name], ["up", "-d", name], ["restart", name],
      ["run", "-d", "use-\(name)"], ["attach", "1"],
    ]
    for way in ways {
      let launch = Launch(
        arguments: way, folder: folder.path, environment: folder.environment)
      let outcome = await onThread { Running(launch).finish() }
      #expect(outcome.status == (way.contains("run") ? 0 : status), "\(way): \(outcome)")
    }
  }

  @Test("are those of several commands if several services fail")
  func several() async {
    let folder = HubFolder(commands: Self.commands)
    for way in [
      ["bad", ":::", "killed"], ["up", "bad", "killed"], ["up", "-d", "bad", "killed"],
    ] {
      let launch = Launch(
        arguments: way, folder: folder.path, environment: folder.environment)
      let outcome = await onThread { Running(launch).finish() }
      #expect(outcome.status == 1, "\(way): \(outcome)")
    }
  }

  @Test("are that of the service that was lost", arguments: ["up", "use"])
  func lost(_ way: String) async {
    let folder = HubFolder(commands: Self.commands)
    let pipe = folder.folder.makePipe("go")
    let outcome = await onThread {
      let user = Running(way == "up" ? folder.launch("up", "lost") : folder.launch("use-lost"))
      user.waitForErrors("raclette: lost is ready\n")
      write("\n", toPipe: pipe)
      return user.finish()
    }
    #expect(outcome.status == 4, "\(outcome)")
  }
}
