import Platform
import Testing

/// Corners of the command line that users have met.
@Suite struct CornerTests {
  @Test(arguments: ["", "new"])
  func initOnAFullDiskLeavesNothingBehind(_ name: String) async {
    let folder = Folder()
    // A limit on the size of files stands for the disk's; the first file is shorter than the others.
    let outcome = await shell(
      """
      mkdir in; cd in; ulimit -f 4; trap '' XFSZ
      raclette init \(name) 2>errors; echo $?; cat errors; rm errors; find .
      """,
      in: folder)
    #expect(outcome.lines.first == "1" && outcome.lines.last == ".", "\(outcome)")
    #expect(outcome.lines.count == 3 && outcome.lines[1].contains("rac.lua"), "\(outcome)")
  }

  @Test func checkFindsWhatCannotBeRead() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", env_file = "folder", run = function() end}
        rac.command{name = "b", cwd = "file", run = function() end}
        rac.command{name = "c", env_file = "bad.env", run = function() end}
        rac.command{name = "d", env_file = "good.env", cwd = "folder", run = function() end}
        """)
    folder.makeFolder("folder")
    folder.write("", to: "file")
    folder.write("A=1\noops\n", to: "bad.env")
    folder.write("A=1\n", to: "good.env")
    let outcome = await raclette("check", in: folder)
    #expect(outcome.status == 1)
    #expect(
      outcome.lines == [
        "commands.lua:1: 'a': env_file 'folder': is a directory",
        "commands.lua:3: 'c': bad.env:2: expected NAME=value",
      ], "\(outcome)")
    #expect(outcome.notes == ["commands.lua:2: 'b': cwd 'file': not a directory"], "\(outcome)")
  }

  @Test func oneIsNotPlural() async {
    let folder = Folder(commands: "rac.command{name = 'a', run = function() end}")
    let outcome = await raclette("check", in: folder)
    #expect(outcome.errors == "raclette: commands.lua: 1 command, no problems\n")
  }

  @Test func anEnvironmentFileMayHaveAByteOrderMark() async {
    let folder = Folder(
      commands:
        #"rac.command{name = "a", env_file = ".env", run = function() return rac.sh("echo $FIRST") end}"#
    )
    folder.write("\u{FEFF}FIRST=1\n", to: ".env")
    let outcome = await raclette("run", "a", in: folder)
    #expect(outcome.output == "1\n", "\(outcome)")
  }

  @Test(arguments: [
    (["--input", #"{"who":"a"}"#, "--who", "b"], "who"),
    (["--input", #"{"who":"a"}"#, "who=b"], "who"), (["--input", #"{"who":"a"}"#, "b"], "who"),
    (["b", "--who", "a"], "who"), (["--who=a", "who=b"], "who"),
    (["--loud", "--no-loud", "a"], "loud"),
    (["--input", "{}", "--input", "{}"], "input"),
  ])
  func aParameterIsGivenOnce(_ words: [String], _ name: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", params = {{name = "who"}, {name = "loud", type = "boolean"}},
          run = function(input) return input end}
        """)
    let launch = Launch(arguments: ["run", "a"] + words, folder: folder.path)
    let outcome = await onThread { Running(launch).finish() }
    #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("'\(name)' is given twice"), "\(outcome)")
  }

  @Test(arguments: [
    "while true do end", "rac.sleep(1000)", "io.open('pipe'):read('a')", "string.rep('a', 1e9)",
  ])
  func completionGivesUpInTime(_ code: String) async {
    let folder = Folder(commands: code)
    _ = folder.makePipe("pipe")
    let outcome = await raclette("complete", "--", "run", "", in: folder)
    #expect(outcome.output.isEmpty, "\(outcome)")
  }
}
