import Testing

@Suite("errors of started work", .timeLimit(.minutes(5)))
struct UnreceivedErrorTests {
  /// What commands that are not executed hold.
  private let folder = Folder(
    commands: """
      local version = rac.start_eagerly(function(s) s:send_error("no tags") end)
      local docker = rac.start_eagerly(function(s) s:send_error("no docker") end)
        :catch_to(rac.just(false))
      rac.command{name = "version", run = function() return version:first() end}
      rac.command{name = "image", enabled = docker, run = print}
      rac.command{name = "other", run = function() return "done" end}
      rac.command{name = "lost", run = function()
        rac.start_eagerly(function(s) error("lost", 0) end)
      end}
      """)

  @Test(
    "does not concern other commands",
    arguments: ["run other", "list", "run version --help"])
  func others(call: String) async {
    let run = await shell("raclette \(call)", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(run.errors == "")
  }

  @Test("fails the command that receives it")
  func receiver() async {
    let run = await raclette("run", "version", in: folder)
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("no tags"), "\(run)")
  }

  @Test("fails the run of a command that has dropped its signal")
  func dropped() async {
    let run = await raclette("run", "lost", in: folder)
    #expect(run.status == 1, "\(run)")
    #expect(run.errors == "raclette: error: lost\n")
  }

  @Test(
    "fails a script that holds its signal to the end, and the entry of a batch",
    arguments: ["exec script.lua", "batch script.lua"])
  func held(call: String) async {
    let folder = Folder(["script.lua": "kept = rac.start_eagerly(function() error('lost', 0) end)"])
    let run = await shell("raclette \(call)", in: folder)
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("lost"), "\(run)")
  }
}
