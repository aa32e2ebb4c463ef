import Platform
import Testing

/// The time in which a service has to become ready.
@Suite("the time to become ready", .timeLimit(.minutes(5)))
struct ServiceReadyTimeTests {
  @Test("is not that of what it needs")
  func needs() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "never"}, ready_timeout = 0.5,
          run = "exec sleep 600"}
        rac.command{name = "web", service = true, needs = "db", ready = {line = "up"},
          ready_timeout = 0.01, run = "echo up; exec sleep 600"}
        rac.command{name = "test", needs = "web", run = "echo tested"}
        """#)
    let test = await folder.call("test")
    #expect(
      test.errors == """
        raclette: web is starting
        raclette: not executed: test
        raclette: error: web: the service has ended before it was ready: 'db' failed: the service \
        was not ready within 0.5 s: it has not printed 'never'

        """, "\(test)")
    #expect(test.status == 124)
  }

  @Test("is not that in which it waits for resources, and who has them is said")
  func resources() async {
    let folder = HubFolder(
      commands: #"""
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "one", service = true, uses = {gpu = 1}, ready = {line = "up"},
          run = "echo up; exec sleep 600"}
        rac.command{name = "two", service = true, uses = {gpu = 1}, ready = {line = "up"},
          ready_timeout = 0.01, run = "echo up; exec sleep 600"}
        rac.command{name = "test", needs = "two", run = "echo tested"}
        """#)
    _ = await folder.call("up", "-d", "one")
    let (test, listed) = await onThread {
      let test = Running(folder.launch("test"))
      test.waitForErrors("gpu = 1\n")
      let listed = Running(folder.launch("ps")).finish()
      test.get(signal: SIGINT)
      return (test.finish(), listed)
    }
    #expect(
      test.errors == """
        raclette: two is starting
        raclette: 'two' waits for gpu = 1: 'one' has gpu = 1
        raclette: interrupted

        """, "\(test)")
    #expect(
      listed.lines.last?.hasSuffix("  waits for gpu = 1: 'one' has gpu = 1") == true, "\(listed)")
  }

  @Test("has passed for a service that ps lists as failed")
  func listed() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "mute", service = true, ready = {line = "up"}, ready_timeout = 0.1,
          run = "exec sleep 600"}
        """#)
    _ = await folder.call("up", "-d")
    let listed = await folder.call("ps")
    #expect(
      listed.output == """
        SERVICE  STATE   UPTIME  PID  PORTS  USERS  RESTARTS  LAST PROBE
        mute     failed  -       -    -      0      0         it was not ready within 0.1 s: it has \
        not printed 'up'

        """, "\(listed)")
    let down = await folder.call("down")
    #expect(down.errors == "raclette: mute had already failed\n")
    #expect(await folder.call("ps").lines == [])
  }
}
