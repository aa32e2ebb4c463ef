import Platform
import Testing

@Suite("what is up to date: definitions, inputs and values", .timeLimit(.minutes(5)))
struct UpToDateDefinitionTests {
  @Test("the code, what it uses and what it requires count; comments and summaries do not")
  func definition() async {
    let folder = Folder(["lib/tool.lua": "return {flag = 'x'}", "src/a": "1"])
    func write(
      comment: String = "", flag: String = "-O1", code: String = "made", extra: String = "",
      global: String = "1"
    ) {
      folder.write(
        """
        \(comment)
        local flag = "\(flag)"
        mode = \(global)
        rac.command{name = "build", sources = "src/*", outputs = "out", \(extra)
          run = function() \(comment)
            local tool = require "lib.tool"
            local function inner() return flag .. tool.flag .. mode end
            return rac.sh("echo \(code) " .. inner() .. " | tee out")
          end}
        """, to: "commands.lua")
    }
    func changes() async -> [String] {
      let run = await raclette("explain", "build", in: folder)
      return run.lines.dropFirst().map { String($0.drop { $0 == " " }) }
    }
    write()
    #expect(await raclette("run", "build", in: folder).output == "made -O1x1\n")
    write(comment: "-- a comment\n-- and more", extra: "summary = 'S', timeout = 60,")
    #expect(await changes() == [])
    write(flag: "-O2")
    #expect(await changes() == ["its definition has changed: 'flag', which 'run' uses"])
    write(code: "other")
    #expect(await changes() == ["its definition has changed: 'run'"])
    write(global: "2")
    #expect(await changes() == ["its definition has changed: 'mode', which 'run' uses"])
    write(extra: "env = {A = '1'},")
    #expect(await changes() == ["its definition has changed: 'env' is new"])
    write()
    #expect(await changes() == [])
    folder.write("-- a comment\nreturn {flag = 'x'}", to: "lib/tool.lua")
    #expect(await changes() == [])
    folder.write("return {flag = 'y'}", to: "lib/tool.lua")
    #expect(
      await changes() == ["its definition has changed: the module 'lib.tool', which 'run' uses"])
  }

  /// Two files that differ in one word, which counts for what `build` does.
  private static let examples: [(before: String, run: String)] = [
    (#"local one = rac.command{name = "one", run = "echo WORD"}"#, "return one:execute()"),
    (#"rac.command{name = "one", run = "echo WORD"}"#, "return rac.commands.one:execute()"),
    (
      #"local one = rac.command{name = "one", run = function() return "WORD" end}"#,
      "return one:execute()"
    ),
    (
      #"""
      local one = rac.command{name = "one", params = {{name = "x", default = "WORD"}},
        run = function(input) return input.x end}
      """#, "return one:execute()"
    ),
    (
      #"""
      local one = rac.command{name = "one",
        params = {{name = "x", default = rac.lazy(function() return "WORD" end)}},
        run = function(input) return input.x end}
      """#, "return one:execute()"
    ),
    (
      #"local one = rac.command{name = "one", shell = {"sh", "-c", "echo WORD"}, run = ":"}"#,
      "return one:execute()"
    ),
    (
      #"""
      rac.command{name = "two", run = "echo WORD"}
      local one = rac.command{name = "one", steps = {{command = "two"}}}
      """#, "return one:execute()"
    ),
    (
      #"""
      rac.command{name = "two", params = {{name = "x"}}, run = function(input) return input.x end}
      local one = rac.command{name = "one", steps = {{command = "two", x = "WORD"}}}
      """#, "return one:execute()"
    ),
    (#"string.word = "WORD""#, "return string.word"),
    (
      #"table.word = ({first = 1, second = 2})["WORD"]"#,
      #"return ({"first", "second"})[table.word]"#
    ),
    (
      #"math.is_first = "WORD" == "first""#, #"return math.is_first and "first" or "second""#
    ),
    (#"rac.word = "WORD""#, "return rac.word"),
    (#"function string.word() return "WORD" end"#, "return string.word()"),
    (#"function string.word(s) return "WORD" end"#, #"local s = "" return s:word()"#),
    (#"function rac.word() return "WORD" end"#, "return rac.word()"),
    (#"table.words = {"WORD"}"#, "return table.words[1]"),
    (#"word = "WORD" local G = _G"#, "return G.word"),
    (#"local _ENV = {rac = rac, word = "WORD"} function f() return word end"#, "return f()"),
    (#"package.preload.word = function() return "WORD" end"#, #"return require("word")"#),
    (#"package.loaded.word = "WORD""#, #"return require("word")"#),
    (
      #"debug.setmetatable("", {__index = {word = function() return "WORD" end}})"#,
      #"return ("x"):word()"#
    ),
  ]

  @Test(
    "what is executed, added to libraries or reached through _G counts",
    arguments: UpToDateDefinitionTests.examples)
  func used(before: String, run: String) async {
    let folder = Folder()
    func write(_ word: String) {
      folder.write(
        """
        \(before.replacing("WORD", with: word))
        rac.command{name = "build", sources = "commands.lua.src", run = function() \(run) end}
        """, to: "commands.lua")
    }
    folder.write("1", to: "commands.lua.src")
    write("first")
    for word in ["first", "second"] {
      write(word)
      let executed = await raclette("run", "build", in: folder)
      #expect(executed.output == word + "\n", "\(executed)")
      #expect(executed.errors == "")
      let again = await raclette("run", "build", in: folder)
      #expect(again.errors == "raclette: build is up to date\n")
    }
  }

  @Test(
    "what the commands do that are its steps counts",
    arguments: [
      #"rac.command{name = "a", run = "echo WORD"}"#,
      #"rac.command{name = "a", steps = {"true", "echo WORD"}}"#,
      #"rac.command{name = "a", run = function() return "WORD" end}"#,
      #"local word = "WORD" rac.command{name = "a", run = function() return word end}"#,
      #"rac.command{name = "a", env = {W = "WORD"}, run = "echo $W"}"#,
      #"rac.command{name = "a", cwd = "WORD", run = "basename $PWD"}"#,
      #"rac.command{name = "a", shell = {"sh", "-c", "echo WORD"}, run = ":"}"#,
      #"""
      rac.command{name = "a", params = {{name = "x", default = "WORD"}},
        run = function(input) return input.x end}
      """#,
      #"""
      rac.command{name = "b", run = "echo WORD"}
      rac.command{name = "a", steps = {{command = "b"}}}
      """#,
      #"""
      rac.command{name = "b", run = "echo WORD >file"}
      rac.command{name = "a", needs = "b", run = "cat file"}
      """#,
    ])
  func steps(definition: String) async {
    let folder = Folder(["src": "1", "first/x": "", "second/x": ""])
    func write(_ definition: String) {
      folder.write(
        """
        \(definition)
        rac.command{name = "build", sources = "src", steps = {"true", {command = "a"}}}
        """, to: "commands.lua")
    }
    for word in ["first", "second"] {
      write(definition.replacing("WORD", with: word))
      let executed = await raclette("run", "build", in: folder)
      #expect(executed.output == word + "\n", "\(executed)")
      let again = await raclette("run", "build", in: folder)
      #expect(again.errors == "raclette: build is up to date\n")
    }
    write(#"rac.command{name = "a", run = "echo third"}"#)
    let run = await raclette("explain", "build", in: folder)
    #expect(
      run.output.contains("its definition has changed: the command 'a', which 'steps' uses"),
      "\(run)")
  }

  @Test("the summary and the limits of a command that is a step do not count")
  func limitsOfStep() async {
    let folder = Folder(["src": "1"])
    for extra in ["", "summary = 'S', timeout = 60, concurrency = 2,"] {
      folder.write(
        """
        rac.command{name = "a", \(extra) run = "echo made"}
        rac.command{name = "build", sources = "src", steps = {{command = "a"}}}
        """, to: "commands.lua")
      let run = await raclette("run", "build", in: folder)
      #expect(run.errors == (extra.isEmpty ? "" : "raclette: build is up to date\n"))
    }
  }

  @Test(
    "computed names of what scripts have added to the library are told",
    arguments: [
      #"local q = rac return q["hel" .. "per"]()"#, #"return alias["hel" .. "per"]()"#,
    ])
  func computedNames(run: String) async {
    let folder = Folder([
      "commands.lua": """
      function rac.helper() return "WORD" end
      local alias = rac
      rac.command{name = "build", sources = "src", run = function() \(run) end}
      """, "src": "1",
    ])
    for _ in 0..<2 {
      let executed = await raclette("run", "build", in: folder)
      #expect(executed.output == "WORD\n", "\(executed)")
      #expect(
        executed.errors.hasPrefix(
          "warning: 'build' will be executed again: changes of functions in 'rac' whose names are "
            + "computed cannot be seen: "), "\(executed)")
    }
  }

  @Test("two floats that print alike are two values")
  func floats() async {
    let folder = Folder(["src": "1"])
    for sum in ["0.3", "0.1 + 0.2"] {
      folder.write(
        """
        local ratio = \(sum)
        rac.command{name = "build", sources = "src", run = function() return ratio == 0.3 end}
        """, to: "commands.lua")
      #expect(await raclette("run", "build", in: folder).output == "\(sum == "0.3")\n")
      let again = await raclette("run", "build", in: folder)
      #expect(again.errors == "raclette: build is up to date\n")
    }
  }

  @Test(
    "modules and files under other names count",
    arguments: [
      #"return require("lib")"#, #"local req = require return req("lib")"#,
      #"return dofile("lib.lua")"#, #"return loadfile("lib.lua")()"#,
    ])
  func loaded(run: String) async {
    for isOutside in [false, true] {
      let outside = "local require, dofile, loadfile = require, dofile, loadfile"
      let folder = Folder([
        "commands.lua": """
        \(isOutside ? outside : "")
        rac.command{name = "build", sources = "src", run = function() \(run) end}
        """, "src": "1",
      ])
      for word in ["first", "second"] {
        folder.write("return '\(word)'", to: "lib.lua")
        let executed = await raclette("run", "build", in: folder)
        #expect(executed.output == word + "\n", "\(executed)")
        let again = await raclette("run", "build", in: folder)
        #expect(again.errors == "raclette: build is up to date\n")
      }
    }
  }

  @Test(
    "what cannot be compared is told and executed",
    arguments: [
      (#"local k = "wo" .. "rd" return _G[k]"#, "globals whose names are computed"),
      (#"local k = "wo" .. "rd" return _ENV[k]"#, "globals whose names are computed"),
      (
        #"local f = function() return _ENV[key] end return f()"#, "globals whose names are computed"
      ),
      (#"return dofile("li" .. "b.lua")"#, "a file that is loaded by a computed name"),
      (#"return rac.commands[key]:execute()"#, "a command whose name is computed"),
      (#"return tables[1]"#, "a table whose keys are values of type 'table'"),
      (#"return lazily("lib")"#, "a module that is loaded by a computed name"),
      (#"return loaders.r("lib")"#, "what is loaded by 'require' in a table"),
      (#"return files.d("lib.lua")"#, "what is loaded by 'dofile' in a table"),
      (
        #"for k, v in pairs(rac.commands) do if #k == 4 then return v:execute() end end"#,
        "commands that it looks for in 'rac.commands'"
      ),
    ])
  func unseen(run: String, what: String) async {
    let folder = Folder([
      "commands.lua": """
      word, key, tables = "WORD", "word", {"WORD", [{}] = 1}
      loaders, files = {r = require}, {d = dofile}
      function lazily(name) return require(name) end
      rac.command{name = "word", run = "echo WORD"}
      rac.command{name = "build", sources = "src", run = function() \(run) end}
      """, "src": "1", "lib.lua": "return 'WORD'",
    ])
    for _ in 0..<2 {
      let executed = await raclette("run", "build", in: folder)
      #expect(executed.output == "WORD\n", "\(executed)")
      #expect(
        executed.errors.hasPrefix(
          "warning: 'build' will be executed again: changes of \(what) cannot be seen: "),
        "\(executed)")
    }
  }

  @Test("different inputs have states and outputs of their own")
  func inputs() async {
    let folder = Folder(
      commands: """
        rac.command{name = "build", params = {{name = "target", required = true}},
          sources = {"src/*"}, outputs = function(input) return {"out-" .. input.target} end,
          run = function(input) return rac.sh("cat src/* >out-" .. input.target) end}
        """)
    folder.write("1", to: "src/a")
    let runs = await shell(
      """
      for t in a b a b; do raclette run build $t; done
      rm out-a; raclette run build b; raclette run build a; raclette run -n build a
      """, in: folder)
    #expect(
      runs.errorLines == [
        "raclette: build is up to date", "raclette: build is up to date",
        "raclette: build is up to date",
      ])
    #expect(runs.lines == ["  1. build target=a  up to date"])
  }

  @Test("the fingerprint counts, and explain shows it before and now")
  func fingerprint() async {
    let project = Project(
      fields: #"fingerprint = function() return rac.exec{"cat", "version"} end,"#)
    project.folder.write("12.1\n", to: "version")
    #expect(await project.builds())
    #expect(await !project.builds())
    project.folder.write("12.2\n", to: "version")
    #expect(
      await project.changes() == ["its fingerprint has changed from \"12.1\" to \"12.2\""])
    project.folder.remove("version")
    let run = await raclette("run", "build", in: project.folder)
    #expect(run.errors.contains("'fingerprint' of 'build': "), "\(run)")
    #expect(run.status == 1)
  }

  @Test("what failed or was cancelled is never up to date")
  func failures() async {
    let project = Project(
      run:
        #"rac.sh("echo x >out; [ -e ok ] && [ ! -e slow ] || { [ -e slow ] && sleep 100; exit 1; }")"#
    )
    #expect(await raclette("run", "build", in: project.folder).status == 1)
    #expect(await raclette("status", in: project.folder).status == 1)
    project.folder.write("", to: "ok")
    #expect(await project.builds())
    #expect(await raclette("status", in: project.folder).status == 0)
    project.folder.write("changed", to: "src/a")
    project.folder.write("", to: "slow")
    #expect(
      await raclette("run", "--timeout", "200ms", "build", in: project.folder).status == 124)
    #expect(await raclette("status", "build", in: project.folder).status == 1)
  }

  @Test("values of every kind are sent again as they were")
  func values() async {
    let project = Project(
      run: """
        rac.concat(
          rac.from{1, 1.5, true, "text", {a = {1, 2}}, "\\xff"}, rac.sh("printf 'l1\\nl2'"),
          rac.exec{"printf", "a\\\\0b", output = "bytes"}, rac.sh("echo x >out"))
        """)
    let first = await raclette("run", "build", in: project.folder)
    let second = await raclette("run", "build", in: project.folder)
    #expect(first.status == 0, "\(first)")
    #expect(second.errors == "raclette: build is up to date\n")
    #expect(second.output == first.output)
  }

  @Test("more values than are kept, and values that cannot be kept, are told")
  func unkept() async {
    let much = Project(run: #"rac.sh("echo x >out; seq 1000000")"#)
    let run = await raclette("run", "build", in: much.folder)
    #expect(run.errors.contains("'build' will be executed again: it sent more than 4 MiB"))
    #expect(await much.builds())
    let bounded = Project(fields: "replay = 10,", run: #"rac.sh("echo x >out; seq 1000000")"#)
    #expect(await bounded.builds())
    let second = await raclette("run", "build", in: bounded.folder)
    #expect(second.lines.suffix(1) == ["1000000"])
    #expect(second.errors == "raclette: build is up to date\n")
    let odd = Project(run: #"rac.concat(rac.just(print), rac.sh("echo x >out"))"#)
    #expect(await odd.builds())
    #expect(await odd.changes().first?.contains("it sent a value that cannot be kept") == true)
    let secret = Project(
      fields: #"secrets = {"TOKEN"},"#, before: #"rac.env.TOKEN = "hunter2""#,
      run: #"rac.sh("echo x >out; echo hunter2")"#)
    #expect(await secret.builds())
    #expect(
      await secret.changes() == [
        "its last execution was not kept: a value that it sent holds a secret"
      ])
    #expect(await shell("cat .raclette/* | grep -c hunter2", in: secret.folder).output == "0\n")
  }

  @Test("dependents and scripts see it as done")
  func dependents() async {
    let project = Project(
      before: """
        rac.command{name = "test", needs = {"build"}, run = function() return "tested" end}
        rac.command{name = "ask", run = function()
          local execution = rac.commands.build:execute()
          execution:last()
          return execution.up_to_date
        end}
        """)
    #expect(await raclette("run", "ask", in: project.folder).output == "false\n")
    #expect(await raclette("run", "ask", in: project.folder).output == "true\n")
    let run = await raclette("run", "test", in: project.folder)
    #expect(run.lines.last == "tested")
    #expect(run.errors == "raclette: build is up to date\n")
  }

  @Test("bad keys and results are told with their place")
  func bad() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", source = "x", run = print}
        rac.command{name = "b", sources = {1}, outputs = "a[", depfile = true, fingerprint = "x", run = print}
        rac.command{name = "c", sources = {"!x"}, run = print}
        """)
    let check = await raclette("check", in: folder)
    #expect(
      check.lines == [
        "commands.lua:1: unknown key 'source'; did you mean 'sources'?",
        "commands.lua:2: field 'sources' must be a pattern, a list of patterns or a function, got something else in its list",
        "commands.lua:2: field 'outputs': the pattern 'a[' opens '[' and does not close it; a backslash makes it an ordinary character",
        "commands.lua:2: field 'depfile' must be a pattern, a list of patterns or a function, got boolean",
        "commands.lua:2: field 'fingerprint' must be a function, got string",
        "commands.lua:3: field 'sources': all patterns begin with '!', so nothing can match",
      ])
    let project = Project(fields: "depfile = function() return 1 end,")
    let run = await raclette("run", "build", in: project.folder)
    #expect(run.errors.contains("'build': 'depfile' must return a pattern or a list of patterns"))
  }

  @Test("patterns of an included file are relative to its folder")
  func included() async {
    let folder = Folder([
      "commands.lua": "require('rac').include('lib', 'lib/commands.lua')",
      "lib/commands.lua": """
      require("rac").command{name = "copy", sources = {"in.txt"}, outputs = {"out.txt"},
        run = "cp in.txt out.txt; echo copied"}
      """,
      "lib/in.txt": "one",
    ])
    let first = await raclette("run", "lib:copy", in: folder)
    #expect(first.output == "copied\n", "\(first)")
    let second = await raclette("run", "lib:copy", in: folder)
    #expect(second.errors.contains("lib:copy is up to date"), "\(second)")
    folder.write("two", to: "lib/in.txt")
    let third = await raclette("status", in: folder)
    #expect(third.status == 1, "\(third)")
  }

  @Test("check finds outputs that two commands name, and sources that nothing makes")
  func check() async {
    let folder = Folder(
      commands: """
        rac.command{name = "a", outputs = {"out/x", "y"}, run = print}
        rac.command{name = "b", outputs = {"out/*"}, run = print}
        rac.command{name = "c", outputs = {"./y"}, sources = {"none"}, run = print}
        rac.command{name = "d", outputs = {"gen/*", "!gen/keep"}, run = print}
        rac.command{name = "e", outputs = {"gen/keep", "gen/new"}, run = print}
        rac.command{name = "f", outputs = {"img/*", "!img/*.png"}, run = print}
        rac.command{name = "g", outputs = {"img/*", "!img/*.svg"}, run = print}
        """)
    let check = await raclette("check", in: folder)
    #expect(
      check.lines == [
        "commands.lua:2: 'b' and 'a' both name the output 'out/*', the other as 'out/x' (commands.lua:1)",
        "commands.lua:3: 'c' and 'a' both name the output './y', the other as 'y' (commands.lua:1)",
        "commands.lua:5: 'e' and 'd' both name the output 'gen/new', the other as 'gen/*' (commands.lua:4)",
      ])
    #expect(
      check.notes == [
        "commands.lua:3: 'c' names the source 'none', which does not exist"
      ])
    #expect(check.status == 1)
  }

  @Test("check notes needs whose outputs are no sources")
  func unreadNeeds() async {
    let folder = Folder(
      commands: """
        rac.command{name = "lib", sources = "lib.in", outputs = "build/lib.out", run = "true"}
        rac.command{name = "test", needs = "lib", sources = "test.in", run = "true"}
        rac.command{name = "app", needs = "lib", sources = {"app.in", "build/*"}, run = "true"}
        rac.command{name = "all", needs = {"lib", "test"}, run = "true"}
        """)
    for name in ["lib", "test", "app"] { folder.write("", to: "\(name).in") }
    folder.write("", to: "build/lib.out")
    let run = await raclette("check", in: folder)
    #expect(
      run.errors == """
        raclette: commands.lua:2: 'test' needs 'lib', but 'build/lib.out' is not among its sources, \
        so it stays up to date when 'build/lib.out' changes
        raclette: commands.lua: 4 commands, 1 note

        """)
    #expect(run.status == 0)
  }

  @Test("check tells of sources that a command makes which is not needed")
  func unneeded() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "css", sources = {"site.scss"}, outputs = {"site.css"}, run = "cp site.scss site.css"}
      rac.command{name = "site", sources = {"*.css"}, outputs = {"index.html"}, run = "cat *.css > index.html"}
      rac.command{name = "page", needs = {"css"}, sources = {"site.css"}, run = "cat site.css"}
      rac.command{name = "deep", needs = {"page"}, sources = {"site.css"}, run = "cat site.css"}
      rac.command{name = "own", sources = {"site.css"}, run = function() rac.commands.css:execute():wait() end}
      rac.command{name = "style", sources = {"*.css"}, run = "grep -c color *.css"}
      rac.command{name = "theme", needs = {"style"}, outputs = {"theme.css"}, run = "touch theme.css"}
      """,
      "site.scss": "a { color: red }", "site.css": "",
    ])
    let check = await raclette("check", in: folder)
    #expect(
      check.errors == """
        raclette: commands.lua:2: 'site' reads 'site.css', which 'css' makes, and does not need it
        raclette: commands.lua:2: 'site' reads 'theme.css', which 'theme' makes, and does not need it
        raclette: commands.lua:6: 'style' reads 'site.css', which 'css' makes, and does not need it
        raclette: commands.lua: 7 commands, 3 notes

        """)
    #expect(check.status == 0)
  }

  @Test("a folder stands for all files in it, those with a leading dot too")
  func hidden() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "site", sources = "conf", outputs = "dist",
        run = "mkdir -p dist; cat conf/.env >dist/.htaccess; echo made"}
      """,
      "conf/.env": "one",
    ])
    #expect(await raclette("site", in: folder).output == "made\n")
    #expect(await raclette("status", in: folder).status == 0)
    folder.write("two", to: "conf/.env")
    #expect(
      await raclette("explain", "site", in: folder).output
        == "site: not up to date\n  the source 'conf/.env' has changed\n")
    #expect(await raclette("site", in: folder).output == "made\n")
    unlink(folder["dist/.htaccess"])
    #expect(
      await raclette("explain", "site", in: folder).output
        == "site: not up to date\n  the output 'dist/.htaccess' is gone\n")
  }

  @Test("the sandbox refuses it") func sandbox() async {
    let project = Project()
    let run = await raclette("run", "--sandbox", "build", in: project.folder)
    #expect(
      run.errors.contains("'outputs' is not available in the sandbox")
        || run.errors.contains("'sources' is not available in the sandbox"), "\(run)")
  }

  @Test("lists, dry runs, events and batches show it") func shown() async {
    let project = Project()
    #expect(await project.builds())
    let runs = await shell(
      """
      raclette list; raclette run -n build; raclette run -n --json build; raclette run --json build | grep -c '"type":"up_to_date"'
      echo '{"command": "build"}' >plan.jsonl
      raclette batch --json plan.jsonl | grep -c '"type":"up_to_date".*"entry"'
      raclette list --json; raclette explain --json build; raclette status build
      """, in: project.folder)
    #expect(
      runs.lines.prefix(2) == ["  build  (up to date)", "  1. build  up to date"], "\(runs)")
    // Nothing would be started.
    #expect(runs.lines.count > 2 && runs.lines[2].hasPrefix("[{"), "\(runs)")
    #expect(runs.output.contains(#""enabled":true,"up_to_date":true"#))
    #expect(runs.lines.count { $0 == "1" } == 2, "\(runs)")
    #expect(runs.lines.last == "build: up to date")
  }
}
