import Platform
import Testing

@Suite("Texts for interpreters and shells", .timeLimit(.minutes(5)))
struct InterpreterScriptTests {
  private static let arguments =
    #"params = {{name = "who", default = "me"}, {name = "words", rest = true}}"#

  @Test("a text that begins with #! is a script, with the parameters and the rest")
  func script() async {
    let folder = Folder(
      commands: #"""
        local params = {{name = "who", default = "me"}, {name = "words", rest = true}}
        rac.command{name = "py", params = params, run = [[
        #!/usr/bin/env python3
        import os, sys
        print(os.environ["who"], sys.argv[1:], os.path.basename(sys.argv[0]))
        ]]}
        rac.command{name = "indented", params = params, run = [[

            #! /bin/bash  -eu
            set -o pipefail
            if true; then
              echo "$who $# $1"
            fi
        ]]}
        rac.command{name = "options", run = "#!/usr/bin/env -S bash -c 'echo \"$0 in bash\"'\n"}
        rac.command{name = "steps", params = params, steps = {"echo first", "#!/bin/bash\necho ${who^^} $1", "echo last"}}
        rac.command{name = "lua", params = params, run = function()
          return rac.sh "#!/usr/bin/env python3\nimport os, sys; print(os.environ['who'], sys.argv[1:])"
        end}
        """#)
    #expect(await raclette("py", "you", "a b", "-x", in: folder).output == "you ['a b', '-x'] py\n")
    #expect(await raclette("indented", "you", "a b", in: folder).output == "you 1 a b\n")
    #expect(await raclette("options", in: folder).output.hasSuffix("/options in bash\n"))
    #expect(await raclette("steps", "you", "a", in: folder).lines == ["first", "YOU a", "last"])
    #expect(await raclette("lua", "you", "a b", in: folder).output == "you ['a b']\n")
    let outside = await raclette(
      "-e", "print(rac.sh('#!/usr/bin/env python3\\nprint(1 + 1)'):first())", in: folder)
    #expect(outside.output == "2\n")
  }

  @Test("messages name the definition")
  func messages() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "fail",
          run = "#!/bin/bash\nexit 3"}
        rac.command{name = "gone", run = "#!/no/such/program -x\n"}
        rac.command{name = "unknown", run = "#!nothing-of-this-name"}
        rac.command{name = "lua", run = function()
          return rac.sh "#!/bin/bash\nexit 4"
        end}
        rac.command{name = "killed", timeout = 0.2, run = "#!/bin/sh\nsleep 1000\n"}
        """#)
    let fail = await raclette("fail", in: folder)
    #expect(
      fail.errors == "raclette: error: fail: the script at commands.lua:1 exited with status 3\n")
    #expect(fail.status == 3)
    #expect(
      await raclette("gone", in: folder).errors
        == "raclette: error: gone: the script at commands.lua:3: cannot start '/no/such/program': no such file or directory\n"
    )
    #expect(
      await raclette("unknown", in: folder).errors
        == "raclette: error: unknown: the script at commands.lua:4: cannot start 'nothing-of-this-name': no such program in PATH\n"
    )
    #expect(
      await raclette("lua", in: folder).errors
        == "raclette: error: lua: the script at commands.lua:6 exited with status 4\n")
    let empty = Folder(
      commands: """
        rac.command{name = "none", run = "#! \\necho"}
        """)
    let none = await raclette("none", in: empty)
    #expect(none.errors.contains("field 'run': its first line '#!' names no program"))
    #expect(none.status == 3)
  }

  @Test("is shown as it is, and leaves nothing behind")
  func shown() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "it", run = "#!/bin/bash\necho $0\n"}
        rac.command{name = "long", run = "#!/bin/bash\necho $0; exec sleep 1000\n"}
        """#)
    #expect(
      await raclette("-n", "it", in: folder).output
        == "  1. it\n     $ #!/bin/bash\n       echo $0\n")
    let run = await raclette("-v", "it", in: folder)
    #expect(run.errors.contains("it: $ #!/bin/bash\n  echo $0\n"))
    let path = run.lines[0]
    #expect(!Folder.isThere(path))
    let cancelled = await onThread { [folder] in
      let running = Running(Launch(arguments: ["long"], folder: folder.path))
      running.waitForOutput("/long\n")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(!Folder.isThere(cancelled.lines[0]))
    #expect(!Folder.isThere(String(cancelled.lines[0].dropLast("/long".count))))
  }

  @Test("what a killed runner has left is removed by a later one, unless it is in use")
  func leftover() async {
    let folder = Folder(
      commands: """
        rac.command{name = "it", run = "#!/bin/sh\\necho $0; sleep 1000\\n"}
        """)
    folder.write("", to: "tmp/raclette-script-old/it")
    folder.write("", to: "tmp/raclette-script-young/it")
    folder.write("", to: "tmp/raclette-other/it")
    let age = await shell(
      "touch -d '2 minutes ago' tmp/raclette-script-old tmp/raclette-other", in: folder)
    #expect(age.status == 0)
    let launch = Launch(
      arguments: ["it"], folder: folder.path, environment: ["TMPDIR": folder["tmp"]])
    let outcome = await onThread {
      let running = Running(launch)
      running.waitForOutput("/it\n")
      running.get(signal: SIGKILL)
      return running.finish()
    }
    let left = String(outcome.lines[0].dropLast("/it".count))
    #expect(Folder.isThere(left))
    #expect(!Folder.isThere(folder["tmp/raclette-script-old"]))
    #expect(Folder.isThere(folder["tmp/raclette-script-young/it"]))
    #expect(Folder.isThere(folder["tmp/raclette-other/it"]))
  }

  @Test("lines are executed by the shell of their command, with the words of the rest parameter")
  func shells() async {
    let folder = Folder(
      commands: #"""
        local bash = {"bash", "-euo", "pipefail", "-c"}
        local params = {{name = "words", rest = true}}
        rac.command{name = "line", shell = bash, params = params,
          run = 'echo "${BASH##*/} $0 $# ${1-}"; false | true; echo never'}
        rac.command{name = "steps", shell = bash, params = params, steps = {'echo "$# $*"', {"echo", "words"}}}
        rac.command{name = "lua", shell = bash, params = params, run = function()
          return rac.sh 'echo "${BASH##*/} $0 $# ${1-}"; echo $unset'
        end}
        rac.command{name = "python", shell = {"python3", "-c"}, params = params, run = "import sys; print(sys.argv[1:])"}
        """#)
    let line = await raclette("line", "a b", "c", in: folder)
    #expect(line.output == "bash line 2 a b\n")
    #expect(line.status == 1)
    #expect(await raclette("steps", "a", "b", in: folder).lines == ["2 a b", "words"])
    let lua = await raclette("lua", "a b", in: folder)
    #expect(lua.output == "bash lua 1 a b\n")
    #expect(lua.errors.contains("unset: unbound variable"))
    #expect(await raclette("python", "a b", in: folder).output == "['a b']\n")
    #expect(
      await raclette("show", "line", in: folder).output.contains("Shell:   bash -euo pipefail -c\n")
    )
  }

  @Test("a shell that is no list of words is refused")
  func badShell() async {
    let folder = Folder(commands: #"rac.command{name = "it", shell = "bash", run = "true"}"#)
    #expect(
      await raclette("it", in: folder).errors.contains(
        #"field 'shell' must be a list of words such as {"bash", "-euo", "pipefail", "-c"}"#))
  }
}
