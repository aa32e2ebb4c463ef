import Platform
import Testing

@Suite("job control", .timeLimit(.minutes(5)))
struct JobControlTests {
  @Test(
    "SIGTSTP stops the children with the runner, and SIGCONT continues them",
    arguments: ["", "tty = true,"])
  func stopping(_ option: String) async {
    let folder = Folder(
      commands: """
        -- The shell forks nothing: one that waits for a vfork is never seen as stopped.
        rac.command{name = "c", \(option) run = function()
          return rac.sh("echo $$; while [ ! -e go ]; do :; done; echo done")
        end}
        """)
    let launch = Launch(arguments: ["run", "c"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutputLines(1)
      running.get(signal: SIGTSTP)
      running.waitForStop()
      let child = running.output.prefix { $0 != "\n" }
      eventually { isStopped(String(child)) }
      folder.write("", to: "go")
      running.get(signal: SIGCONT)
      return running.finish()
    }
    #expect(run.lines.last == "done")
    #expect(run.status == 0)
  }

  @Test("SIGUSR1 tells what runs")
  func running() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", run = function() return rac.sh("echo ready; exec sleep 1000") end}
        rac.command{name = "d", needs = {"c"}, run = print}
        """)
    let launch = Launch(arguments: ["run", "d"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForOutput("ready")
      running.get(signal: SIGUSR1)
      running.waitForErrors("s)\n")
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.errorLines.first?.replacingDurations() == "raclette: running: c (TIME)")
    #expect(run.status == 143)
  }
}

extension JobControlTests {
  @Test("SIGUSR1 tells what waits, and who has what it waits for")
  func waiting() async {
    let folder = Folder(
      commands: """
        rac.defaults{resources = {gpu = 1}}
        rac.command{name = "train", uses = {gpu = 1}, run = "echo ready; exec sleep 1000"}
        rac.command{name = "eval", uses = {gpu = 1}, run = "true"}
        """)
    let launch = Launch(arguments: ["train", ":::", "eval"], folder: folder.path)
    let run = await onThread {
      let running = Running(launch)
      running.waitForErrors("'eval' waits")
      running.get(signal: SIGUSR1)
      running.waitForErrors("running: ")
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(
      run.errorLines.dropFirst().first?.replacingDurations()
        == "raclette: running: train (TIME); 'eval' waits for gpu = 1: 'train' has gpu = 1",
      "\(run)")
    #expect(run.status == 143)
  }
}

/// Whether a process is stopped.
private func isStopped(_ pid: String) -> Bool {
  guard let file = fopen("/proc/\(pid)/stat", "re") else { return false }
  defer { fclose(file) }
  var text = [CChar](repeating: 0, count: 256)
  guard fgets(&text, 256, file) != nil else { return false }
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).contains(") T ")
}
