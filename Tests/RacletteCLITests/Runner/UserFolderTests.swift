import Platform
import Testing

@Suite("the user's folder and the user's commands", .timeLimit(.minutes(5)))
struct UserFolderTests {
  private let folder = Folder([
    "commands.lua": """
    rac.command{name = "here", run = function() return rac.invocation_dir end}
    rac.command{name = "ls", cwd = rac.invocation_dir, run = function() return rac.sh("pwd; ls") end}
    """, "a/b/only": "", "script.lua": "print(rac.invocation_dir)",
  ])

  @Test("rac.invocation_dir is where the user is, whatever folder the program works in")
  func invocation() async {
    let inside = folder["a/b"]
    #expect(await raclette("run", "here", at: inside).output == inside + "\n")
    #expect(await raclette("run", "-C", "../..", "here", at: inside).output == inside + "\n")
    #expect(await raclette("run", "ls", at: inside).output == "\(inside)\nonly\n")
    #expect(await raclette("exec", "../../script.lua", at: inside).output == inside + "\n")
    let session = await raclette("repl", at: inside, input: "print(rac.invocation_dir)\n")
    #expect(session.output == inside + "\n")
  }

  @Test("rac.invocation_dir keeps bytes that are not UTF-8, and is absent in the sandbox")
  func bytes() async {
    let run = await shell(
      #"d=$(printf 'x\377'); mkdir "$d"; cd "$d"; raclette run here | od -An -c | tail -2"#,
      in: folder)
    #expect(run.output.contains(#"/   x 377  \n"#), "\(run)")
    let refused = await raclette("--sandbox", "-e", "print(rac.invocation_dir)", in: folder)
    #expect(refused.errors.contains("'rac.invocation_dir' is not available in the sandbox"))
  }

  @Test("a folder that is gone is nil")
  func gone() async {
    let run = await shell(
      #"mkdir gone; cd gone; rmdir ../gone; raclette -e 'print(rac.invocation_dir)'"#, in: folder)
    #expect(run.output == "nil\n", "\(run)")
  }

  private let home = Folder([
    "config/raclette/commands.lua": """
    rac.command{name = "mine", summary = "My own", run = function() return rac.sh("pwd") end}
    """, ".config/raclette/commands.lua": "rac.command{name = 'homely', run = print}",
    "project/commands.lua": "rac.command{name = 'theirs', run = print}",
  ])

  private func global(_ words: [String], _ variables: [String: String]) async -> Outcome {
    let launch = Launch(arguments: words, folder: home["project"], environment: variables)
    return await onThread { Running(launch).finish() }
  }

  @Test(
    "--global is the user's own command file, for every verb that has commands",
    arguments: [
      (["run", "--global", "mine"], "config/raclette\n"), (["-g", "mine"], "config/raclette\n"),
      (["-g", "run", "mine"], "config/raclette\n"),
      (["list", "-g"], "  mine  My own\n"),
      (["complete", "--", "run", "-g", "mi"], "mine\tMy own\n"),
      (["show", "-g", "--json", "mine"], #"{"name":"mine""#), (["check", "-g"], ""),
      (["repl", "-g"], ""), (["run", "-g", "-n", "mine"], "  1. mine\n"),
    ])
  func global(words: [String], output: String) async {
    let run = await global(words, ["XDG_CONFIG_HOME": home["config"]])
    #expect(run.output.contains(output), "\(run)")
    #expect(run.status == 0, "\(run)")
    #expect(!run.output.contains("theirs"))
  }

  @Test("--global finds ~/.config, and tells what is missing")
  func homes() async {
    let mine = await global(["list", "-g"], ["HOME": home.path, "XDG_CONFIG_HOME": ""])
    #expect(mine.output == "  homely\n")
    // The specification of these variables says to ignore relative paths.
    let relative = await global(
      ["list", "-g"], ["HOME": home.path, "XDG_CONFIG_HOME": "../config"])
    #expect(relative.output == "  homely\n", "\(relative)")
    let missing = await global(["list", "-g"], ["XDG_CONFIG_HOME": home["none"]])
    #expect(
      missing.errors
        == "raclette: error: cannot read \(home["none"])/raclette/commands.lua: no such file or "
        + "directory; 'raclette :init \(home["none"])/raclette' writes one\n")
    #expect(missing.status == 3)
    let homeless = await global(["list", "-g"], ["HOME": "", "XDG_CONFIG_HOME": ""])
    #expect(
      homeless.errors
        == "raclette: error: --global needs the variable XDG_CONFIG_HOME or HOME\n")
    let both = await global(["list", "-g", "-f", "commands.lua"], ["HOME": home.path])
    #expect(both.errors == "raclette: error: --file and --global exclude each other\n")
    #expect(both.status == 2)
  }
}
