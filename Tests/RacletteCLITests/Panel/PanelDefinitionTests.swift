import Testing

/// What a definition says about the panel, and what is wrong with it.
@Suite("the panel in definitions", .timeLimit(.minutes(5)))
struct PanelDefinitionTests {
  @Test("the fixed input is checked when the file loads")
  func fixedInput() async {
    for (panel, problem) in [
      (
        "{pin = true, input = {target = 'fast'}}",
        "field 'panel.input': parameter 'target' cannot be 'fast'; it is one of debug, release"
      ),
      (
        "{refresh = true, input = {target = 'debug', n = 'x'}}",
        "field 'panel.input': parameter 'n' takes an integer, got 'x'"
      ),
      ("{pin = true, input = {targt = 'debug'}}", "field 'panel.input': unknown parameter 'targt'"),
      ("{pin = true}", "field 'panel' without 'input': parameter 'target' is required"),
      (
        "{pin = true, input = {target = 'debug', pass = {}}}",
        "field 'panel.input': parameter 'pass'"
      ),
    ] {
      let folder = Folder(
        commands: """

          rac.command{name = "build", secrets = {"pass"}, panel = \(panel), run = print, params = {
            {name = "target", choices = {"debug", "release"}, required = true},
            {name = "n", type = "integer"}, {name = "pass"}}}
          """)
      let check = await raclette("check", in: folder)
      #expect(check.status == 3 && check.output.contains(problem), "\(check)")
      #expect(check.output.hasPrefix("commands.lua:2: "), "\(check)")
      let list = await raclette("panel", "--listen", ":0", in: folder)
      #expect(list.status == 3 && list.errors.contains(problem), "\(list)")
    }
  }

  @Test("a fixed input that fits is taken")
  func fitting() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", panel = {pin = true}, run = "true"}
        rac.command{name = "b", panel = {refresh = true, input = {n = 2}}, run = "true",
          params = {{name = "n", type = "integer", required = true}}}
        rac.command{name = "c", panel = {pin = true, input = "any"}, run = print}
        """)
    let check = await raclette("check", in: folder)
    #expect(check.status == 0, "\(check)")
  }
}
