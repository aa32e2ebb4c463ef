import Testing

@Suite("check reads lines and lists", .timeLimit(.minutes(5)))
struct TextCheckTests {
  private static func check(_ commands: String) async -> Outcome {
    await raclette("check", in: Folder(commands: commands))
  }

  @Test("lines whose failures the shell ignores")
  func ignoredFailures() async {
    let run = await Self.check(
      """
      rac.command{name = "and", run = "cd sub && make\\necho done"}
      rac.command{name = "not", run = [[
        # ! a comment && more
        ! git status --porcelain | grep -v docs
        echo clean; make lint && make test; echo done
        make all &&
          make install
      ]]}
      rac.command{name = "steps", steps = {"make a && make b", "make a && make b\\ntrue"}}
      rac.command{name = "understood", run = [[
        set -x
        set -o pipefail
        echo $((1<<2)) "$(echo "a && b")" ${x:-a && b} a\\
      b "c\\
      d"
        cat <<<text
        mkdir build && cd build
        sudo make
      ]]}
      rac.command{name = "bash", shell = {"bash", "-o", "errexit", "-c"}, run = "cd a && b\\nc"}
      """)
    let advice =
      "'-e' does not apply before '&&'; write the commands on lines of their own, or '|| exit 1' "
      + "after them"
    #expect(
      run.notes == [
        "commands.lua:1: 'and': line 1 of field 'run': the script continues if 'cd sub' fails: \(advice)",
        "commands.lua:2: 'not': line 2 of field 'run': the script continues regardless of the "
          + "result of 'git status --porcelain | grep -v docs': '-e' does not apply after '!'; "
          + #"write "if git status --porcelain | grep -v docs; then exit 1; fi""#,
        "commands.lua:2: 'not': line 3 of field 'run': the script continues if 'make lint' fails: \(advice)",
        "commands.lua:9: 'steps': line 1 of steps[2]: the script continues if 'make a' fails: \(advice)",
        "commands.lua:10: 'understood': line 7 of field 'run': the script continues if 'mkdir build' fails: \(advice)",
        "commands.lua:20: 'bash': line 1 of field 'run': the script continues if 'cd a' fails: \(advice)",
        "commands.lua: 5 commands, 6 notes",
      ])
    #expect(run.output == "" && run.status == 0)
  }

  @Test("lists that are lines, and words for a shell")
  func lists() async {
    let run = await Self.check(
      #"""
      rac.command{name = "lines", run = {"echo a", "echo b"}}
      rac.command{name = "line", run = {"echo a"}}
      rac.command{name = "out", run = {"ls", "-l", ">", "out.txt"}}
      rac.command{name = "pipe", steps = {"true", {"ls", "|", "wc"}}}
      rac.command{name = "home", run = {"ls", "~/src dir"}}
      rac.command{name = "cd", steps = {{"cd", "sub"}, "make"}}
      rac.command{name = "source", run = {"source", "venv/bin/activate"}}
      rac.command{name = "variable", run = {"FOO=a b", "make"}}
      rac.command{name = "fine", steps = {
        {"find", ".", "-name", "*.o", "-exec", "rm", "{}", ";"}, {"cut", "-d", ";", "-f1", "x"},
        {"tr", "|", ","}, {"[", "a", "<", "b", "]"}, {"echo", "a > b", "~"}}}
      """#)
    let line =
      "a list is one program with its words; a line is one text, in 'run', in 'steps' or for rac.sh"
    #expect(
      run.lines == [
        "commands.lua:1: 'lines': field 'run' names the program 'echo a', which does not exist: \(line)",
        "commands.lua:2: 'line': field 'run' names the program 'echo a', which does not exist: \(line)",
        "commands.lua:6: 'cd': steps[1] names the program 'cd', which does not exist: it is a command of the shell, and changes the folder of that shell only; "
          + #"cwd = "sub" sets that of the command"#,
        "commands.lua:7: 'source': field 'run' names the program 'source', which does not exist: it is a command of the shell, which a line can have",
        "commands.lua:8: 'variable': field 'run' names the program 'FOO=a b', which does not exist: a list cannot set variables; "
          + #"env = {FOO = "a b"} does"#,
      ])
    #expect(
      run.notes == [
        #"commands.lua:3: 'out': field 'run' has '>' in word 3, which no shell reads: write a line, "ls -l > out.txt", or a function with rac.exec"#,
        #"commands.lua:4: 'pipe': steps[2] has '|' in word 2, which no shell reads: write a line, "ls | wc", or a function with rac.exec"#,
        #"commands.lua:5: 'home': field 'run' has '~/src dir' in word 2, which no shell reads: write a line, "ls ~/'src dir'", or a function with rac.exec"#,
      ])
    #expect(run.status == 1)
    let started = await raclette(
      "lines", in: Folder(commands: #"rac.command{name = "lines", run = {"echo a", "echo b"}}"#))
    #expect(
      started.errors
        == "raclette: error: lines: cannot start 'echo a': no such program in PATH; \(line)\n")
    let executed = await raclette("-e", #"rac.exec{"echo a"}:wait()"#)
    #expect(
      executed.errors
        == "raclette: error: cannot start 'echo a': no such program in PATH; \(line)\n"
    )
  }

  @Test("steps that only change their own shell")
  func idleSteps() async {
    let run = await Self.check(
      #"""
      rac.command{name = "cd", steps = {"cd web", "pwd"}}
      rac.command{name = "two", steps = {"cd \"$HOME\"", "# first\nexport A=1\nexport B", ". ./env.sh; cd x", "make"}}
      rac.command{name = "bash", shell = {"bash", "-c"}, steps = {"source venv/bin/activate", {"make"}}}
      """#)
    let idle = { (place: String, remedy: String, program: String) in
      "\(place) only changes its own shell, and the next step has another: write \(remedy)'\(program)' "
        + "and what follows it as one text"
    }
    #expect(
      run.notes == [
        "commands.lua:1: 'cd': "
          + idle("steps[1]", #"cwd = "web" in the definition, or "#, "cd"),
        "commands.lua:2: 'two': " + idle("steps[1]", "cwd = … in the definition, or ", "cd"),
        "commands.lua:2: 'two': " + idle("steps[2]", "env = {…} in the definition, or ", "export"),
        "commands.lua:2: 'two': " + idle("steps[3]", "", "."),
        "commands.lua:3: 'bash': " + idle("steps[1]", "", "source"),
        "commands.lua: 3 commands, 5 notes",
      ], "\(run)")
    #expect(run.output == "" && run.status == 0)
  }

  @Test("lines that are names of commands")
  func names() async {
    let run = await Self.check(
      """
      rac.command{name = "build", run = "make"}
      rac.command{name = "test", run = "make test"}
      rac.command{name = "all", steps = {"build", "test", "build x", "ls"}}
      rac.command{name = "again", run = "build"}
      rac.command{name = "ls", run = "ls"}
      """)
    #expect(
      run.notes == [
        #"commands.lua:3: 'all': steps[1] is a line for the shell; the command 'build' is {command = "build"}"#,
        #"commands.lua:3: 'all': steps[2] is a line for the shell; the command 'test' is {command = "test"}"#,
        #"commands.lua:4: 'again': field 'run' is a line for the shell; the command 'build' is steps = {{command = "build"}}"#,
        "commands.lua: 5 commands, 3 notes",
      ])
    #expect(run.status == 0)
  }

  @Test("parameters in a form of make, and where nothing replaces them")
  func parameters() async {
    let run = await Self.check(
      """
      local params = {{name = "target"}, {name = "date"}}
      rac.command{name = "make", params = params, run = "echo $(target) $(date)"}
      rac.command{name = "needs", params = params, needs = {{"make", target = "$target"}}, run = "true"}
      rac.command{name = "step", params = params, steps = {{command = "make", target = "{{target}}"}}}
      rac.command{name = "env", params = params, env = {OUT = "build/${target}", HERE = "$HOME"},
        run = "true"}
      rac.command{name = "files", params = params, outputs = "build/$target", sources = {"commands.lua"},
        run = "true"}
      rac.command{name = "js", params = params, outputs = "dist/{{target}}.js", sources = "src/{{ .date }}.js",
        run = "echo {{.target}}"}
      """)
    #expect(
      run.lines == [
        "commands.lua:7: 'files': field 'outputs' has '$target', which nothing replaces: outputs = function(input) return … end gets its value",
        "commands.lua:9: 'js': field 'sources' has '{{.date}}', which nothing replaces: sources = function(input) return … end gets its value",
        "commands.lua:9: 'js': field 'outputs' has '{{target}}', which nothing replaces: outputs = function(input) return … end gets its value",
      ])
    #expect(
      run.notes == [
        #"commands.lua:2: 'make': field 'run' has '$(target)', which executes a program of that name: its value is the variable "$target""#,
        "commands.lua:3: 'needs': field 'needs' has '$target' in 'target' of 'make', which nothing replaces: needs = function(input) return … end gets its value",
        "commands.lua:4: 'step': steps[1] has '{{target}}' in 'target' of 'make', which nothing replaces: a function in 'steps' gets its value",
        #"commands.lua:5: 'env': field 'env' has '$target' in 'OUT', which nothing replaces: each process has the value as "$target""#,
        #"commands.lua:9: 'js': field 'run' has '{{.target}}', which nothing replaces: its value is the variable "$target""#,
        "commands.lua:9: 'js' names the source 'src/{{ .date }}.js', which does not exist",
      ])
    #expect(run.status == 1)
  }

  @Test("variables that are joined to strings and not set here")
  func unsetVariables() async {
    let run = await Self.check(
      """
      rac.command{name = "a", run = function() return "x" .. rac.env.NO_SUCH_ONE end}
      rac.command{name = "b", run = function()
        return (rac.env.NO_SUCH_TWO or "") .. (rac.env.NO_SUCH_FOUR and rac.env.NO_SUCH_FOUR .. "x" or "")
      end}
      rac.command{name = "c", run = function() return rac.env.PATH .. "x" end}
      """)
    #expect(
      run.notes == [
        "commands.lua:1: the variable 'NO_SUCH_ONE' is not set here, and '..' needs a string: "
          + #"(rac.env.NO_SUCH_ONE or "") is one"#,
        "commands.lua: 3 commands, 1 note",
      ])
  }

  @Test("parameters that replace variables which programs need")
  func replacedVariables() async {
    let run = await Self.check(
      """
      rac.command{name = "a", params = {{name = "PATH"}, {name = "path"}}, run = 'echo "$PATH" "$path"'}
      rac.command{name = "b", params = {{name = "TOKEN"}, {name = "HOME"}}, run = function() end}
      """)
    #expect(
      run.notes == [
        "commands.lua:1: 'a': parameter 'PATH' replaces the variable 'PATH', which programs need, in its processes: give it another name",
        "commands.lua:2: 'b': parameter 'HOME' replaces the variable 'HOME', which programs need, in its processes: give it another name",
        "commands.lua: 2 commands, 2 notes",
      ])
    #expect(run.status == 0)
  }

  @Test("patterns whose '**' is no part of its own, and sources that are outputs")
  func patterns() async {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "a", sources = {"src/**.c", "!src/old**", "src/**/*.h"}, watch = "a**b/x", run = "true"}
      rac.command{name = "fmt", sources = "src/*.c", outputs = "src/*.c", run = "true"}
      """, "src/a.c": "", "src/a.h": "",
    ])
    let run = await raclette("check", in: folder)
    let problem =
      "'fmt' names the sources 'src/*.c', which are its outputs, too: an output is not a source"
    #expect(
      run.lines == [
        "commands.lua:1: 'a': field 'sources' has 'src/**.c', where '**' means '*': write 'src/**/*.c' for files in any folder below",
        "commands.lua:1: 'a': field 'sources' has '!src/old**', where '**' means '*': write '!src/old*/**/*' for files in any folder below",
        "commands.lua:1: 'a': field 'watch' has 'a**b/x', where '**' means '*': write 'a*/**/*b/x' for files in any folder below",
      ])
    #expect(run.notes == ["commands.lua:2: \(problem)"])
    #expect(run.status == 1)
    let formatted = await raclette("fmt", in: folder)
    #expect(formatted.errors == "warning: commands.lua:2: \(problem)\n")
  }

  @Test("names that only the long form of a call executes")
  func typedNames() async {
    let run = await Self.check(
      """
      rac.command{name = "a/b", run = "true"}
      rac.command{name = "c.lua", run = "true"}
      rac.command{name = ":d", run = "true"}
      rac.command{name = ".e", run = "true"}
      """)
    #expect(
      run.notes == [
        "commands.lua:1: 'a/b': the name 'a/b' would be a script; only 'raclette run a/b' executes it",
        "commands.lua:2: 'c.lua': the name 'c.lua' would be a script; only 'raclette run c.lua' executes it",
        "commands.lua:3: ':d': the name ':d' would be a subcommand; only 'raclette run :d' executes it",
        "commands.lua: 4 commands, 3 notes",
      ])
    #expect(run.status == 0)
  }

  @Test("no line is advised where another shell, or another way to read a word, may be meant")
  func advice() async {
    let run = await Self.check(
      #"""
      local params = {{name = "dir"}, {name = "words", rest = true}}
      rac.command{name = "name", params = params, run = {"cp", "a/${dir}_b"}}
      rac.command{name = "newline", params = params, run = {"echo", "a\nb", "$dir"}}
      rac.command{name = "fish", shell = {"fish", "-c"}, run = {"ls", ">", "x"}}
      rac.command{name = "cd", run = {"cd", "$HOME"}}
      """#)
    #expect(
      run.notes == [
        "commands.lua:2: 'name': field 'run' has '$dir' in word 2, which no shell reads: "
          + #"write a line, "cp \"a/${dir}_b\" \"$@\"", or a function with rac.exec"#,
        "commands.lua:3: 'newline': field 'run' has '$dir' in word 3, which no shell reads: write a line, or a function with rac.exec",
        "commands.lua:4: 'fish': field 'run' has '>' in word 2, which no shell reads: write a line, or a function with rac.exec",
      ])
    #expect(
      run.lines == [
        "commands.lua:5: 'cd': field 'run' names the program 'cd', which does not exist: it is a command of the shell, and changes the folder of that shell only; cwd sets that of the command"
      ])
  }
}
