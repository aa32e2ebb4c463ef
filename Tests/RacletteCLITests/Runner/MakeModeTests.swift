import Platform
import Testing

/// Under `make -n`, `-t` and `-q`, whose recipe lines with `+` are executed all the same.
@Suite("Raclette under a make that executes nothing", .timeLimit(.minutes(5)))
struct MakeModeTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "deploy", run = "touch deployed"}
      rac.command{name = "built", sources = {"in"}, outputs = {"out"}, run = "cp in out"}
      """)

  init() {
    folder.write("1", to: "in")
    folder.write("t/deploy\n", to: "plan")
    folder.write(
      """
      all:
      \t+@raclette $(ARGS)
      """, to: "Makefile")
  }

  private static let makes = ["make", "make-4.4"].filter {
    JobServerProgramTests.path(of: $0) != nil
  }
  private static let plan = "raclette: make -n: nothing is executed; this is the plan\n"

  private func isThere(_ name: String) -> Bool { access(folder[name], F_OK) == 0 }

  private func make(_ name: String, _ options: String, _ arguments: String) async
    -> Outcome
  {
    folder.makeFolder(".bin")
    if let path = JobServerProgramTests.path(of: name) { symlink(path, folder[".bin/\(name)"]) }
    return await shell("\(name) --no-print-directory \(options) ARGS='\(arguments)'", in: folder)
  }

  @Test(
    "prints the plan with -n, however it is written", arguments: makes,
    ["-n", "--dry-run", "--just-print", "--recon", "-kn", "-n -j2", "-n -Iinclude"])
  func dryRun(make name: String, options: String) async {
    let run = await make(name, options, "run deploy")
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("  1. deploy\n     $ touch deployed\n"), "\(run)")
    #expect(run.errors.hasSuffix(Self.plan), "\(run)")
    #expect(!isThere("deployed"))
    let short = await make(name, options, "deploy")
    #expect(short.errors.hasSuffix(Self.plan), "\(short)")
    #expect(!isThere("deployed"))
  }

  @Test(
    "executes where no option of make says otherwise", arguments: makes,
    ["", "-k", "-Inqt", "-j2", "--no-print-directory", "X=n", "-Onone"])
  func executes(make name: String, options: String) async {
    let run = await make(name, options, "deploy")
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(isThere("deployed"))
  }

  @Test("executes nothing with -t", arguments: makes)
  func touch(make name: String) async {
    let run = await make(name, "-t", "deploy")
    #expect(run.status == 0)
    #expect(run.errors == "raclette: make -t: nothing is executed\n", "\(run)")
    #expect(!isThere("deployed"))
  }

  @Test("answers -q by whether something would be executed", arguments: makes)
  func question(make name: String) async {
    let told = "raclette: make -q: nothing is executed; the status is 1 if something would be\n"
    let deploy = await make(name, "-q", "deploy")
    #expect(deploy.status == 1)
    #expect(deploy.errors == told, "\(deploy)")
    #expect(!isThere("deployed"))
    let before = await make(name, "-q", "built")
    #expect(before.status == 1 && !isThere("out"), "\(before)")
    _ = await shell("raclette built", in: folder)
    let after = await make(name, "-q", "built")
    #expect(after.status == 0)
    #expect(after.errors == told)
  }

  @Test(
    "executes no other subcommand either, but lets those that only show",
    arguments: ["batch plan", ":exec s.lua", "s.lua", "up", ":init new"])
  func others(arguments: String) async {
    folder.write("rac.sh('touch deployed'):wait()", to: "s.lua")
    let run = await make("make", "-n", arguments)
    #expect(run.status == 0)
    #expect(run.errors == "raclette: make -n: nothing is executed\n", "\(run)")
    #expect(!isThere("deployed") && !isThere("new"))
    let list = await make("make", "-n", "list")
    #expect(list.status == 0 && list.errors == "", "\(list)")
    #expect(list.output.contains("deploy"))
  }

  @Test("executes where MAKEFLAGS is left from somewhere else, and says so")
  func stale() async {
    let run = await shell("MAKEFLAGS=n raclette deploy", in: folder)
    #expect(run.status == 0)
    #expect(
      run.errors
        == "raclette: '-n' in MAKEFLAGS is ignored: this program was not started by make\n")
    #expect(isThere("deployed"))
  }
}
