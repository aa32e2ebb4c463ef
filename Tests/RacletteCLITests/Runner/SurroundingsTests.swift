import Testing

@Suite("folder, variables and secrets of a command", .timeLimit(.minutes(1)))
struct SurroundingsTests {
  private let show = #"run = function() return rac.sh("echo $A,$B,$C; pwd") end"#

  @Test("cwd is relative to the file, and a process's own to that")
  func folders() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "c", cwd = "a", run = function() return rac.exec{"pwd", cwd = "b"} end}
      """, "a/b/x": "",
    ])
    #expect(await raclette("run", "c", in: folder).output == folder["a/b"] + "\n")
  }

  @Test("env overrides the environment, which overrides env_file")
  func variables() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "c", env = {A = "env"}, env_file = ".env", \(show)}
      """,
      ".env": """
      # defaults
      A=file
      export B="two \\"words\\"" # quoted
      C='it $is' 
      """,
    ])
    let run = await raclette("run", "c", in: folder)
    #expect(run.lines.first == #"env,two "words",it $is"#)
    let set = await raclette("run", "c", in: folder, environment: ["B": "outer"])
    #expect(set.lines.first == "env,outer,it $is")
  }

  @Test(
    "an env_file that is missing or wrong is told with its place",
    arguments: [
      (nil, "env_file '.env': no such file or directory"),
      ("A=1\nB", ".env:2: expected NAME=value"), ("1A=x", ".env:1: '1A' is no name of a variable"),
      ("A=\"x", ".env:1: the quote \" is not closed"),
    ])
  func wrongFile(text: String?, message: String) async {
    let folder = Folder(commands: "rac.command{name = 'c', env_file = '.env', \(show)}")
    if let text { folder.write(text, to: ".env") }
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == "raclette: error: c: \(message)\n")
    #expect(run.status == 2)
  }

  private let secretive = Folder([
    "commands.lua": """
    rac.command{
      name = "c", secrets = {"TOKEN", "pass"}, env_file = ".env", params = {{name = "pass"}},
      run = function(input, emit)
        emit("value " .. input.pass) emit({t = input.pass})
        rac.log.warn("log " .. input.pass)
        return rac.sh("printf 'half%s' $TOKEN | cut -c 1-9; printf '%s' $TOKEN >&2; echo >&2; exit 1",
          {stderr = "inherit"})
      end}
    rac.command{name = "raise", secrets = {"TOKEN"}, run = function() error(rac.env.TOKEN) end}
    """, ".env": "TOKEN=s3cr\"et",
  ])

  @Test("secrets are masked in values, messages, logs and events", arguments: [[], ["--json"]])
  func secrets(options: [String]) async {
    for mode in ["interleave", "prefix", "group"] {
      let launch = Launch(
        arguments: ["run", "-o", mode] + options + ["c", "hunter2"], folder: secretive.path)
      let run = await onThread { Running(launch).finish() }
      #expect(!run.output.contains("hunter2") && !run.errors.contains("hunter2"))
      #expect(!run.output.contains("s3cr\"et") && !run.errors.contains("s3cr\"et"))
      #expect(!run.output.contains("s3cr\\\"et"))
      #expect(run.output.contains("***"))
    }
  }

  @Test("a secret of the environment is masked in messages")
  func message() async {
    let run = await raclette("run", "raise", in: secretive, environment: ["TOKEN": "s3cret"])
    #expect(run.errors == "raclette: error: raise: commands.lua:9: ***\n")
  }

  @Test("a command's input is checked from Lua too, and completed")
  func inputFromLua() async {
    let folder = Folder(
      commands: """
        local typed = rac.command{name = "typed",
          params = {{name = "n", type = "integer", required = true}, {name = "s", default = "x"}},
          run = function(input) return input.n .. input.s end}
        rac.command{name = "good", run = function() return typed:execute{n = 1} end}
        rac.command{name = "bad", run = function() return typed:execute{n = "one"} end}
        rac.command{name = "kind", run = function()
          local ok, e = pcall(function() typed:execute{m = 1}:wait() end)
          return e.kind .. ": " .. e.message
        end}
        """)
    #expect(await raclette("run", "good", in: folder).output == "1x\n")
    let bad = await raclette("run", "bad", in: folder)
    #expect(bad.errors.hasSuffix("parameter 'n' takes an integer, got 'one'\n"))
    #expect(bad.status == 2)
    #expect(
      await raclette("run", "kind", in: folder).output
        == "input: unknown parameter 'm'; did you mean 'n'?\n")
  }

  @Test(
    "booleans are turned on and off in every usual way",
    arguments: [
      (["--a"], true), (["--no-a"], false), (["--a=false"], false), (["--a", "false"], false),
      (["--a", "yes"], true), (["a=no"], false),
    ])
  func booleans(words: [String], value: Bool) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", params = {{name = "a", type = "boolean"}}, run = function(i) return i.a end}
        """)
    let launch = Launch(arguments: ["run", "c"] + words, folder: folder.path)
    #expect(await onThread { Running(launch).finish() }.output == "\(value)\n")
  }

  @Test("an option of the runner behind the command is told where it belongs; nan is no number")
  func misplaced() async {
    let folder = Folder(
      commands: "rac.command{name = 'c', params = {{name = 'n', type = 'number'}}, run = print}")
    let run = await raclette("run", "c", "--jobs", "2", in: folder)
    #expect(run.errors.hasSuffix("; raclette's own '--jobs' goes before the command\n"))
    #expect(run.status == 2)
    #expect(await raclette("run", "c", "nan", in: folder).status == 2)
    #expect(await raclette("run", "c", "-h", in: folder).output.hasPrefix("c\n\nUsage:"))
  }
}
