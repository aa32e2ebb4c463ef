import Testing

@Suite("check finds parameters that nothing replaces", .timeLimit(.minutes(5)))
struct UnreadParameterTests {
  @Test("in lists of words and in braces, with what to write instead")
  func problems() async {
    let folder = Folder(
      commands: #"""
        local params = {{name = "in-file"}, {name = "out"}, {name = "words", rest = true}}
        rac.command{name = "list", params = params, run = {"cp", "$in_file", "to ${out}.txt"}}
        rac.command{name = "braces", params = params, run = {"cp", "{{ out }}", "x"}}
        rac.command{name = "line", params = params, run = "cp {{in-file}} x"}
        rac.command{name = "rest", params = params, steps = {"true", "echo {{words}}"}}
        rac.command{name = "fine", params = params,
          run = {"printf", "$outer $HOME {{.Name}} {{other}} $words", "in_file"}}
        """#)
    let check = await raclette("check", in: folder)
    #expect(
      check.notes == [
        #"commands.lua:2: 'list': field 'run' has '$in_file' in word 2, which no shell reads: write a line, "cp \"$in_file\" \"to $out.txt\" \"$@\"", or a function with rac.exec"#,
        #"commands.lua:3: 'braces': field 'run' has '{{out}}' in word 2, which no shell reads: write a line, "cp \"$out\" x \"$@\"", or a function with rac.exec"#,
        #"commands.lua:4: 'line': field 'run' has '{{in-file}}', which nothing replaces: its value is the variable "$in_file""#,
        #"commands.lua:5: 'rest': steps[2] has '{{words}}', which nothing replaces: its words are "$@""#,
        "commands.lua: 5 commands, 4 notes",
      ])
    #expect(check.status == 0)
  }

  @Test("a rest parameter has a default, which any word replaces")
  func restDefault() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "serve", params = {{name = "flags", rest = true, default = {"--socket", "81 19"}}},
          run = 'printf "<%s>" "$@"; echo'}
        rac.command{name = "none", run = function() return rac.commands.serve:execute{flags = {}} end}
        rac.command{name = "some", run = function() return rac.commands.serve:execute{flags = {"a"}} end}
        rac.command{name = "all", run = function() return rac.commands.serve:execute() end}
        """#)
    #expect(await raclette("serve", in: folder).output == "<--socket><81 19>\n")
    #expect(await raclette("serve", "-x", in: folder).output == "<-x>\n")
    #expect(await raclette("none", in: folder).output == "<>\n")
    #expect(await raclette("some", in: folder).output == "<a>\n")
    #expect(await raclette("all", in: folder).output == "<--socket><81 19>\n")
    #expect(
      await raclette("serve", "--help", in: folder).output.contains(
        "flags...  (the rest, options included) (default: --socket '81 19')\n"))
    #expect(
      await raclette("list", "--json", in: folder).output.contains(
        #""default":["--socket","81 19"]"#))
    let bad = Folder(
      commands:
        #"rac.command{name = "it", params = {{name = "flags", rest = true, default = "-x"}}, run = "true"}"#
    )
    #expect(
      await raclette("check", in: bad).output
        == "commands.lua:1: parameter 'flags' takes the rest: its default is a list, such as {\"--verbose\", \"all\"}\n"
    )
  }
}
