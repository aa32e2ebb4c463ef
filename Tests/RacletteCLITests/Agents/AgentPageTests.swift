import Platform
import Testing

/// The page that tells agents how to use the commands of a project.
@Suite("raclette init --agent", .timeLimit(.minutes(5)))
struct AgentPageTests {
  private static func text(_ folder: Folder) -> String {
    String(decoding: fileContent(folder["AGENTS.md"]) ?? [], as: UTF8.self)
  }

  @Test("writes the commands that there are, and replaces its part only")
  func write() async {
    let folder = Folder(
      commands: """
        print("loading")
        rac.command{name = "build", summary = "Build it", params = {{name = "target"}}, run = "echo"}
        rac.command{name = "deploy", confirm = "Really?", run = "echo"}
        rac.command{name = "db", service = true, ready = {line = "x"}, run = "echo"}
        rac.command{name = "_own", run = "echo"}
        """)
    folder.makeFolder("below")
    let first = await raclette("init", "--agent", at: folder["below"])
    #expect(first.errors == "raclette: wrote AGENTS.md\n")
    #expect(first.status == 0)
    let page = Self.text(folder)
    #expect(page.hasPrefix("<!-- Begin of what 'raclette init --agent' writes. -->\n# Commands\n"))
    #expect(
      page.hasSuffix(
        """
        Ask the user before calling these, then call them with `--yes`: `deploy`.

        These are services, which commands that need them start and share: `db`. `raclette :up -d NAME` \
        brings one up, `raclette :logs NAME` shows what it prints, `raclette :down` ends them.

        - `build [target]`: Build it
        - `deploy`
        - `db`
        <!-- End of what 'raclette init --agent' writes. -->

        """), "\(page)")
    #expect(page.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 60)
    let again = await raclette("init", "--agent", in: folder)
    #expect(again.errors == "raclette: AGENTS.md has the commands that there are\n")
    folder.write("# Mine\n\n\(page)\nThe rest.\n", to: "AGENTS.md")
    folder.write("rac.command{name = 'test', run = 'echo'}", to: "commands.lua")
    let changed = await raclette("init", "--agent", in: folder)
    #expect(changed.errors == "raclette: wrote the commands into AGENTS.md\n")
    let new = Self.text(folder)
    #expect(new.hasPrefix("# Mine\n\n<!-- Begin"))
    #expect(
      new.hasSuffix(
        "\n- `test`\n<!-- End of what 'raclette init --agent' writes. -->\n\nThe rest.\n"),
      "\(new)")
    folder.write("# Mine\n", to: "AGENTS.md")
    _ = await raclette("init", "--agent", in: folder)
    #expect(Self.text(folder).hasPrefix("# Mine\n\n<!-- Begin"))
  }

  @Test("takes at most 60 lines for any number of commands")
  func long() async {
    let folder = Folder(
      commands: """
        for i = 1, 500 do rac.command{name = "c" .. i, run = "echo", confirm = "?"} end
        """)
    let run = await raclette("init", "--agent", in: folder)
    #expect(run.status == 0)
    let lines = Self.text(folder).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count - 1 == 60)
    #expect(lines.suffix(3).first?.hasPrefix("- … and ") == true)
    #expect(Self.text(folder).contains("`c12` and 488 more."))
  }

  @Test("needs a command file")
  func noCommandFile() async {
    let folder = Folder()
    let run = await raclette("init", "--agent", in: folder)
    #expect(
      run.errors
        == "raclette: error: no commands.lua here or in a folder above; 'raclette init' writes one, "
        + "-f FILE names another\n")
    #expect(run.status == 3)
    #expect(!Folder.isThere(folder["AGENTS.md"]))
  }
}
