import Platform
import Testing

/// Services that are slow to end, and orders that concern others.
@Suite("services that are slow to end", .timeLimit(.minutes(5)))
struct SlowServiceTests {
  @Test("are named by a run that waits for their ends")
  func named() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "slow", service = true, ready = {line = "up"},
          run = function() return rac.exec{"sh", "-c",
            "trap '' TERM; echo up; while ! test -e go; do sleep 0.01; done", grace = 600} end}
        rac.command{name = "use", needs = "slow", run = "echo used"}
        """#)
    let run = await onThread {
      let run = Running(folder.launch("use"))
      run.waitForErrors(" to end\n")
      folder.folder.write("", to: "go")
      return run.finish()
    }
    #expect(
      run.allErrors.replacing(/pid \d+/, with: "pid N") == """
        raclette: slow is starting
        raclette: slow is ready
        raclette: waiting for slow (pid N) to end

        """)
    #expect(run.output == "used\n" && run.status == 0, "\(run)")
  }

  @Test("are not waited for by what uses, ends or kills others")
  func others() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "slow", service = true, ready = {line = "up"},
          run = function() return rac.exec{"sh", "-c",
            "sleep 600 & trap 'while ! test -e go; do sleep 0.01; done; exit' TERM; echo up; wait",
            grace = 600} end}
        rac.command{name = "stubborn", service = true, ready = {line = "up"},
          run = function() return rac.exec{"sh", "-c",
            "trap '' TERM; echo up; while :; do sleep 600; done", grace = 600} end}
        rac.command{name = "db", service = true, ready = {line = "up"}, run = "echo up; exec sleep 600"}
        rac.command{name = "use", needs = "db", run = "echo used"}
        """#)
    let (slow, used, ended, killed) = await onThread {
      _ = Running(folder.launch("up", "-d", "slow", "stubborn")).finish()
      let slow = Running(folder.launch("down", "slow"))
      eventually { folder.logOfHub.contains(" slow: ending") }
      let used = Running(folder.launch("use")).finish()
      _ = Running(folder.launch("up", "-d", "db")).finish()
      let ended = Running(folder.launch("down", "db")).finish()
      let down = Running(folder.launch("down", "stubborn"))
      down.waitForErrors(" to end\n")
      down.get(signal: SIGINT)
      down.waitForErrors("press Ctrl-C again to kill\n")
      down.get(signal: SIGINT)
      let killed = down.finish()
      #expect(!folder.logOfHub.contains(" slow: down"))
      folder.folder.write("", to: "go")
      return (slow.finish(), used, ended, killed)
    }
    #expect(used.output == "used\n")
    #expect(ended.errors == "raclette: db has ended\n")
    let lines = killed.allErrors.replacing(/pid \d+/, with: "pid N").replacing(
      /killed, [\d.]+ s/, with: "killed, TIME")
    #expect(
      lines == """
        raclette: waiting for stubborn (pid N) to end
        raclette: interrupted, waiting for stubborn to end; press Ctrl-C again to kill
        raclette: stubborn has ended: its processes were killed, TIME after they were asked to end

        """)
    #expect(slow.status == 0, "\(slow)")
  }
}
