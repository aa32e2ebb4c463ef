import Platform
import Testing

/// Values that `rac.lazy` computes when they are first used, and computed defaults.
@Suite("rac.lazy", .timeLimit(.minutes(5)))
struct LazyTests {
  /// Each computation adds a line to the file `computed`.
  private static let folder: [String: String] = [
    "commands.lua": """
    local version = rac.lazy(function() return rac.sh("echo x >>computed; echo v1.2") end)
    local both = rac.lazy(function() return ":" .. version() .. ":" end)
    rac.command{name = "default", params = {
        {name = "v", default = version},
        {name = "w", default = function(input) return input.v .. "-" .. input.x end},
        {name = "x", default = "static"},
        {name = "n", type = "integer", default = rac.lazy(function() return rac.sh("echo 3") end)},
      }, run = 'echo "$v $w $x $n"'}
    rac.command{name = "words", run = {"echo", version, "app:" .. version .. "!"}}
    rac.command{name = "line", run = "echo " .. both}
    rac.command{name = "env", env = {V = version, W = "w" .. version}, run = "echo $V $W"}
    rac.command{name = "steps", steps = {"echo one", "echo " .. version}}
    rac.command{name = "lua", run = function(_, emit)
      emit(version()) emit(both()) emit(tostring(version))
      emit(rac.exec{"echo", version, env = {A = version}}:first())
      emit(rac.sh("echo $A " .. version, {env = {A = version}}):first())
      return "returned " .. version
    end}
    rac.command{name = "all", needs = {"default", "words", "line", "env", "lua"}}
    rac.command{name = "built", sources = {"src/" .. version}, outputs = "out",
      run = {"sh", "-c", 'echo built $0; cat src/* >out', version}}
    """,
    "src/v1.2": "",
  ]

  private func folder() -> Folder { Folder(Self.folder) }

  private func computations(_ folder: Folder) -> Int {
    (fileContent(folder["computed"]) ?? []).count { $0 == UInt8(ascii: "\n") }
  }

  @Test(
    "is computed where it stands",
    arguments: [
      ("default", ["v1.2 v1.2-static static 3"]), ("words", ["v1.2 app:v1.2!"]),
      ("line", [":v1.2:"]), ("env", ["v1.2 wv1.2"]), ("steps", ["one", "v1.2"]),
      ("lua", ["v1.2", ":v1.2:", "v1.2", "v1.2", "v1.2 v1.2", "returned v1.2"]),
    ])
  func places(name: String, lines: [String]) async {
    let folder = folder()
    let run = await raclette("run", name, in: folder)
    #expect(run.lines == lines, "\(run)")
    #expect(run.status == 0)
    #expect(computations(folder) == 1)
  }

  @Test(
    "in 'env' is computed for a function of the definition that uses it",
    arguments: [
      "enabled = function() return rac.env.V == 'v1.2' end, run = 'echo ran'",
      "precondition = function() return rac.sh('test $V = v1.2 && echo x'):first() == 'x' end, run = 'echo ran'",
      "enabled = rac.sh('echo $V'):map(function(line) return line == 'v1.2' end), run = 'echo ran'",
      "enabled = function() return os.execute('test $V = v1.2') end, run = 'echo ran'",
      "enabled = function() for k, v in pairs(rac.env) do if k == 'V' then return v == 'v1.2' end end end, run = 'echo ran'",
      "params = {{name = 'p', default = function() return rac.env.V end}}, run = 'test $p = v1.2 && echo ran'",
      "params = {{name = 'p', default = function() return rac.sh('echo $V') end}}, run = 'test $p = v1.2 && echo ran'",
      "run = function() return rac.env.V == 'v1.2' and 'ran' end",
      "run = function() return io.popen('echo $V'):read() == 'v1.2' and 'ran' end",
      "sources = function() return rac.env.V end, outputs = 'out', run = 'touch out; echo ran'",
    ])
  func environment(fields: String) async {
    let folder = Folder([
      "commands.lua": """
      local version = rac.lazy(function() return rac.sh("echo x >>computed; echo v1.2") end)
      rac.command{name = "it", env = {V = version}, \(fields)}
      """,
      "v1.2": "",
    ])
    let run = await raclette("run", "it", in: folder)
    #expect(run.output == "ran\n", "\(run)")
    #expect(run.errors == "")
    #expect(computations(folder) == 1)
  }

