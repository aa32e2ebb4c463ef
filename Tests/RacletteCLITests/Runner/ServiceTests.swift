import Platform
import Testing
import TextFiles

/// Services within one process of the runner.
@Suite("services that commands need", .timeLimit(.minutes(5)))
struct ServiceTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "db", service = true, ready = {line = "accepting"},
        run = "sleep 60 & trap 'echo db ends >>log; exit' TERM; echo db begins >>log; echo accepting; wait"}
      rac.command{name = "app", service = true, needs = "db", ready = {path = "app.ready"},
        run = "sleep 60 & trap 'echo app ends >>log; exit' TERM; echo app begins >>log; touch app.ready; wait"}
      rac.command{name = "test", needs = "db", run = "echo test >>log; echo tested"}
      rac.command{name = "other", needs = "db", run = "sleep 0.05; echo other"}
      rac.command{name = "both", needs = {"test", "other"}, run = "echo both"}
      rac.command{name = "deep", needs = "app", run = "echo deep >>log"}
      rac.command{name = "mute", service = true, ready = {line = "never"}, ready_timeout = 3,
        run = "echo the last words; sleep 60"}
      rac.command{name = "early", service = true, ready = {line = "never"},
        run = "echo the last words >&2; exit 3"}
      rac.command{name = "late", service = true, ready = {path = "late.ready"},
        run = "touch late.ready; while [ ! -e used ]; do sleep 0.01; done; exit 4"}
      rac.command{name = "flaky", service = true, ready = {path = "steady"},
        restart = {delay = 0.01, times = 3},
        run = "echo x >>tries; [ $(wc -l <tries) -lt 3 ] && exit 1; touch steady; sleep 60"}
      rac.command{name = "hears", needs = "mute", run = "echo no"}
      rac.command{name = "sees", needs = "early", run = "echo no"}
      rac.command{name = "loses", needs = "late", run = "touch used; sleep 60"}
      rac.command{name = "waits", needs = "flaky", run = "echo at last"}
      rac.command{name = "lua", run = function()
        print(rac.commands.db.ready:first())
        local running = rac.commands.db:execute()
        print(running:first())
        rac.commands.db.ready:filter(function(is) return is end):first()
        print(rac.commands.test:execute():first())
        running:cancel()
      end}
      """)

  @Test("are ready before what needs them and end after it")
  func used() async {
    let run = await raclette("test", in: folder)
    #expect(run.output == "tested\n")
    #expect(run.errors == "raclette: db is starting\nraclette: db is ready\n")
    #expect(run.status == 0)
    #expect(folder.text("log") == "db begins\ntest\ndb ends\n")
  }

  @Test("are started once for all that need them, and take no place of --jobs")
  func shared() async {
    let run = await raclette("-q", "-j", "1", "both", in: folder)
    #expect(run.lines.sorted() == ["both", "other", "tested"])
    #expect(folder.text("log") == "db begins\ntest\ndb ends\n")
  }

  @Test("that end for good fail the entries of a batch that use them, and those after")
  func lostByBatch() async {
    folder.write(
      """
      {"command": "loses", "id": "running"}
      {"command": "loses", "id": "later"}
      {"command": "test", "id": "other"}

      """, to: "plan.jsonl")
    let run = await raclette(
      "batch", "--jobs", "1", "--progress", "never", "plan.jsonl", in: folder)
    #expect(run.status == 1)
    #expect(run.output == "tested\n")
    let errors = run.errorLines.filter { $0.contains("error") }
    #expect(errors.count == 2, "\(run)")
    for (line, name) in zip(errors, ["running", "later"]) {
      #expect(line.hasPrefix("raclette: error: plan.jsonl:"), "\(run)")
      #expect(line.contains("[\(name)]") && line.contains("late"), "\(run)")
    }
  }

  @Test("that end before they are ready show the end of a line, too")
  func lastWords() async {
    folder.write(
      """
      rac.command{name = "early", service = true, ready = {line = "never"},
        run = "printf 'fatal: no config' >&2; exit 3"}
      rac.command{name = "sees", needs = "early", run = "echo no"}
      """, to: "words.lua")
    let run = await raclette("-q", "-f", "words.lua", "sees", in: folder)
    #expect(run.status != 0 && run.output == "")
    #expect(run.errorLines.last == "  fatal: no config", "\(run)")
  }

  @Test("start in the order of their needs and end in the reverse order")
  func ordered() async {
    let run = await raclette("-q", "deep", in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      folder.text("log") == "db begins\napp begins\ndeep\napp ends\ndb ends\n")
  }

  @Test("that are not ready in time fail what needs them with the last answer of the probe")
  func unready() async {
    let run = await raclette("hears", in: folder)
    #expect(
      run.errors == """
        raclette: mute is starting
        raclette: not executed: hears
        raclette: error: mute: the service was not ready within 3 s: it has not printed 'never'

        """)
    #expect(run.output == "")
    #expect(run.status == 124)
  }

  @Test("that end before they are ready say why, with their last lines")
  func early() async {
    let run = await raclette("sees", in: folder)
    #expect(
      run.errors == """
        raclette: early is starting
        raclette: not executed: sees
        raclette: error: early: the service has ended before it was ready: \
        'echo the last words >&2; exit 3' exited with status 3
          the last words

        """)
    #expect(run.status == 3)
  }

  @Test("that fail for a service that they need show the last lines of that one")
  func needed() async {
    let folder = Folder(
      commands: """
        rac.command{name = "db", service = true, ready = {line = "ok"},
          run = "echo 'no space left' >&2; exit 3"}
        rac.command{name = "web", service = true, needs = "db", ready = {line = "ok"}, run = "echo ok"}
        rac.command{name = "test", needs = "web", run = "echo tested"}
        """)
    let run = await raclette("test", in: folder)
    #expect(
      run.errorLines.suffix(2) == [
        "raclette: error: web: the service has ended before it was ready: 'db' failed: "
          + "'echo 'no space left' >&2; exit 3' exited with status 3",
        "  no space left",
      ], "\(run)")
    #expect(run.status == 3)
  }

  @Test("that somebody asks for have as much time, and fail with the status of their process")
  func asked() async {
    let mute = await raclette("mute", in: folder)
    #expect(mute.output == "the last words\n")
    #expect(
      mute.errors == """
        raclette: mute is starting
        raclette: error: mute: the service was not ready within 3 s: it has not printed 'never'

        """)
    #expect(mute.status == 124)
    let early = await raclette("early", in: folder)
    // The line comes before the failure or with it.
    #expect(
      early.errorLines.filter { !$0.hasSuffix("the last words") } == [
        "raclette: early is starting",
        "raclette: error: early: 'echo the last words >&2; exit 3' exited with status 3",
      ])
    let shown = early.lines + early.errorLines
    #expect(shown.filter { $0.hasSuffix("the last words") }.count == 1, "\(early)")
    #expect(early.status == 3)
  }

  @Test("that linger keep no script, and no entry of a batch that is one")
  func lingering() async {
    folder.write(
      """
      local rac = require "rac"
      rac.command{name = "db", service = true, ready = {line = "up"}, linger = 600,
        run = function(_, emit)
          rac.sh("echo starts"):wait()
          return rac.sh("sleep 600 & trap 'echo ends >>log; exit' TERM; echo up; wait")
        end}
      rac.command{name = "test", needs = "db", run = "echo tested"}
      print(rac.commands.test:execute():first())
      """, to: "script.lua")
    folder.write(#"{"script": "script.lua"}"# + "\n", to: "plan.jsonl")
    for words in [["script.lua"], ["batch", "--progress", "never", "plan.jsonl"]] {
      let launch = Launch(arguments: words, folder: folder.path)
      let run = await onThread { Running(launch).finish() }
      #expect(run.output == "tested\n" && run.status == 0, "\(run)")
    }
    #expect(folder.text("log") == "ends\nends\n")
  }

  @Test("that end while they are used end their users")
  func lost() async {
    let run = await raclette("loses", in: folder)
    #expect(
      run.errors == """
        raclette: late is starting
        raclette: late is ready
        raclette: error: loses: 'late' failed: the service has ended while it was used: \
        'touch late.ready; while [ ! -e used ]; do sleep 0.01; done; …' exited with status 4

        """)
    #expect(run.status == 4)
  }

  @Test("are waited for while they are started again")
  func restarted() async {
    let run = await raclette("waits", in: folder)
    #expect(run.output == "at last\n")
    #expect(
      run.errorLines.filter { $0.contains("flaky is restarting") }.count == 2, "\(run.errors)")
    #expect(run.status == 0)
  }

  @Test("are there before the condition, the fingerprint and the sources of what needs them")
  func lookedAt() async {
    let folder = Folder([
      "in": "1",
      "commands.lua": """
      local db = rac.command{name = "db", service = true, ready = {line = "up"},
        run = "sleep 600 & trap 'exit' TERM; cp in schema; echo up; wait"}
      rac.command{name = "follows", needs = "db", enabled = db.ready, sources = "schema",
        outputs = "followed", run = "cp schema followed"}
      rac.command{name = "asks", needs = "db", sources = "commands.lua", outputs = "asked",
        fingerprint = function() return rac.sh("cat schema"):last() end, run = "cp schema asked"}
      """,
    ])
    for content in ["1", "2"] {
      folder.write(content, to: "in")
      for (name, output) in [("follows", "followed"), ("asks", "asked")] {
        let run = await raclette("run", name, in: folder)
        #expect(
          run.errors == "raclette: db is starting\nraclette: db is ready\n" && run.status == 0,
          "\(run)")
        #expect(lines(of: folder[output]) == [content])
      }
    }
  }

  @Test("that are not ready for a while keep their users, and those who come wait")
  func passing() async {
    folder.write(
      """
      local db = rac.command{name = "db", service = true, ready = "test -e ok",
        run = "touch ok; exec sleep 600"}
      rac.command{name = "later", needs = "db", run = "echo later"}
      rac.command{name = "use", needs = "db", run = function(_, emit)
        os.remove("ok")
        db.ready:filter(function(is) return not is end):first()
        local later = rac.commands.later:execute()
        emit("lost")
        io.open("ok", "w"):close()
        emit(later:first())
      end}
      """, to: "commands.lua")
    let run = await raclette("use", in: folder)
    #expect(run.output == "lost\nlater\n")
    #expect(
      run.errors == """
        raclette: db is starting
        raclette: db is ready
        raclette: db is no longer ready: 'test -e ok' exited with status 1
        raclette: db is ready

        """)
    #expect(run.status == 0)
  }

  @Test("are used by executions that Lua starts, and tell whether they are ready")
  func lua() async {
    let run = await raclette("-q", "lua", in: folder)
    #expect(run.lines == ["false", "accepting", "tested"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(folder.text("log") == "db begins\ntest\ndb ends\n")
  }

  @Test("are ended in order by Ctrl-C")
  func interrupted() async {
    let run = await shell(
      """
      raclette -q app >out & sleep=$!
      while ! grep -q 'app begins' log 2>/dev/null; do sleep 0.01; done
      kill -INT $sleep; wait $sleep; echo $?
      """, in: folder)
    #expect(run.output == "130\n")
    #expect(folder.text("log") == "db begins\napp begins\napp ends\ndb ends\n")
  }

  @Test(
    "are checked when the file loads",
    arguments: [
      ("ready = {port = 1}, run = 'x'", "field 'ready' is for services: service = true"),
      (
        "service = true, ready = {prt = 1}, run = 'x'",
        "field 'ready' has an unknown key 'prt'; did you mean 'port'?"
      ),
      (
        "service = true, ready = {port = 0}, run = 'x'",
        "field 'ready.port' must be a number from 1 to 65535"
      ),
      (
        "service = true, ready = {http = 'https://x/'}, run = 'x'",
        "field 'ready.http': 'https://x/' needs TLS, which probes do not support; use a function, such as one that calls curl"
      ),
      (
        "service = true, ready = {line = 'a', path = 'b'}, run = 'x'",
        "field 'ready' has one of 'port', 'http', 'line' and 'path'"
      ),
      (
        "service = true, restart = 'sometimes', run = 'x'",
        "field 'restart' must be \"never\", \"on-failure\" or \"always\""
      ),
      (
        "service = true, on_lost = 'cry', run = 'x'",
        "field 'on_lost' must be \"cancel\" or \"wait\""
      ),
      (
        "service = true, concurrency = 2, run = 'x'",
        "field 'concurrency' cannot be used with 'service'"
      ),
    ])
  func checked(_ fields: String, _ problem: String) async {
    let folder = Folder(commands: "rac.command{name = 'a', \(fields)}")
    let run = await raclette(":check", in: folder)
    #expect(run.output == "commands.lua:1: \(problem)\n")
    #expect(run.status != 0)
  }

  @Test("are what check says of needs that never end")
  func endless() async {
    let folder = Folder(
      commands: """
        rac.command{name = "db", run = {"/usr/bin/tail", "-f", "x"}}
        rac.command{name = "may end", run = "sleep infinity & kill $!"}
        rac.command{name = "test", needs = {"db", "may end"}, run = "true"}
        """)
    #expect(
      await raclette(":check", in: folder).output == """
        commands.lua:1: 'test' needs 'db', whose 'tail' never ends; service = true and 'ready' \
        make it a service

        """)
  }

  @Test("are what a run suggests that waits for a need that never ends")
  func awaitedEndless() async {
    let folder = Folder(
      commands: """
        rac.command{name = "db", run = "sleep infinity"}
        rac.command{name = "test", needs = "db", run = "true"}
        """)
    let run = await onThread {
      let run = Running(Launch(arguments: ["test"], folder: folder.path))
      run.waitForErrors("a service\n")
      run.get(signal: SIGINT)
      return run.finish()
    }
    #expect(
      run.errorLines.first
        == "raclette: 'test' waits for the end of 'db', whose 'sleep' never ends; service = true "
        + "and 'ready' make it a service")
  }

  @Test("are described by show and by --dry-run")
  func described() async {
    let folder = Folder(
      commands: """
        rac.command{name = "disk", service = true, run = "mount", ready = {path = "data"}}
        rac.command{name = "db", service = true, run = "sleep 60", ready = {port = 5433},
          needs = "disk", restart = "on-failure", linger = "1m"}
        rac.command{name = "test", needs = "db", run = "true"}
        """)
    let remarks = "ready by port 5433; restart on-failure; lingers 60 s"
    #expect(await raclette(":show", "db", in: folder).lines.contains("Service: \(remarks)"))
    #expect(
      await raclette("-n", "test", in: folder).output == """
          1. db    service; \(remarks)
               1. disk  service; ready by path 'data'
                  $ mount
             $ sleep 60
          2. test  after db
             $ true

        """)
    #expect(
      await raclette("-n", "--json", "test", in: folder).output.contains(
        #""needs_of_service":[{"command":"disk","input":{},"#))
    let json = await raclette(":show", "db", "--json", in: folder).output
    #expect(
      json.contains(
        """
        "service":{"ready":"port 5433","ready_timeout":60.0,"restart":{"policy":"on-failure",\
        "delay":0.5,"backoff":2.0,"times":5},"linger":60.0,"on_lost":"cancel"}}
        """), "\(json)")
  }

  @Test("without a probe cannot be needed")
  func unprobed() async {
    let folder = Folder(
      commands: """
        rac.command{name = "db", service = true, run = "sleep 60"}
        rac.command{name = "test", needs = "db", run = "true"}
        """)
    let message = "'test' needs the service 'db', which has no 'ready' to wait for"
    let check = await raclette(":check", in: folder)
    #expect(check.output == "commands.lua:1: \(message)\n")
    for name in ["test", "db", ":list"] {
      let run = await raclette(name, in: folder)
      #expect(run.errors == "raclette: error: commands.lua:1: \(message)\n")
      #expect(run.status == 3)
    }
  }

  @Test("is no step, as it would never end")
  func step() async {
    let folder = Folder(
      commands: """
        rac.command{name = "db", service = true, run = "sleep 60"}
        rac.command{name = "test", steps = {{command = "db"}, "true"}}
        """)
    let message = """
      commands.lua:2: 'test' has the service 'db' as a step, which would never end; needs = "db" starts \
      it and waits until it is ready

      """
    #expect(await raclette(":check", in: folder).output == message)
    for name in ["test", "db", ":list"] {
      let run = await raclette(name, in: folder)
      #expect(run.errors == "raclette: error: " + message)
      #expect(run.status == 3)
    }
  }
}

extension Folder {
  /// The content of a file; empty if there is none.
  fileprivate func text(_ name: String) -> String {
    (try? TextFile(self[name]).lines.joined(separator: "\n")) ?? ""
  }
}
