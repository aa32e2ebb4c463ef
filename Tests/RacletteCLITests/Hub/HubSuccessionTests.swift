import Platform
import Testing

/// What is left of a hub that was killed, and a folder that was copied while its hub ran.
@Suite("the successor of a hub", .timeLimit(.minutes(5)))
struct HubSuccessionTests {
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "accepting"},
      run = "exec 3<>lives; sleep 600 & echo accepting; wait"}
    rac.command{name = "test", needs = "db", run = "echo tested"}
    rac.command{name = "sleep", concurrency = "unlimited",
      run = "exec 3<>lives; sleep 600 & echo up; wait"}
    """#

  /// A folder whose hub holds the service, and what tells whether its processes live.
  private static func held() async -> (folder: HubFolder, lives: Lives) {
    let folder = HubFolder(commands: commands)
    let lives = Lives(folder.folder.makePipe("lives"))
    _ = await folder.call("up", "-d", "db")
    return (folder, lives)
  }

  private static func killHub(_ folder: HubFolder) async {
    kill(folder.process, SIGKILL)
    await onThread { folder.waitForEndOfHub() }
  }

  /// A message with the numbers of process groups replaced.
  private static func plain(_ text: String) -> String {
    text.replacing(/process groups? [\d, ]+/, with: "process group N")
  }

  private static let ended = "raclette: ended what a killed hub had left running: process group N\n"
  private static let again =
    "raclette: db is brought up again: the hub that held it was killed\n"

  @Test("a copy of a folder whose hub runs leaves the processes of the original alone")
  func copy() async {
    let (folder, _) = await Self.held()
    let copy = HubFolder(commands: Self.commands)
    spawnAndWait(["/bin/cp", "-a", folder.path + "/.raclette", copy.path])
    let listed = await copy.call("ps")
    #expect(
      listed.errors == "raclette: nothing is running for \(copy.path)/commands.lua\n", "\(listed)")
    let started = await copy.call("run", "-d", "test")
    #expect(started.output == "1\n", "\(started)")
    #expect(started.errors == "")
    let original = await folder.call("ps")
    #expect(original.lines.count == 2, "\(original)")
    #expect(original.lines.last?.hasPrefix("db       ready  ") == true, "\(original)")
    #expect(folder.process != copy.process)
  }

  @Test("ps ends what a killed hub has left, and lists what is held again and what was lost")
  func list() async {
    let (folder, lives) = await Self.held()
    _ = await folder.call("run", "-d", "sleep")
    await Self.killHub(folder)
    #expect(!lives.areOver)
    let listed = await folder.call("ps")
    #expect(Self.plain(listed.errors) == Self.ended + Self.again, "\(listed)")
    #expect(listed.lines.count == 4, "\(listed)")
    #expect(listed.lines.contains { $0.hasPrefix("db       ") }, "\(listed)")
    #expect(listed.lines.last?.hasPrefix("1       sleep    lost   ") == true, "\(listed)")
    #expect(listed.status == 0)
    let attached = await folder.call("attach", "1")
    #expect(
      attached.errors == "raclette: error: sleep: it was lost with the hub that was killed\n",
      "\(attached)")
    #expect(attached.status == 1)
    let cancelled = await folder.call("cancel", "1")
    #expect(cancelled.errors == "raclette: error: execution 1 has ended\n", "\(cancelled)")
    #expect(cancelled.status == 1)
    let next = await folder.call("run", "-d", "sleep")
    #expect(next.output == "2\n", "\(next)")
  }

  @Test("ends what has left its process group, but not if the hub has ended as it should")
  func sessions() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "db", service = true, ready = {line = "accepting"},
          run = "test -e last && echo accepting && exec sleep 600; "
            .. "setsid sh -c 'exec 3<>lives; echo $$ >leader; echo accepting; exec sleep 600' & "
            .. "exec sleep 600"}
        rac.command{name = "next", run = "true"}
        """#)
    let lives = Lives(folder.folder.makePipe("lives"))
    _ = await folder.call("up", "-d")
    _ = await folder.call("down")
    await onThread { folder.waitForEndOfHub() }
    let next = await folder.call("run", "-d", "next")
    #expect(next.errors == "", "\(next)")
    #expect(!lives.areOver)
    let leader = (fileContent(folder.path + "/leader") ?? []).prefix { $0 != 10 }
    kill(Int32(String(decoding: leader, as: UTF8.self)) ?? .max, SIGKILL)
    await onThread { lives.waitForEnd() }
    _ = await folder.call("up", "-d")
    #expect(!lives.areOver)
    folder.folder.write("", to: "last")
    await Self.killHub(folder)
    #expect(!lives.areOver)
    let listed = await folder.call("ps")
    #expect(Self.plain(listed.errors) == Self.ended + Self.again, "\(listed)")
    #expect(lives.areOver)
  }

  @Test("down after a kill ends what is left and what is held again")
  func down() async {
    let (folder, lives) = await Self.held()
    await Self.killHub(folder)
    let down = await folder.call("down")
    #expect(
      Self.plain(down.errors) == Self.ended + Self.again + "raclette: db has ended\n", "\(down)")
    #expect(down.status == 0)
    #expect(lives.areOver)
    await Self.killHub(folder)
    let again = await folder.call("down")
    #expect(
      again.errors == "raclette: no service is up for \(folder.path)/commands.lua\n", "\(again)")
    #expect(again.status == 0)
  }

  @Test(
    "restart, logs and up find what a killed hub has left", arguments: ["restart", "logs", "up"])
  func others(_ verb: String) async {
    let (folder, _) = await Self.held()
    await Self.killHub(folder)
    let arguments = verb == "up" ? ["up", "-d", "db"] : [verb, "db"]
    let launch = Launch(
      arguments: arguments, folder: folder.path, environment: folder.environment)
    let outcome = await onThread { Running(launch).finish() }
    #expect(Self.plain(outcome.errors).hasPrefix(Self.ended + Self.again), "\(outcome)")
    #expect(outcome.status == 0)
    let down = await folder.call("down", "db")
    #expect(down.errors == "raclette: db has ended\n", "\(down)")
  }

  @Test("ps and down find what is left although the command file does not load")
  func broken() async {
    let (folder, lives) = await Self.held()
    folder.folder.write("rac.command{name = ", to: "commands.lua")
    await Self.killHub(folder)
    let listed = await folder.call("ps")
    let problem = "\(folder.path)/commands.lua:1: unexpected symbol near <eof>"
    let awaited = "db is brought up again once the command file loads"
    #expect(
      Self.plain(listed.errors) == """
        \(Self.ended)raclette: \(awaited): \(problem)
        raclette: the command file does not load: \(problem)

        """, "\(listed)")
    #expect(
      listed.output == """
        SERVICE  STATE  UPTIME  PID  PORTS  USERS  RESTARTS  LAST PROBE
        db       down   -       -    -      0      0         it is brought up again once the command \
        file loads

        """)
    #expect(lives.areOver)
    let restarted = await folder.call("restart", "db")
    #expect(restarted.errors == "raclette: error: 'db' cannot be started: \(problem)\n")
    // It is taken over from one hub to the next.
    await Self.killHub(folder)
    let down = await folder.call("down", "db")
    #expect(
      down.errors == "raclette: \(awaited): \(problem)\nraclette: db has ended\n", "\(down)")
    #expect(await folder.call("down").status == 0)
  }

  @Test("what was held comes back once the command file loads")
  func mended() async {
    let (folder, _) = await Self.held()
    folder.folder.write("rac.command{name = ", to: "commands.lua")
    await Self.killHub(folder)
    _ = await folder.call("ps")
    folder.folder.write(Self.commands, to: "commands.lua")
    // Readiness is what it waits for.
    let restarted = await folder.call("restart", "db")
    #expect(restarted.errors == "raclette: db has restarted\n", "\(restarted)")
    let listed = await folder.call("ps")
    #expect(listed.lines.last?.hasPrefix("db       ready  ") == true, "\(listed)")
    #expect(await folder.call("down").errors == "raclette: db has ended\n")
  }

  @Test("what was held and is not a service any more is told")
  func gone() async {
    let (folder, lives) = await Self.held()
    await Self.killHub(folder)
    folder.folder.write(#"rac.command{name = "line", run = "true"}"#, to: "commands.lua")
    let listed = await folder.call("ps")
    #expect(
      Self.plain(listed.errors) == Self.ended
        + "raclette: db is no longer held: the command file has no such service\n"
        + "raclette: nothing is running for \(folder.path)/commands.lua\n", "\(listed)")
    #expect(lives.areOver)
  }

  @Test("a hub that a signal has ended leaves nothing that runs to a successor")
  func terminated() async {
    let (folder, lives) = await Self.held()
    kill(folder.process, SIGTERM)
    await onThread { folder.waitForEndOfHub() }
    #expect(lives.areOver)
    let listed = await folder.call("ps")
    #expect(
      listed.errors == "raclette: nothing is running for \(folder.path)/commands.lua\n",
      "\(listed)")
  }
}
