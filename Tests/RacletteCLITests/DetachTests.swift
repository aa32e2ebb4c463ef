import Platform
import Testing

/// Programs that outlive the command that starts them.
@Suite("programs that outlive their command", .timeLimit(.minutes(5)))
struct DetachTests {
  @Test("a process that leaves its group by setsid is not waited for, however late it does")
  func setsid() async {
    let folder = Folder()
    // Twenty at a time, beside a load on every processor.
    let script = """
      local load = rac.sh("while :; do :; done"):subscribe()
      local load2 = rac.sh("while :; do :; done"):subscribe()
      local function daemon()
        return rac.sh("setsid sh -c 'echo $$ >>pids; exec sleep 1000' >/dev/null 2>&1 </dev/null &")
      end
      rac.range(1, 20):map(daemon):flatten():wait()
      print("done")
      load:dispose() load2:dispose()
      """
    let run = await raclette("-e", script, in: folder)
    #expect(run.output == "done\n", "\(run)")
    _ = await onThread { eventually { lines(of: folder["pids"]).count == 20 } }
    for pid in lines(of: folder["pids"]).compactMap({ pid_t($0) }) {
      #expect(kill(pid, SIGKILL) == 0)
    }
  }

  @Test("a detached program goes on behind the runner, in a session of its own, without streams")
  func detached() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "start", run = function()
          return rac.exec{"sh", "-c",
            [[streams=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2)
              echo "$streams" >streams; echo "$VALUE $PWD" >>streams
              exec sleep 1000]], detach = true, env = {VALUE = 7}, cwd = "inner"}
        end}
        rac.command{name = "line", run = function() return rac.sh("exec sleep 1000", {detach = true}) end}
        """#)
    folder.makeFolder("inner")
    for name in ["start", "line"] {
      let run = await raclette("run", name, in: folder)
      #expect(run.status == 0, "\(run)")
      guard let pid = pid_t(run.output.dropLast()) else {
        Issue.record("\(run)")
        continue
      }
      #expect(getsid(pid) == pid)
      if name == "start" {
        _ = await onThread { eventually { lines(of: folder["inner/streams"]).count == 4 } }
      }
      #expect(kill(pid, SIGKILL) == 0)
    }
    #expect(
      lines(of: folder["inner/streams"])
        == ["/dev/null", "/dev/null", "/dev/null", "7 \(folder["inner"])"])
  }

  @Test("Ctrl-C does not end it")
  func interrupted() async {
    let run = await onThread {
      let running = Running(
        Launch(arguments: [
          "-e", "print(rac.sh('sleep 1000', {detach = true}):first()) rac.sleep(1000)",
        ]))
      running.waitForOutputLines(1)
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(run.status == 130)
    #expect(pid_t(run.output.dropLast()).map { kill($0, SIGKILL) } == 0)
  }

  @Test("what cannot be started, and what has no meaning, is an error")
  func errors() async {
    let spawn = await raclette(
      "-e", "print(select(2, pcall(function() rac.exec{'no-such', detach = true}:wait() end)).kind)"
    )
    #expect(spawn.output == "spawn\n")
    for option in [
      "stdin = ''", "stderr = 'merge'", "output = 'bytes'", "timeout = 1", "grace = 1",
    ] {
      let run = await raclette("-e", "rac.exec{'true', detach = true, \(option)}")
      let name = option.prefix { $0 != " " }
      #expect(run.errors.contains("option '\(name)' cannot be used with 'detach'"), "\(run)")
    }
    let kind = await raclette("-e", "rac.exec{'true', detach = 1}")
    #expect(kind.errors.contains("option 'detach' must be a boolean"), "\(kind)")
  }
}
