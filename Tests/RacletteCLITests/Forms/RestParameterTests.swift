import Testing

@Suite("a parameter that takes the rest", .timeLimit(.minutes(5)))
struct RestParameterTests {
  private let folder = Folder(
    commands: #"""
      local params = {{name = "target", default = "dev"}, {name = "fast", type = "boolean"},
        {name = "args", rest = true, help = "for the test runner"}}
      rac.command{name = "lua", params = params, run = function(input) return input end}
      rac.command{name = "words", params = params, run = {"printf", "<%s>\n", "a"}}
      rac.command{name = "line", params = params, run = 'printf "<%s>\n" "$target" "$@"'}
      rac.command{name = "joined", params = params, run = 'printf "<%s>" "$args" $args'}
      rac.command{name = "numbers", params = {{name = "n", type = "integer", rest = true, required = true}},
        run = function(input) return #input.n .. " " .. math.type(input.n[1]) end}
      rac.command{name = "suite", params = {{name = "suite", required = true}, {name = "args", rest = true}},
        run = 'printf "<%s>\\n" "$suite" "$@"'}
      rac.command{name = "user", needs = {{"lua", args = {"-v", "x y"}}}, run = "echo used"}
      """#)

  private func run(_ words: String...) async -> Outcome {
    await onThread { [folder] in
      Running(Launch(arguments: words, folder: folder.path)).finish()
    }
  }

  @Test(
    "takes all words from the first that no other takes",
    arguments: [
      ([], #"{"args":[],"target":"dev"}"#),
      (["-x", "-k", "foo"], #"{"args":["-x","-k","foo"],"target":"dev"}"#),
      (["prod", "true", "-x"], #"{"args":["-x"],"fast":true,"target":"prod"}"#),
      (
        ["--fast", "prod", "--unknown=1", "--target", "x"],
        #"{"args":["--unknown=1","--target","x"],"fast":true,"target":"prod"}"#
      ),
      (["--", "a", "--", "--fast"], #"{"args":["a","--","--fast"],"target":"dev"}"#),
      (["--target=x", "--", "--help"], #"{"args":["--help"],"target":"x"}"#),
      (
        ["prod", "--no-fast", "-n", "--dry-run", "--json"],
        #"{"args":["-n","--dry-run","--json"],"fast":false,"target":"prod"}"#
      ),
      (["-x", "--help"], #"{"args":["-x","--help"],"target":"dev"}"#),
      (["--input", #"{"args": ["a", "b"], "target": "t"}"#], #"{"args":["a","b"],"target":"t"}"#),
      (["a", "yes", "k=v", ""], #"{"args":["k=v",""],"fast":true,"target":"a"}"#),
    ] as [([String], String)])
  func takes(words: [String], json: String) async {
    for form in [["run", "lua"], ["lua"]] {
      let run = await onThread { [folder] in
        Running(Launch(arguments: form + words, folder: folder.path)).finish()
      }
      #expect(run.output == json + "\n", "\(run)")
    }
  }

  @Test("reaches a program at its end and a line as its arguments")
  func reaches() async {
    #expect(await run("words", "-x", "b c").lines == ["<a>", "<-x>", "<b c>"])
    #expect(await run("line", "prod", "no", "$(id)", "'").lines == ["<prod>", "<$(id)>", "<'>"])
    #expect(await run("line").lines == ["<dev>"])
    let echo = await run("-v", "words", "-x", "b c")
    #expect(echo.errors.contains("$ printf "))
    #expect(echo.errors.contains(" a -x 'b c'\n"))
  }

  @Test("is a variable with all words")
  func joined() async {
    #expect(await run("joined", "a").output == "<>")
    #expect(await run("joined", "a", "yes", "b c", "d").output == "<b c d><b><c><d>")
    let large = String(repeating: "x", count: 60_000)
    #expect(await run("joined", "a", "yes", large, large).output == "<>")
  }

  @Test("is checked like any other")
  func checked() async {
    #expect(await run("numbers", "1", "-2").output == "2 integer\n")
    #expect(
      await run("numbers", "1", "x").errors
        == "raclette: error: numbers: parameter 'n' takes an integer, got 'x'\n")
    #expect(
      await run("numbers").errors == "raclette: error: numbers: parameter 'n' is required\n")
    #expect(
      await run("lua", "--input", #"{"args": "x"}"#).errors
        == "raclette: error: lua: parameter 'args' takes a list, got 'x'\n")
  }

  @Test(
    "says which words it has taken where another parameter is missing",
    arguments: [
      (["--", "unit", "-x"], "; the words after -- belong to 'args'"),
      (["-x", "unit"], "; the words from '-x' on belong to 'args'"), ([], ""),
    ])
  func missing(words: [String], hint: String) async {
    let run = await onThread { [folder] in
      Running(Launch(arguments: ["suite"] + words, folder: folder.path)).finish()
    }
    #expect(
      run.errors == "raclette: error: suite: parameter 'suite' is required\(hint)\n", "\(run)")
    #expect(run.status == 2)
  }

  @Test("is part of an input that another command needs")
  func needed() async {
    let plan = await run("run", "-n", "user")
    #expect(plan.lines.first == "  1. lua target=dev -v 'x y'")
    #expect(await run("user").lines == [#"{"args":["-v","x y"],"target":"dev"}"#, "used"])
  }

  @Test("shows in the list and in the help")
  func help() async {
    #expect(await run("list").lines.first == "  lua [target] [fast] [args...]")
    for form in [["run", "lua", "--help"], ["lua", "-h"], ["lua", "prod", "--help"]] {
      let help = await onThread { [folder] in
        Running(Launch(arguments: form, folder: folder.path)).finish()
      }
      #expect(
        help.lines.last == "  args...          for the test runner (the rest, options included)")
    }
    #expect(
      await run("show", "--json", "lua").output.contains(
        #""name":"args","type":"string","required":false,"rest":true"#))
  }

  @Test(
    "completes files once it has begun",
    arguments: [
      (["run", "lua", "--"], ["--target", "--fast", "--help"]),
      (["run", "lua", "-x", "--"], [":files"]), (["lua", "-x", ""], [":files"]),
      (["lu"], ["lua"]), (["lua", "--ta"], ["--target"]),
    ])
  func completion(words: [String], expected: [String]) async {
    let launch = Launch(arguments: ["complete", "--"] + words, folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    #expect(run.lines.map { String($0.prefix { $0 != "\t" }) } == expected)
  }

  @Test("is the last one, and its default is a list")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = print, params = {{name = "x", rest = true}, {name = "y"}}}
        rac.command{name = "b", run = print, params = {{name = "x", rest = true, default = "z"}}}
        rac.command{name = "c", run = print, params = {{name = "x", rst = true}}}
        """)
    #expect(
      await raclette("check", in: folder).lines == [
        "commands.lua:1: parameter 'x' takes the rest and must be the last one",
        #"commands.lua:2: parameter 'x' takes the rest: its default is a list, such as {"--verbose", "all"}"#,
        "commands.lua:3: params[1] has an unknown key 'rst'; did you mean 'rest'?",
      ])
  }
}
