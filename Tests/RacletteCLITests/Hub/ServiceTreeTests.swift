import Platform
import Testing

/// The processes of services, and services that need others.
@Suite("trees of services", .timeLimit(.minutes(5)))
struct ServiceTreeTests {
  @Test("what a leader leaves behind when it crashes has ended before it is started again")
  func leftovers() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "accepting"},
          restart = {delay = 0, times = 1}, run =
            "echo begins >>log; test -e crashed && { echo accepting; exec sleep 600; }; "
              .. "touch crashed; (exec 3<>lives; echo left >>log; exec sleep 600) & "
              .. "while ! grep -q left log; do sleep 0.01; done; exit 3"}
        """#)
    let lives = Lives(folder.folder.makePipe("lives"))
    let up = await folder.call("up", "-d")
    #expect(up.errorLines.last == "raclette: db is held until 'raclette down'", "\(up)")
    #expect(lives.areOver)
    #expect(folder.log == "begins\nleft\nbegins\n")
  }

  @Test("what a service prints while it ends is in its record")
  func lastOutput() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "up"},
          run = "sleep 600 & trap 'echo saving; printf saved; exit' TERM; echo up; wait"}
        """#)
    #expect(await folder.call("up", "-d").status == 0)
    #expect(await folder.call("down").status == 0)
    #expect(await folder.logs("db") == "up\nsaving\nsaved\n")
  }

  @Test("so is the standard error that a function captures")
  func lastErrors() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "up"}, run = function()
          return rac.sh("sleep 600 & trap 'echo saving >&2; exit' TERM; echo up; wait", {stderr = "capture"})
        end}
        """#)
    #expect(await folder.call("up", "-d").status == 0)
    #expect(await folder.call("down").status == 0)
    #expect(await folder.logs("db") == "up\nsaving\n")
  }

  @Test("what a process prints that its function has no use for is not what the service prints")
  func surplus() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "up"}, run = function()
          rac.sh("trap '' TERM; echo first; while [ ! -e go ]; do sleep 0.01; done;             echo up; echo surplus; touch done"):take(1):first()
          return rac.sh("touch go; until [ -e done ]; do sleep 0.01; done; echo begins;             until [ -e open ]; do sleep 0.01; done; echo up; exec sleep 600")
        end}
        """#)
    let up = await onThread {
      let up = Running(folder.launch("up", "-d"))
      eventually { Running(folder.launch("logs", "db")).finish().output.contains("begins") }
      folder.folder.write("", to: "open")
      return up.finish()
    }
    #expect(up.status == 0)
    #expect(await folder.logs("db") == "begins\nup\n")
  }

  @Test("a restart by hand ends nothing that needs the service, and what needs it is told")
  func restart() async {
    let folder = HubFolder(
      commands: #"""
        local function service(name, needs)
          rac.command{name = name, service = true, needs = needs, ready = {line = "up"},
            run = "sleep 600 & trap 'echo " .. name .. " ends >>log; exit' TERM; "
              .. "echo " .. name .. " begins >>log; echo up; wait"}
        end
        service("db")
        service("cache", "db")
        service("web", "cache")
        rac.command{name = "use", needs = {"web", "db"}, run = "echo uses; exec sleep 600"}
        """#)
    let user = await onThread {
      let user = Running(folder.launch("use"))
      user.waitForOutput("uses\n")
      _ = Running(folder.launch("restart", "db")).finish()
      user.waitForErrors("raclette: db is ready\n", times: 2)
      let listed = Running(folder.launch("ps")).finish()
      #expect(listed.lines.dropFirst().allSatisfy { $0.contains("  ready  ") }, "\(listed)")
      user.get(signal: SIGINT)
      return user.finish()
    }
    #expect(user.errors.contains("raclette: db is restarting\nraclette: db is ready\n"))
    #expect(
      folder.log == """
        db begins
        cache begins
        web begins
        db ends
        db begins
        web ends
        cache ends
        db ends

        """)
  }

  @Test(
    "what needs a service only through others is told of its restart", arguments: [false, true])
  func restartThroughOthers(_ isChanged: Bool) async {
    let folder = HubFolder(
      commands: #"""
        local function service(name, needs)
          rac.command{name = name, service = true, needs = needs, ready = {line = "up"},
            run = "echo up; exec sleep 600"}
        end
        service("db")
        service("cache", "db")
        service("web", "cache")
        rac.command{name = "use", needs = "web", run = "echo uses; exec sleep 600"}
        """#)
    let outcomes = await onThread {
      let user = Running(folder.launch("use"))
      user.waitForOutput("uses\n")
      let up = Running(folder.launch("up", "web"))
      up.waitForErrors("raclette: web is ready\n")
      if isChanged {
        folder.folder.write(
          folder.commands.replacing("echo up;", with: "echo up; echo changed;"),
          to: "commands.lua")
      }
      _ = Running(folder.launch("restart", "db")).finish()
      for client in [user, up] {
        client.waitForErrors("raclette: db is ready\n")
        client.get(signal: SIGINT)
      }
      return [user.finish(), up.finish()]
    }
    for outcome in outcomes {
      #expect(
        outcome.errorLines.filter { $0.contains("db") || $0.contains("cache") }
          == ["raclette: db is restarting", "raclette: db is ready"], "\(outcome)")
    }
  }

  @Test("what a service and its needs print is recorded in the order in which they print it")
  func order() async {
    let folder = HubFolder(
      commands: #"""
        local lines = "for i in 1 2 3 4 5 6 7 8; do echo o$i; echo e$i >&2; done"
        rac.command{name = "init", run = lines}
        rac.command{name = "db", service = true, needs = "init", ready = {line = "up"},
          run = lines .. "; echo up; exec sleep 600"}
        """#)
    #expect(await folder.call("up", "-d").status == 0)
    let lines = (1...8).map { "o\($0)\ne\($0)\n" }.joined()
    #expect(await folder.logs("db") == lines + lines + "up\n")
  }

  @Test("logs prints the bytes that a service has written")
  func bytes() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "up"},
          run = [[printf 'a\377b\033[2J\r\n'; echo up; exec sleep 600]]}
        """#)
    let run = await shell(
      "raclette -q up -d db && raclette logs -n 2 db | od -An -tx1", in: folder.folder)
    #expect(run.output == " 61 ff 62 1b 5b 32 4a 0d 0a 75 70 0a\n", "\(run)")
  }
}
