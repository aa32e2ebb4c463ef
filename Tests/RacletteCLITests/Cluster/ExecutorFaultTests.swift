import Platform
import Testing
import TextFiles

/// What becomes of entries whose executor, the process that executes them for a worker, ends before
/// them.
@Suite(
  "an executor that is killed", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(30)))
struct ExecutorFaultTests {
  private static let ended = "SELECT bool_and(ended IS NOT NULL) FROM raclette.batch"

  @Test("leaves nothing behind that runs when the entry begins again")
  func orphans() async throws {
    let place = ClusterFolder("")
    place.folder.write(
      place.inside(
        """
        if [ $RACLETTE_ATTEMPT = 1 ]; then
          sleep 1000 &
          echo $! >> '@pids'
          setsid sh -c 'trap "" TERM HUP; echo $$ >> "@pids"; sleep 1000; echo late >> "@log"' &
          while [ $(wc -l < '@pids') -lt 2 ]; do sleep 0.01; done
          echo begin >> '@log'
          kill -9 $PPID
          wait
        fi
        for pid in $(cat '@pids'); do
          if [ -e /proc/$pid ] && ! grep -q '^State:.Z' /proc/$pid/status; then
            echo overlap >> '@log'
          fi
        done
        echo again >> '@log'
        """), to: "hold.sh")
    place.folder.write(
      place.inside(
        """
        local rac = require "rac"
        rac.command{name = "hold", across = "cluster", concurrency = 1, run = {"sh", "@hold.sh"}}
        """), to: "commands.lua")
    _ = await place.submit([#"{"command": "hold"}"#])
    let workers = await place.start(2, place.worker("--jobs", "1"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(workers)
    #expect(try place.lines("log") == ["begin", "again"])
    #expect(await place.rows("SELECT state, attempt FROM raclette.ended") == ["completed|2"])
  }

  @Test("is no reason to end what an execution before has left to outlive it")
  func daemon() async throws {
    let place = ClusterFolder("")
    place.folder.write(
      place.inside(
        """
        local rac = require "rac"
        rac.command{name = "serve", run = "setsid sleep 1000 > /dev/null 2>&1 & echo $! > '@pid'"}
        rac.command{name = "boom", run = "[ $RACLETTE_ATTEMPT = 2 ] || kill -9 $PPID"}
        """), to: "commands.lua")
    _ = await place.submit([#"{"command": "serve"}"#])
    let launch = place.worker("--jobs", "1")
    let worker = await onThread { Running(launch) }
    #expect(await place.waitFor("t", Self.ended))
    let pid = try #require(pid_t(place.lines("pid")[0]))
    // Its executor ends when it has had nothing to do for a while.
    let isAdopted = await onThread {
      eventually {
        (try? TextFile("/proc/\(pid)/status").lines.contains("PPid:\t\(worker.pid)")) == true
      }
    }
    #expect(isAdopted)
    _ = await place.submit([#"{"command": "boom"}"#])
    #expect(await place.waitFor("t", Self.ended))
    #expect(kill(pid, SIGKILL) == 0)
    await place.end([worker])
    let ends = await place.rows("SELECT state, attempt FROM raclette.ended ORDER BY entry")
    #expect(ends == ["completed|1", "completed|2"])
  }

  @Test("fails an entry as lost whose need ends it, after three times")
  func need() async throws {
    let place = ClusterFolder("")
    place.folder.write(
      place.inside(
        """
        local rac = require "rac"
        rac.command{name = "boom", run = "echo boom >> '@log'; kill -9 $PPID"}
        rac.command{name = "victim", needs = {"boom"}, run = "true"}
        """), to: "commands.lua")
    _ = await place.submit([#"{"command": "victim"}"#])
    let worker = await place.start(1, place.worker("--jobs", "1"))
    #expect(await place.waitFor("t", Self.ended))
    await place.end(worker)
    #expect(await place.rows("SELECT state, error_kind FROM raclette.ended") == ["failed|lost"])
    #expect(try place.lines("log").count == 3)
  }

  @Test("ends by itself when its lease is over, however late it learns of it")
  func lease() async {
    let folder = Folder(commands: #"rac.command{name = "hold", run = "exec sleep 1000"}"#)
    let past = Int((BootClock.now - .seconds(1)) / .milliseconds(1))
    let launch = Launch(
      arguments: [":batch-executor", "--quiet", "--file", "commands.lua"], folder: folder.path,
      input: .text(
        """
        ["batch", 1, "me"]
        ["run", 2, 3, 1, "command", "hold", "", null, "plan", 1, []]
        ["lease", \(past)]

        """))
    let run = await onThread { Running(launch).finish() }
    #expect(run.lines.contains("expired"), "\(run)")
  }
}
