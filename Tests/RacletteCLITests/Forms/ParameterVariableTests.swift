import Testing

@Suite("Parameters as variables", .timeLimit(.minutes(5)))
struct ParameterVariableTests {
  @Test("a boolean is true, empty for false, and not set without a value")
  func booleans() async {
    let folder = Folder(
      commands: #"""
        local params = {{name = "dry-run", type = "boolean"}, {name = "loud", type = "boolean", default = false}}
        rac.command{name = "line", params = params, run = 'echo "<${dry_run-unset}> <${loud-unset}> ${loud:+--loud}"'}
        rac.command{name = "words", params = params, run = {"sh", "-c", 'echo "<$loud>"'}}
        """#)
    #expect(await raclette("line", in: folder).output == "<unset> <> \n")
    #expect(
      await raclette("line", "--loud", "--no-dry-run", in: folder).output == "<> <true> --loud\n")
    #expect(await raclette("words", "--no-loud", in: folder).output == "<>\n")
  }
}
