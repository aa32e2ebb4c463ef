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
        ! grep -q TODO src/*.c
        echo clean; make lint && make test; echo done
        make all &&
          make install
      ]]}
      rac.command{name = "steps", steps = {"make a && make b", "make a && make b\\ntrue"}}
      """)
    let advice = "write the commands on lines of their own, or '|| exit 1' behind them"
    #expect(
      run.lines == [
        "commands.lua:1: 'and': line 1 of field 'run' does not end the text if 'cd sub' fails, because of the '&&' behind it: \(advice)",
        "commands.lua:2: 'not': line 2 of field 'run' never ends the text, whatever 'grep -q TODO src/*.c' does, because of its '!': "
          + #"write "if grep -q TODO src/*.c; then exit 1; fi""#,
        "commands.lua:2: 'not': line 3 of field 'run' does not end the text if 'make lint' fails, because of the '&&' behind it: \(advice)",
        "commands.lua:9: 'steps': line 1 of steps[2] does not end the text if 'make a' fails, because of the '&&' behind it: \(advice)",
      ])
    #expect(run.status == 1)
  }

  @Test("not conditions, not what is in compound commands, and not what it does not understand")
  func noFalseAlarms() async {
    let run = await Self.check(
      #"""
      rac.command{name = "conditions", run = [[
        [ -f a ] && rm a
        test -f a && rm a
        command -v x >/dev/null && x
        grep -q a b && echo found
        $verbose && echo told
        make || exit 1
        make a && make b || exit 1
        make a && exit 0
        echo end
      ]]}
      rac.command{name = "compound", run = [[
        if ! make a && make b; then echo no; fi
        for i in 1 2; do make $i && echo $i; done
        build() { make a && make b; }
        (make a && make b) || exit 1
        while read x && true; do ! echo $x; done < a
        echo "a && b" 'c && d' `e && f` $(g && h) \&\&
        echo "
          ! a
          b && c
        "
        build
      ]]}
      rac.command{name = "document", run = "cat <<END\n! a\nb && c\nEND\ntrue"}
      rac.command{name = "case", run = "case $1 in a) b && c;; esac\ntrue"}
      rac.command{name = "set", run = "set +e\na && b\ntrue"}
      rac.command{name = "shell", shell = {"bash", "-c"}, run = "a && b\ntrue"}
      rac.command{name = "one", run = "a && b"}
      """#)
    #expect(run.output == "")
    #expect(run.status == 0)
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
      rac.command{name = "fine", steps = {
        {"find", ".", "-name", "*.o", "-exec", "rm", "{}", ";"}, {"cut", "-d", ";", "-f1", "x"},
        {"tr", "|", ","}, {"[", "a", "<", "b", "]"}, {"echo", "a > b", "~"}}}
      """#)
    let several = "a list is one program with its words; several lines go into 'steps'"
    #expect(
      run.lines == [
        "commands.lua:1: 'lines': field 'run' names the program 'echo a', which does not exist: \(several)",
        "commands.lua:2: 'line': field 'run' names the program 'echo a', which does not exist: "
          + "a list is one program with its words; a line is a text without braces",
        #"commands.lua:3: 'out': field 'run' has '>' in word 3, which no shell reads: write a line, "ls -l > out.txt", or a function with rac.exec"#,
        #"commands.lua:4: 'pipe': steps[2] has '|' in word 2, which no shell reads: write a line, "ls | wc", or a function with rac.exec"#,
        #"commands.lua:5: 'home': field 'run' has '~/src dir' in word 2, which no shell reads: write a line, "ls ~/'src dir'", or a function with rac.exec"#,
        "commands.lua:6: 'cd': steps[1] names the program 'cd', which does not exist: it is a command of the shell, and changes the folder of that shell only; "
          + #"cwd = "sub" sets that of the command"#,
        "commands.lua:7: 'source': field 'run' names the program 'source', which does not exist: it is a command of the shell, which a line can have",
      ])
    #expect(run.status == 1)
    let started = await raclette(
      "lines", in: Folder(commands: #"rac.command{name = "lines", run = {"echo a", "echo b"}}"#))
    #expect(
      started.errors
        == "raclette: error: lines: cannot start 'echo a': no such program in PATH; \(several)\n")
    let executed = await raclette("-e", #"rac.exec{"echo a"}:wait()"#)
    #expect(
      executed.errors
        == "raclette: error: cannot start 'echo a': no such program in PATH; a list is one program with its words; rac.sh executes a line\n"
    )
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
      run.lines == [
        #"commands.lua:3: 'all': steps[1] is a line for the shell; the command 'build' is {command = "build"}"#,
        #"commands.lua:3: 'all': steps[2] is a line for the shell; the command 'test' is {command = "test"}"#,
        #"commands.lua:4: 'again': field 'run' is a line for the shell; the command 'build' is steps = {{command = "build"}}"#,
      ])
    #expect(run.status == 1)
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
      """)
    #expect(
      run.lines == [
        #"commands.lua:2: 'make': field 'run' has '$(target)', which executes a program of that name: its value is the variable "$target""#,
        "commands.lua:3: 'needs': field 'needs' has '$target' in 'target' of 'make', which nothing replaces: needs = function(input) return … end gets its value",
        "commands.lua:4: 'step': steps[1] has '{{target}}' in 'target' of 'make', which nothing replaces: a function in 'steps' gets its value",
        #"commands.lua:5: 'env': field 'env' has '$target' in 'OUT', which nothing replaces: each process has the value as "$target""#,
        "commands.lua:7: 'files': field 'outputs' has '$target', which nothing replaces: outputs = function(input) return … end gets its value",
      ])
    #expect(run.status == 1)
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
      "'fmt' names the sources 'src/*.c', which are its outputs, too: a file that is an output is no source"
    #expect(
      run.lines == [
        "commands.lua:1: 'a': field 'sources' has 'src/**.c', where '**' means '*': write 'src/**/*.c' for files in any folder below",
        "commands.lua:1: 'a': field 'sources' has '!src/old**', where '**' means '*': write '!src/old*/**/*' for files in any folder below",
        "commands.lua:1: 'a': field 'watch' has 'a**b/x', where '**' means '*': write 'a*/**/*b/x' for files in any folder below",
        "commands.lua:2: \(problem)",
      ])
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
      run.lines == [
        "commands.lua:1: 'a/b': the name 'a/b' would be a script; only 'raclette run a/b' executes it",
        "commands.lua:2: 'c.lua': the name 'c.lua' would be a script; only 'raclette run c.lua' executes it",
        "commands.lua:3: ':d': the name ':d' would be a subcommand; only 'raclette run :d' executes it",
      ])
    #expect(run.status == 1)
  }
}
