import Testing

@Suite("batches of commands that execute one at a time", .timeLimit(.minutes(5)))
struct SerialEntriesTests {
  private let folder = Folder(
    commands: #"""
      local function command(name, concurrency)
        rac.command{name = name, concurrency = concurrency, params = {{name = "n"}}, run = "echo $n"}
      end
      command "default"
      command("one", 1)
      command("any", "unlimited")
      """#)

  private func plan(_ entries: [String]) -> String {
    entries.map { #"{"command": "\#($0)", "input": {"n": "1"}}"# + "\n" }.joined()
  }

  @Test("are noted once, if several jobs were asked for and nobody has chosen a limit")
  func noted() async {
    let several = plan(["default", "one", "any", "default", "one", "any", "default"])
    let run = await raclette("batch", "-j", "3", "-", in: folder, input: several)
    #expect(
      run.errorLines.first == """
        raclette: the entries of 'default' are executed one at a time; concurrency = "unlimited" in its \
        definition lets them use all 3 jobs
        """)
    #expect(run.errorLines.filter { $0.contains("one at a time") }.count == 1, "\(run)")
  }

  @Test(
    "are not noted otherwise",
    arguments: [
      (["-j", "3"], ["default", "one", "any", "one"]), (["-j", "1"], ["default", "default"]),
      ([], ["default", "default"]), (["-q", "-j", "3"], ["default", "default"]),
    ])
  func silent(options: [String], entries: [String]) async {
    let launch = Launch(
      arguments: ["batch"] + options + ["-"], folder: folder.path, input: .text(plan(entries)))
    let run = await onThread { Running(launch).finish() }
    #expect(run.status == 0 && !run.errors.contains("one at a time"), "\(run)")
  }
}
