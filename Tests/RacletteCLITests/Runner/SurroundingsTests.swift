import Platform
import Testing

@Suite("folder, variables and secrets of a command", .timeLimit(.minutes(5)))
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
      ("A=1\nB", ".env:2: expected NAME=value"),
      ("1A=x", ".env:1: '1A' is not the name of a variable"),
      ("A=\"x", ".env:1: the quote \" is not closed"),
    ])
  func wrongFile(text: String?, message: String) async {
    let folder = Folder(commands: "rac.command{name = 'c', env_file = '.env', \(show)}")
    if let text { folder.write(text, to: ".env") }
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == "raclette: error: c: \(message)\n")
    #expect(run.status == 2)
  }

  @Test("an env_file of many commands that is wrong is reported once")
  func wrongFileOfMany() async {
    let folder = Folder([
      "commands.lua": """
      rac.defaults{env_file = ".env"}
      rac.command{name = "a", run = "echo a"}
      rac.command{name = "b", run = "echo b"}
      rac.command{name = "c", needs = {"a", "b"}, run = "echo c"}
      """,
      ".env": "1A=x\n",
    ])
    let run = await raclette("c", in: folder)
    #expect(run.output.isEmpty)
    #expect(run.errors == "raclette: error: a: .env:1: '1A' is not the name of a variable\n")
    #expect(run.status == 2)
    let check = await raclette(":check", in: folder)
    #expect(check.output == "commands.lua:2: 'a': .env:1: '1A' is not the name of a variable\n")
    #expect(check.status == 1)
  }

  @Test("rac.which looks in the PATH of the command")
  func which() async {
    let folder = Folder([
      "commands.lua": """
      local path = "bin:" .. rac.env.PATH
      rac.command{name = "c", env = {PATH = path}, enabled = function() return rac.which("lint") ~= nil end,
        run = function() return rac.which("lint") .. " " .. rac.exec{"lint"}:first() end}
      rac.command{name = "d", run = function() return tostring(rac.which("lint")) end}
      """, "bin/lint": "#!/bin/sh\necho linted\n",
    ])
    chmod(folder["bin/lint"], 0o755)
    #expect(await raclette("c", in: folder).output == "bin/lint linted\n")
    #expect(await raclette("d", in: folder).output == "nil\n")
  }

  @Test("--env-file sets what the environment has not, from where the user stands")
  func fileOfTheCall() async {
    let folder = Folder([
      "commands.lua": "rac.command{name = 'c', env_file = '.env', \(show)}",
      ".env": "A=default\nC=file\n",
      "sub/one.env": "A=one\nB=one\n", "sub/two.env": "B=two ${A:-none}\n",
    ])
    let run = await raclette(
      "-C", "sub", "--env-file", "one.env", "run", "--env-file=two.env", "c", in: folder)
    #expect(run.lines.first == "default,two none,file")
    let both = await raclette(
      "-C", "sub", "run", "--env-file", "one.env", "--env-file", "two.env", "c", in: folder,
      environment: ["C": "outer"])
    #expect(both.lines.first == "one,two one,outer")
    let code = await raclette(
      "--env-file", "sub/one.env", "exec", "-e", "print(rac.env.B)", in: folder)
    #expect(code.output == "one\n")
  }

  @Test("an --env-file that is missing or wrong ends the call before anything is executed")
  func wrongFileOfTheCall() async {
    let folder = Folder(commands: "rac.command{name = 'c', \(show)}")
    let missing = await raclette("--env-file", "no.env", "run", "c", in: folder)
    #expect(missing.errors == "raclette: error: --env-file 'no.env': no such file or directory\n")
    #expect(missing.status == 2)
    folder.write("A=1\nB", to: "bad.env")
    let wrong = await raclette("--env-file", "bad.env", "run", "c", in: folder)
    #expect(wrong.errors == "raclette: error: bad.env:2: expected NAME=value\n")
    #expect(wrong.status == 2)
  }

  @Test(
    "later files refer to earlier ones and to the environment, and optional ones may be missing")
  func severalFiles() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "c", secrets = {"C"},
        env_file = {".env", {".env.none", optional = true}, {".env.local", optional = true}}, \(show)}
      """,
      ".env": "A=one\nB=${A} two\n", ".env.local": "A=local\nC=\"$A, $B\"\n",
    ])
    #expect(await raclette("run", "c", in: folder).lines.first == "local,one two,***")
    let set = await raclette("run", "c", in: folder, environment: ["A": "outer"])
    #expect(set.lines.first == "outer,outer two,***")
    folder.remove(".env")
    let missing = await raclette("run", "c", in: folder)
    #expect(missing.errors == "raclette: error: c: env_file '.env': no such file or directory\n")
    folder.write("", to: ".env")
    folder.write("\nC=${NONE}", to: ".env.local")
    #expect(
      await raclette("check", in: folder).errors
        == "raclette: commands.lua:1: 'c': .env.local:2: the variable 'NONE' is not set; write "
        + "${NONE:-} for an empty value, or \\$ for a dollar sign\n"
        + "raclette: commands.lua: 1 command, 1 note\n")
  }

  @Test(
    "an env_file of another form is told with its place",
    arguments: [
      ("{1}", "env_file[1] must be a path, got number"),
      ("true", "field 'env_file' must be a path, got boolean"),
      (
        "{'.env', optional = true}",
        "field 'env_file': an optional file is a table in the list: {{\"path\", optional = true}}"
      ),
      (
        "{{'.env', optinal = true}}", "env_file[1]: unknown key 'optinal'; did you mean 'optional'?"
      ),
      (
        "{{optional = true}}",
        "env_file[1] must be a path, or a table such as {\".env.local\", optional = true}"
      ),
      ("{{'.env', optional = 1}}", "env_file[1]: 'optional' must be a boolean, got number"),
    ])
  func wrongForm(field: String, message: String) async {
    let folder = Folder(commands: "rac.command{name = 'c', env_file = \(field), \(show)}")
    #expect(await raclette("check", in: folder).output.contains("commands.lua:1: \(message)\n"))
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

  @Test(
    "a secret that arrives in two pieces is masked too",
    arguments: ["interleave", "group", "prefix", "quiet"])
  func cutSecret(mode: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", secrets = {"TOKEN"}, run = function()
          return rac.sh("printf 'hunt' >&2; sleep 0.05; echo 'er2 end' >&2"):and_then(rac.error("x"))
        end}
        """)
    let run = await raclette(
      "run", "-o", mode, "c", in: folder, environment: ["TOKEN": "hunter2"])
    #expect(run.errors.contains("*** end"))
    #expect(!run.errors.contains("er2"))
  }

  @Test("secrets that a script prints itself are masked", arguments: [[], ["--json"]])
  func printedSecrets(options: [String]) async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", secrets = {"TOKEN"}, run = function()
          print("print", rac.env.TOKEN)
          io.write("write ", rac.env.TOKEN, "\\n")
          io.stdout:write("no end ", rac.env.TOKEN)
          kept = setmetatable({}, {__gc = function() io.stderr:write("at the end\\n") end})
          io.stderr:write("error ", rac.env.TOKEN, "\\n")
        end}
        """)
    let launch = Launch(
      arguments: ["run"] + options + ["c"], folder: folder.path, environment: ["TOKEN": "hunter2"])
    let run = await onThread { Running(launch).finish() }
    let all = run.output + run.errors
    #expect(!all.contains("hunter2"))
    #expect(all.contains("print\t***\nwrite ***\n") && all.contains("no end ***"))
    #expect(run.errors.contains("error ***\n"))
    #expect(run.errors.contains("at the end\n"))
  }

  @Test("what a script asks for is there before it waits, though a command has secrets")
  func promptBesideSecrets() async {
    let folder = Folder(
      commands: """
        rac.command{name = "c", secrets = {"TOKEN"}, run = function()
          io.write("Name? ")
          print("Hello, " .. io.read())
        end}
        """)
    let launch = Launch(arguments: ["run", "c"], folder: folder.path)
    let run = await onThread {
      let running = Running(atTerminal: launch)
      running.waitForOutput("Name? ")
      running.send("Ada\n")
      return running.finish()
    }
    #expect(run.output.contains("Hello, Ada"))
  }

  @Test("what a plan and a complaint show of secrets is masked, and JSON stays JSON")
  func shownSecrets() async {
    let folder = Folder(
      commands: """
        rac.command{
          name = "c", secrets = {"pin", "word"},
          params = {{name = "pin", type = "integer", required = true}, {name = "word", default = "hunter2"}},
          run = function(i) return {pin = i.pin, text = "pin " .. i.pin, v = 1} end,
        }
        """)
    let plan = await raclette("run", "-n", "c", "4711", in: folder)
    #expect(plan.output == "  1. c pin=*** word=***\n")
    let json = await raclette("run", "-n", "--json", "c", "1", in: folder)
    #expect(json.output.contains(#""input":{"pin":"***","word":"***"}"#))
    let wrong = await raclette("run", "c", "12x34", in: folder)
    #expect(
      wrong.errors == "raclette: error: c: parameter 'pin' takes an integer, got '***'\n")
    let show = await raclette("show", "c", in: folder)
    #expect(show.output.contains("(default: ***)"))
    let events = await raclette("run", "--json", "c", "1", in: folder)
    #expect(events.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"seq":"#) && $0.hasSuffix("}") })
    #expect(events.output.contains(#""pin":"***""#) && events.output.contains(#""text":"pin ***""#))
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
        == "input: unknown parameter 'm'; its parameters are n, s\n")
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

  @Test(
    "an option of the runner behind the command is told where it belongs, and nothing is executed",
    arguments: [
      (["open", "--dry-run"], "--dry-run"), (["open", "-n"], "-n"), (["open", "-j4"], "-j"),
      (["open", "x", "--output=group"], "--output"), (["none", "--jobs", "2"], "--jobs"),
      (["text", "-n"], "-n"),
    ])
  func misplacedOption(words: [String], option: String) async {
    let launch = Launch(arguments: ["run"] + words, folder: takers.path)
    let run = await onThread { Running(launch).finish() }
    #expect(
      run.errors == """
        raclette: error: \(words[0]): raclette's own '\(option)' goes before the command; after -- it is \
        an argument

        """)
    #expect(run.output == "")
    #expect(run.status == 2)
  }

  @Test(
    "words that only look like one are input",
    arguments: [
      (["open", "--", "-n"], #"["-n"]"#), (["open", "-1"], #"["-1"]"#),
      (["open", "--name", "-n"], #"{"name":"-n"}"#),
      (["text", "--output", "x"], #"{"output":"x"}"#),
    ])
  func innocent(words: [String], json: String) async {
    let launch = Launch(arguments: ["run"] + words, folder: takers.path)
    #expect(await onThread { Running(launch).finish() }.output == json + "\n")
  }

  @Test("params = {} takes nothing")
  func noParameters() async {
    #expect(await raclette("run", "none", in: takers).output == "{}\n")
    let run = await raclette("run", "none", "x", in: takers)
    #expect(
      run.errors
        == "raclette: error: none: unexpected argument 'x'; the command takes no parameters; "
        + "'none :: COMMAND' executes both in order, 'none ::: COMMAND' side by side\n")
    #expect(run.status == 2)
  }

  private let takers = Folder(
    commands: """
      rac.command{name = "open", params = "any", run = function(i) return i end}
      rac.command{name = "none", params = {}, run = function(i) return i end}
      rac.command{name = "text", params = {{name = "output"}}, run = function(i) return i end}
      """)

  @Test("an option of the runner behind the command is told where it belongs; nan is no number")
  func misplaced() async {
    let folder = Folder(
      commands: "rac.command{name = 'c', params = {{name = 'n', type = 'number'}}, run = print}")
    let run = await raclette("run", "c", "--jobs", "2", in: folder)
    #expect(
      run.errors.hasSuffix(
        "raclette's own '--jobs' goes before the command; after -- it is an argument\n"))
    #expect(run.status == 2)
    #expect(await raclette("run", "c", "nan", in: folder).status == 2)
    #expect(await raclette("run", "c", "-h", in: folder).output.hasPrefix("c\n\nUsage:"))
  }
}
