import Testing

@Suite("up-to-date commands that need services", .timeLimit(.minutes(5)))
struct UncountedServiceTests {
  private static let note =
    "commands.lua:2: 'e2e' needs the service 'web', but stays up to date when that changes: name the "
    + "files of 'web' in its 'watch' and in the 'sources' of 'e2e', or add a 'fingerprint'"

  @Test(
    "check notes them unless a file that the service watches is a source, or a fingerprint may count it",
    arguments: [
      ("", #"sources = "tests/*","#, [note]),
      (#"watch = "web/**","#, #"sources = "tests/*","#, [note]),
      (#"watch = "web/**","#, #"outputs = "report","#, [note]),
      (#"watch = "web/**","#, #"sources = {"tests/*", "web/*.js"},"#, []),
      (#"watch = "new/**","#, #"sources = {"{tests,new}/*", "new/**"},"#, []),
      ("", #"sources = "tests/*", fingerprint = function() return "web" end,"#, []),
      ("", #"sources = function() return "tests/*" end,"#, []),
      (#"watch = "web/**","#, "", []),
    ] as [(String, String, [String])])
  func check(service: String, fields: String, notes: [String]) async {
    let folder = Folder([
      "web/server.js": "", "tests/a": "", "new/later": "",
      "commands.lua": """
      rac.command{name = "web", service = true, \(service) run = "exec sleep 600", ready = {path = "x"}}
      rac.command{name = "e2e", needs = "web", \(fields) run = "true"}
      """,
    ])
    let outcome = notes.isEmpty ? "no problems" : "1 note"
    let run = await raclette("check", in: folder)
    #expect(run.notes == notes + ["commands.lua: 2 commands, \(outcome)"])
    #expect(run.status == 0)
  }

  @Test("check does not note one whose need makes a source")
  func built() async {
    let folder = Folder([
      "app.in": "",
      "commands.lua": """
      rac.command{name = "build", sources = "app.in", outputs = "dist/app.js", run = "true"}
      rac.command{name = "web", service = true, needs = "build", run = "exec sleep 600", ready = {path = "x"}}
      rac.command{name = "e2e", needs = {"build", "web"}, sources = {"app.in", "dist/**"}, run = "true"}
      """,
    ])
    let run = await raclette("check", in: folder)
    #expect(run.notes == ["commands.lua: 3 commands, no problems"], "\(run)")
  }
}
