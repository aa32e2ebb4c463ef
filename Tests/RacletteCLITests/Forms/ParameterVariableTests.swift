import Testing

@Suite("Parameters as variables", .timeLimit(.minutes(5)))
struct ParameterVariableTests {
  @Test("a boolean is true, empty for false, and not set without a value")
  func booleans() async {
    let folder = Folder(
      commands: #"""
        local params = {{name = "dry-run", type = "boolean"}, {name = "loud", type = "boolean", default = false}}
        rac.command{name = "line", params = params, run = 'echo "<${dry_run-unset}> <${loud-unset}> ${loud:+--loud}"'}
        rac.command{name = "words", params = params, run = {"sh", "-c", 'echo "<$loud>"'}}
        """#)
    #expect(await raclette("line", in: folder).output == "<unset> <> \n")
    #expect(
      await raclette("line", "--loud", "--no-dry-run", in: folder).output == "<> <true> --loud\n")
    #expect(await raclette("words", "--no-loud", in: folder).output == "<>\n")
  }

  /// Functions of a command with the parameter `who`, each of which prints it by a process.
  private static let functions = [
    "return rac.sh 'echo $who'",
    "return rac.exec{'sh', '-c', 'echo $who'}",
    "os.execute 'echo $who'",
    "local file <close> = io.popen('echo $who') return file:read()",
    "return rac.env.who",
    "for name, value in pairs(rac.env) do if name == 'who' then return value end end",
    "return rac.async(function() return rac.sh('echo $who'):first() end)",
    "return rac.timer(0.01):flat_map(function() return rac.sh 'echo $who' end)",
    "return rac.interval(0.01):take(1):map(function() return rac.env.who end)",
    "return rac.just(1):delay(0.01):flat_map(function() return rac.exec{'sh', '-c', 'echo $who'} end)",
    "return rac.just(1):deliver_on(rac.scheduler.main):flat_map(function() return rac.sh 'echo $who' end)",
    "rac.scheduler.main:after(0.01, function() os.execute 'echo $who' end) rac.sleep(0.05)",
    "local s = rac.subject() rac.timer(0.01):subscribe(function() s:send_next(1) end) return s:take(1):flat_map(function() return rac.sh 'echo $who' end)",
    "local one = rac.timer(0.01):replay_lazily() return one:flat_map(function() return rac.sh 'echo $who' end)",
    "rac.just(1):subscribe(function() os.execute 'echo $who' end)",
    "rac.sh('true'):subscribe{completed = function() os.execute 'echo $who' end} rac.sleep(0.2)",
    "local f = coroutine.wrap(function() os.execute 'echo $who' end) f()",
    "return rac.create(function(s) s:send_next(rac.env.who) s:send_completed() end)",
    "return rac.commands.inner:execute{other = 'x'}:flat_map(function() return rac.sh 'echo $who' end)",
    "rac.commands.inner:execute():to_table() return rac.sh 'echo $who'",
    "return rac.exec{'cat', stdin = rac.sh 'echo $who'}",
    "return rac.file_exists('.'):take(1):flat_map(function() return rac.sh 'echo $who' end)",
    "return rac.start_eagerly(function(s) s:send_next(rac.sh('echo $who')) s:send_completed() end):flatten()",
    "local clock <close> = rac.test_scheduler() local lines = {} rac.timer(5):subscribe(function() lines[1] = rac.env.who end) clock:run() return lines[1]",
  ]

  @Test("all processes that functions of an execution start have them", arguments: functions)
  func everywhere(body: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "inner", params = {{name = "other"}}, run = "echo inner"}
        rac.command{name = "outer", params = {{name = "who"}}, run = function() \(body) end}
        """)
    let run = await raclette("outer", "it's $me", in: folder)
    #expect(run.output == "it's $me\n")
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test("executions beside each other have their own, whoever sends the values")
  func beside() async {
    let folder = Folder(
      commands: """
        local ticks = rac.interval(0.02):share()
        local subject = rac.subject()
        rac.command{
          name = "one", concurrency = "unlimited", params = {{name = "who"}},
          run = function()
            return rac.merge(ticks:take(2), subject:take(1))
              :flat_map(function() return rac.sh "echo $who" end)
          end,
        }
        rac.command{name = "send", params = {{name = "who"}}, run = function()
          rac.sleep(0.1)
          subject:send_next(1)
        end}
        """)
    let run = await raclette("one", "a", ":::", "one", "b", ":::", "send", "c", in: folder)
    #expect(run.lines.sorted() == ["a", "a", "a", "b", "b", "b"])
    #expect(run.status == 0)
  }

  @Test("a command inside another has its own, and none of the outer one's")
  func nested() async {
    let folder = Folder(
      commands: """
        rac.command{name = "inner", params = {{name = "mine", default = "own"}},
          run = 'echo "<${who-unset}> <$mine>"'}
        rac.command{name = "same", params = {{name = "who"}}, run = 'echo "<${who-unset}>"'}
        rac.command{name = "outer", params = {{name = "who"}}, needs = "inner", run = function(input, emit)
          emit(rac.commands.inner:execute{mine = "given"}:first())
          emit(rac.commands.same:execute():first())
          return rac.sh 'echo "<$who>"'
        end}
        """)
    let run = await raclette("outer", "me", in: folder)
    #expect(run.lines == ["<unset> <own>", "<unset> <given>", "<unset>", "<me>"])
    let plain = await raclette("inner", in: folder)
    #expect(plain.lines == ["<unset> <own>"])
  }

  @Test("a line in a function has the words of the rest parameter as its arguments")
  func rest() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "all", params = {{name = "first"}, {name = "rest", rest = true}},
          run = function() return rac.sh 'echo "$0: $#"; printf "<%s>" "$first" "$@"' end}
        rac.command{name = "none", run = function() return rac.sh 'echo "$#"' end}
        """#)
    #expect(
      await raclette("all", "1", "two words", "-x", in: folder).output
        == "all: 2\n<1><two words><-x>")
    #expect(await raclette("all", in: folder).output == "all: 0\n<>")
    #expect(await raclette("none", in: folder).output == "0\n")
  }

  @Test("options of a process and writes of rac.env take precedence")
  func precedence() async {
    let folder = Folder(
      commands: #"""
        rac.command{name = "over", params = {{name = "who"}}, env = {WHAT = "env", who = "env"},
          run = function(_, emit)
            emit(rac.sh('echo $who $WHAT'):first())
            emit(rac.sh('echo $who', {env = {who = "option"}}):first())
            rac.env.who, rac.env.WHAT = "written", nil
            emit(tostring(rac.env.who) .. tostring(rac.env.WHAT))
            return rac.sh('echo $who ${WHAT-unset}')
          end}
        """#)
    #expect(
      await raclette("over", "me", in: folder).lines
        == ["me env", "option", "writtennil", "written unset"])
  }

  @Test("observers of a command belong to no execution that they observe")
  func observers() async {
    let folder = Folder(
      commands: #"""
        local work = rac.command{name = "work", params = {{name = "who"}}, run = "true"}
        work.executing:skip(1):subscribe(function() os.execute 'echo "<${who-unset}>"' end)
        """#)
    #expect(await raclette("work", "me", in: folder).lines == ["<unset>", "<unset>"])
  }
}
