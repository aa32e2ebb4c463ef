import Platform
import Testing

/// Services that are up while the files have changed with which they were started.
@Suite("services that were started with earlier files", .timeLimit(.minutes(5)))
struct StaleNeedTests {
  private static let commands = #"""
    rac.command{name = "build", sources = "src", outputs = "out", run = "cp src out; echo built >>log"}
    rac.command{name = "all", needs = "build"}
    rac.command{name = "web", service = true, needs = "all", ready = {line = "up"},
      env_file = {{"web.env", optional = true}},
      run = "echo starts >>log; echo up; exec sleep 600"}
    rac.command{name = "site", service = true, needs = "web", ready = {line = "up"},
      run = "echo up; exec sleep 600"}
    rac.command{name = "e2e", needs = "web", run = "echo tested"}
    rac.command{name = "look", needs = "site", run = "echo looked"}
    """#

  private static func folder(_ more: String = "") -> HubFolder {
    let folder = HubFolder(commands: commands + more)
    folder.folder.write("1", to: "src")
    return folder
  }

  /// What a call that uses `web` is told.
  private static func remark(_ text: String) -> String {
    "raclette: web \(text); to use the current one: raclette :restart web\n"
  }

  private static let changed = remark(
    "runs with an earlier result of 'build': the source 'src' has changed")

  @Test("who begins to use one whose need is not up to date is told, until it is started again")
  func changedSource() async {
    let folder = Self.folder()
    _ = await folder.call("up", "-d", "web")
    let current = await folder.call("e2e")
    #expect(current.errors == "raclette: web is ready\n")
    folder.folder.write("2", to: "src")
    for _ in 1...2 {
      let stale = await folder.call("e2e")
      #expect(stale.errors == Self.changed + "raclette: web is ready\n")
      #expect(stale.output == "tested\n")
    }
    #expect(folder.log == "built\nstarts\n")
    _ = await folder.call("restart", "web")
    let restarted = await folder.call("e2e")
    #expect(restarted.errors == "raclette: web is ready\n")
    #expect(folder.log == "built\nstarts\nbuilt\nstarts\n")
  }

  @Test("also one whose need somebody else has executed since")
  func executedSince() async {
    let folder = Self.folder()
    _ = await folder.call("up", "-d", "web")
    folder.folder.write("2", to: "src")
    _ = await folder.call("build")
    let stale = await folder.call("e2e")
    #expect(
      stale.errors
        == Self.remark("runs with an earlier result of 'build': it was executed since")
        + "raclette: web is ready\n")
  }

  @Test("also one that only another service needs")
  func neededByService() async {
    let folder = Self.folder()
    _ = await folder.call("up", "-d", "site")
    folder.folder.write("2", to: "src")
    #expect(await folder.call("look").errors == Self.changed + "raclette: site is ready\n")
  }

  @Test("also one that executes it as a step of its own work")
  func step() async {
    let folder = Self.folder(
      #"""

      rac.command{name = "app", service = true, ready = {line = "up"},
        steps = {{command = "build"}, "echo up; exec sleep 600"}}
      rac.command{name = "try", needs = "app", run = "echo tried"}
      """#)
    _ = await folder.call("up", "-d", "app")
    #expect(await folder.call("try").errors == "raclette: app is ready\n")
    folder.folder.write("2", to: "src")
    let stale = await folder.call("try")
    #expect(
      stale.errors == """
        raclette: app runs with an earlier result of 'build': the source 'src' has changed; \
        to use the current one: raclette :restart app
        raclette: app is ready

        """)
  }

  @Test("whose need cannot tell whether it is up to date is told as a doubt")
  func doubt() async {
    let folder = HubFolder(
      commands: Self.commands.replacing(
        #"sources = "src","#,
        with: #"""
          fingerprint = function()
            if rac.file_exists("broken"):first() then error("no compiler", 0) end
            return 1
          end,
          """#))
    folder.folder.write("1", to: "src")
    _ = await folder.call("up", "-d", "web")
    folder.folder.write("", to: "broken")
    let stale = await folder.call("e2e")
    #expect(
      stale.errors
        == Self.remark(
          "may run with an earlier result of 'build': 'fingerprint' of 'build': no compiler")
        + "raclette: web is ready\n")
    #expect(stale.output == "tested\n")
  }

  @Test("is told in the rounds of a watch, once for each run of the service")
  func watched() async {
    let folder = Self.folder()
    let run = await onThread {
      let watch = Running(folder.launch("--watch=src", "e2e"))
      for round in 1...3 {
        watch.waitForErrors("done; watching src", times: round)
        folder.folder.write("\(round + 1)", to: "src")
      }
      watch.waitForErrors("done; watching src", times: 4)
      watch.get(signal: SIGINT)
      return watch.finish()
    }
    #expect(run.errors.ranges(of: Self.changed).count == 1, "\(run)")
    #expect(folder.log == "built\nstarts\n")
  }

  @Test("who begins to use one whose file of variables has changed is told")
  func variables() async {
    let folder = Self.folder()
    folder.folder.write("PORT=1\n", to: "web.env")
    _ = await folder.call("up", "-d", "web")
    #expect(await folder.call("e2e").errors == "raclette: web is ready\n")
    folder.folder.write("PORT=2\n", to: "web.env")
    #expect(
      await folder.call("e2e").errors
        == Self.remark("runs with a different value of PORT") + "raclette: web is ready\n")
    folder.folder.write("LEVEL=info\n", to: "web.env")
    let both = await folder.call("e2e")
    #expect(
      both.errors == """
        raclette: web runs with different values of LEVEL and PORT; to use the current ones: \
        raclette :restart web
        raclette: web is ready

        """)
    _ = await folder.call("restart", "web")
    #expect(await folder.call("e2e").errors == "raclette: web is ready\n")
  }

  @Test("-n shows those that are up, and nothing that only their start would execute")
  func plan() async {
    let folder = Self.folder()
    let start = """
        1. web  service; ready by line 'up'
             1. build  up to date or not: this is decided when its turn comes
                $ cp src out; echo built >>log
             2. all    after build
           $ echo starts >>log; echo up; exec sleep 600
        2. e2e  after web
           $ echo tested

      """
    #expect(await folder.call("-n", "e2e").output == start)
    _ = await folder.call("up", "-d", "web")
    let up = await folder.call("-n", "e2e")
    #expect(
      up.output == """
          1. web  service; ready by line 'up'; up
          2. e2e  after web
             $ echo tested

        """)
    let json = await folder.call("-n", "--json", "e2e")
    #expect(json.output.contains(#""starts":false"#), "\(json)")
    #expect(!json.output.contains("needs_of_service"), "\(json)")
    _ = await folder.call("down")
    #expect(await folder.call("-n", "e2e").output == start)
  }
}