  @Test("in 'env' is not computed for a function that does not use it")
  func unusedEnvironment() async {
    let folder = Folder(
      commands: """
        local version = rac.lazy(function() return rac.sh("echo x >>computed; echo v1.2") end)
        rac.command{name = "it", env = {V = version}, enabled = function() return rac.env.HOME ~= "" end,
          run = "echo $V"}
        """)
    #expect(await raclette("list", in: folder).output == "  it\n")
    #expect(computations(folder) == 0)
  }

  @Test("in 'env' is out of reach of what cannot wait, unless it is known")
  func unreachableEnvironment() async {
    let folder = Folder(
      commands: """
        local version = rac.lazy(function() return rac.sh("echo v1.2") end)
        rac.command{name = "it", env = {V = version},
          enabled = function() return io.popen("echo $V"):read() == "v1.2" end, run = "echo ran"}
        rac.command{name = "known", env = {V = version},
          enabled = function() version() return io.popen("echo $V"):read() == "v1.2" end, run = "echo ran"}
        """)
    let run = await raclette("run", "it", in: folder)
    #expect(
      run.errors
        == "raclette: error: the command 'it' is not enabled: its condition fails: commands.lua:3: "
        + "io.popen cannot wait for a variable in 'env' that rac.lazy computes; call the value before it\n"
    )
    #expect(await raclette("run", "known", in: folder).output == "ran\n")
  }

  @Test(
    "may be a shell's or an interpreter's text, and a variable of rac.defaults",
    arguments: [
      (##"run = "echo ${BASH##*/} " .. version"##, "bash v1.2\n"),
      (##"run = rac.lazy(function() return "#!/bin/cat\nx" end)"##, "#!/bin/cat\nx"),
      (##"run = "#!/bin/cat\n" .. version"##, "#!/bin/cat\nv1.2"),
      (##"run = function() return rac.sh("#!/bin/cat\n" .. version) end"##, "#!/bin/cat\nv1.2"),
      (
        ##"run = function() return rac.sh("echo ${BASH##*/} $V " .. version) end"##,
        "bash v1.2 v1.2\n"
      ),
      (##"run = "echo $V""##, "v1.2\n"),
    ])
  func texts(fields: String, output: String) async {
    let folder = Folder(
      commands: """
        local version = rac.lazy(function() return rac.sh("echo v1.2") end)
        rac.defaults{shell = {"bash", "-c"}, env = {V = version}}
        rac.command{name = "it", \(fields)}
        """)
    let run = await raclette("run", "it", in: folder)
    #expect(run.output == output, "\(run)")
    #expect(run.errors == "")
  }

  @Test(
    "is the first result of its function, and the empty text of a process that prints nothing",
    arguments: [
      (#"("a/b"):gsub("/", "-")"#, "[a-b]\n"), (#"rac.sh("true")"#, "[]\n"),
      (#"rac.sh("echo a; echo b")"#, "[a\nb]\n"),
    ])
  func result(_ expression: String, _ output: String) async {
    let folder = Folder(
      commands: """
        local value = rac.lazy(function() return \(expression) end)
        rac.command{name = "a", run = {"printf", "[%s]\\n", value}}
        """)
    let run = await raclette("a", in: folder)
    #expect(run.output == output && run.errors == "" && run.status == 0, "\(run)")
  }

  @Test("is joined in functions, whatever is joined at once")
  func joinedInFunctions() async {
    let folder = Folder(
      commands: """
        local v = rac.lazy(function() return rac.sh("echo 1.85") end)
        local function command(name, run) rac.command{name = name, run = run} end
        command("outer", function() return "x" .. ("a" .. v) end)
        command("middle", function() return "app-" .. v .. ".tgz" end)
        command("many", function() return "a" .. v .. "b" .. v .. "c" .. v .. "d" end)
        command("process", function() return rac.exec{"echo", "app-" .. v .. ".tgz"} end)
        command("created", function()
          local _, text = coroutine.resume(coroutine.create(function() return "<" .. v .. ">" end))
          return text
        end)
        command("wrapped", function()
          return coroutine.wrap(function() return "<" .. v .. ">" end)()
        end)
        command("inner", function()
          local deep = rac.lazy(function() return "(" .. v .. ")" end)
          return "<" .. deep .. ">"
        end)
        """)
    let outputs = [
      "outer": "xa1.85", "middle": "app-1.85.tgz", "many": "a1.85b1.85c1.85d",
      "process": "app-1.85.tgz", "created": "<1.85>", "wrapped": "<1.85>", "inner": "<(1.85)>",
    ]
    for (name, output) in outputs {
      let run = await raclette(name, in: folder)
      #expect(run.output == output + "\n" && run.errors == "" && run.status == 0, "\(run)")
    }
  }

  @Test("is computed once for a whole run")
  func once() async {
    let folder = folder()
    let run = await raclette("run", "all", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(computations(folder) == 1)
  }

  @Test("is not computed for a parameter that is given")
  func given() async {
    let folder = folder()
    let run = await raclette("run", "default", "v2", "n=5", in: folder)
    #expect(run.output == "v2 v2-static static 5\n")
    #expect(computations(folder) == 0)
  }

  @Test("is not computed by what only looks at commands")
  func looking() async {
    let folder = folder()
    let dry = await raclette("run", "-n", "default", ":::", "words", ":::", "line", in: folder)
    #expect(
      dry.output == """
          1. default x=static
             $ echo "$v $w $x $n"
          2. words
             $ echo '(computed)' 'app:(computed)!'
          3. line
             $ echo (computed)

        """)
    let built = await raclette("run", "-n", "built", in: folder)
    #expect(
      built.output.contains(
        "up to date or not: a value of rac.lazy is computed when it is executed"))
    let help = await raclette("run", "default", "--help", in: folder)
    #expect(help.output.contains("  --v STRING   (default: computed)\n"), "\(help)")
    #expect(await raclette("check", in: folder).status == 0)
    #expect(await raclette("list", in: folder).status == 0)
    let list = await raclette("list", "--json", in: folder)
    #expect(
      list.output.contains(
        #"{"name":"v","type":"string","required":false,"default_computed":true}"#))
    #expect(
      await raclette("complete", "--", "run", "default", "--", in: folder).output.contains("--v"))
    #expect(await raclette("show", "words", in: folder).status == 0)
    #expect(computations(folder) == 0)
  }

  @Test("counts for what is up to date")
  func upToDate() async {
    let folder = folder()
    #expect(await raclette("run", "built", in: folder).output == "built v1.2\n")
    let again = await raclette("run", "built", in: folder)
    #expect(again.errors == "raclette: built is up to date\n")
    #expect(await raclette("explain", "built", in: folder).output == "built: up to date\n")
    folder.write(Self.folder["commands.lua"]!.replacing("v1.2", with: "v1.3"), to: "commands.lua")
    folder.write("", to: "src/v1.3")
    #expect(await raclette("run", "built", in: folder).output == "built v1.3\n")
  }

  @Test("counts for what is up to date where a function uses it, whatever it is")
  func upToDateOfFunctions() async {
    let commands = """
      local tag = rac.lazy(function() return rac.sh("cat tag") end)
      local options = rac.lazy(function() return {level = #tag()} end)
      local none = rac.lazy(function() error("no such thing", 0) end)
      rac.command{name = "built", outputs = "out", run = function()
        if rac.env.NEVER then none() end
        rac.sh("echo " .. tag .. " >out"):wait()
        return "built level " .. options().level
      end}
      """
    let folder = Folder(["commands.lua": commands, "tag": "v1"])
    #expect(await raclette("run", "built", in: folder).output == "built level 2\n")
    let again = await raclette("run", "built", in: folder)
    #expect(again.errors == "raclette: built is up to date\n")
    folder.write("v2.1", to: "tag")
    #expect(
      await raclette("explain", "built", in: folder).output
        == "built: not up to date\n  its definition has changed: a value of rac.lazy\n")
    #expect(await raclette("run", "built", in: folder).output == "built level 4\n")
    #expect(
      await raclette("run", "-n", "built", in: folder).output.contains(
        "a value of rac.lazy is computed when it is executed"))
  }

  @Test(
    "fails with its place, once computed",
    arguments: [
      (
        #"return rac.sh("echo x >>computed; exit 7")"#,
        "commands.lua:1: rac.lazy: 'echo x >>computed; exit 7' exited with status 7", 7
      ),
      (
        #"return rac.sh("echo x >>computed; exit 7"):first()"#,
        "commands.lua:1: rac.lazy: 'echo x >>computed; exit 7' exited with status 7", 7
      ),
      (#"error("no version")"#, "commands.lua:1: no version", 1),
      (
        #"local x = 1"#,
        "commands.lua:1: the function of rac.lazy returned nothing; is 'return' missing?", 1
      ),
      (
        #"rac.sh("git describe")"#,
        "commands.lua:1: the signal made here was neither returned nor subscribed, so it did nothing; "
          + "is 'return' missing before it, or ':wait()' after it?", 1
      ),
      (
        #"return {1}"#, "commands.lua:1: the value of rac.lazy is used as a text, but is a table", 1
      ),
      (#"return value()"#, "commands.lua:1: the value of rac.lazy needs itself", 1),
    ])
  func failures(body: String, problem: String, status: Int) async {
    let folder = Folder(
      commands: """
        local value; value = rac.lazy(function() \(body) end)
        rac.command{name = "a", run = {"echo", value}}
        rac.command{name = "b", run = {"echo", value}}
        """)
    let run = await raclette("run", "a", in: folder)
    #expect(run.errors == "raclette: error: a: \(problem)\n")
    #expect(run.status == Int32(status))
    _ = await raclette("run", "-k", "a", ":::", "b", in: folder)
    if status == 7 { #expect(computations(folder) == 2) }
    #expect(await raclette("check", in: folder).status == (body.hasPrefix("rac") ? 1 : 0))
  }

  @Test(
    "a computed default is checked as a given value is",
    arguments: [
      (
        #"type = "integer", default = function() return "x" end"#,
        "parameter 'p' takes an integer, got 'x'"
      ),
      (
        #"choices = {"a", "b"}, default = function() return "c" end"#,
        "parameter 'p' cannot be 'c'; it is one of a, b"
      ),
      (#"default = function() return {} end"#, nil),
    ])
  func wrongDefault(parameter: String, problem: String?) async {
    let folder = Folder(
      commands: "rac.command{name = 'a', params = {{name = 'p', \(parameter)}}, run = 'echo $p'}")
    let run = await raclette("run", "a", in: folder)
    #expect(run.status == 1)
    #expect(
      run.errors.hasPrefix("raclette: error: a: commands.lua:1: the computed default is wrong: "))
    if let problem { #expect(run.errors.hasSuffix(": \(problem)\n"), "\(run)") }
  }

  @Test("is masked if it is a secret")
  func secret() async {
    let folder = Folder(
      commands: """
        local key = rac.lazy(function() return "hunter22" end)
        rac.command{name = "a", secrets = {"KEY"}, env = {KEY = key}, run = "echo $KEY"}
        rac.command{name = "b", secrets = {"p"}, params = {{name = "p", default = key}}, run = "echo $p"}
        """)
    #expect(await raclette("run", "a", in: folder).output == "***\n")
    #expect(await raclette("run", "b", in: folder).output == "***\n")
  }

  @Test("is computed again after all who waited for it were cancelled")
  func cancelled() async {
    let folder = Folder(
      commands: """
        local slow = rac.lazy(function()
          if rac.file_exists("fast"):first() then return "done" end
          rac.sleep(3600)
        end)
        rac.command{name = "wait", timeout = 0.05, run = {"echo", slow}}
        rac.command{name = "a", run = function(_, emit)
          emit(select(2, pcall(function() rac.commands.wait:execute():wait() end)).kind)
          rac.sh("touch fast"):wait()
          return slow()
        end}
        """)
    let run = await raclette("run", "a", in: folder)
    #expect(run.output == "timeout\ndone\n", "\(run)")
  }

  @Test("the system is known without a process")
  func system() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", run = function(_, emit)
          emit(rac.os) emit(rac.arch) emit(math.type(rac.processors))
          emit(tonumber(rac.sh("nproc"):first()) >= rac.processors)
        end}
        """)
    let machine = await shell("uname -m", in: folder).output
    let arch = machine == "aarch64\n" ? "arm64\n" : machine
    let run = await raclette("run", "a", in: folder)
    #expect(run.output == "linux\n\(arch)integer\ntrue\n", "\(run)")
  }
}
