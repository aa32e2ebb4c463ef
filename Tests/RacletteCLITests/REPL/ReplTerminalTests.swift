import Platform
import Testing
import TextFiles

/// A session at a terminal, seen on its screen.
struct ReplTerminalTests {
  @Test func whatIsTypedIsEditedAndExecuted() async {
    let lines = await atPrompt { session in
      session.type("1 + 2")
      // Two to the left, one deleted, one typed.
      session.type("\u{1B}[D\u{1B}[D\u{7F}*")
      session.wait { $0.lines.last == "rac> 1 * 2" }
      session.type("\u{05}0\r")
      session.wait(forLine: "20")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(lines.suffix(3) == ["rac> 1 * 20", "20", "rac>"])
  }

  @Test("no byte of a paste stops or ends the session") func pastedSignals() async {
    let lines = await atPrompt { session in
      session.type("\u{1B}[200~x = #'\u{1A}\u{1C}' y = 40 + x\u{1B}[201~")
      session.wait { $0.lines.last == "rac> x = #'' y = 40 + x" }
      session.type("\r")
      session.waitForPrompt()
      session.enter("y")
      // Bytes that are no text are left out of an entry.
      session.wait(forLine: "40")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(lines.suffix(3) == ["rac> y", "40", "rac>"])
  }

  @Test func anIncompleteChunkIsAskedForMore() async {
    let lines = await atPrompt { session in
      session.enter("for i = 1, 2 do")
      session.wait { $0.lines.last == "..>" }
      session.enter("print(i)")
      session.wait { $0.lines.last == "..>" }
      session.enter("end")
      session.wait(forLine: "2")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(
      lines.suffix(6) == ["rac> for i = 1, 2 do", "..>   print(i)", "..> end", "1", "2", "rac>"])
  }

  @Test func whatJobsPrintStandsAboveTheLineBeingTyped() async {
    let (lines, cursor) = await atPrompt(columns: 30) { session in
      session.enter("s = rac.subject()")
      session.enter("s:subscribe(print)")
      session.enter(
        "rac.timer(0.3):subscribe(function() s:send_next('first') io.write('half') end)")
      session.type("x = '日本語日本語日本語日本語日本語'")
      session.type("\u{1B}[D\u{1B}[D")
      session.wait(forLine: "first")
      session.wait { $0.lines.last == "'" || $0.lines.last?.hasSuffix("語'") == true }
      return (session.screen.lines, session.screen.cursor)
    }
    #expect(lines.suffix(3) == ["first", "rac> x = '日本語日本語日本語日", "本語日本語'"])
    #expect(cursor.column == 8)
    #expect(cursor.row == lines.count - 1)
  }

  @Test func theHistoryPersistsAndIsSearched() async {
    let folder = Folder()
    let found = await onThread {
      let first = TerminalSession(in: folder)
      first.waitForPrompt()
      first.enter("a = 'one'")
      first.enter("b = 'two'")
      first.enter(":quit")
      _ = first.finish()
      let second = TerminalSession(in: folder)
      second.waitForPrompt()
      second.type("\u{1B}[A\u{1B}[A")
      let isThere = second.wait { $0.lines.last == "rac> b = 'two'" }
      second.type("\u{03}")
      second.waitForPrompt()
      second.type("\u{12}one")
      second.wait(for: "search: one")
      second.type("\r")
      second.enter("a")
      return isThere && second.wait(forLine: "\"one\"")
    }
    #expect(found)
  }

  @Test func aHistoryThatCannotBeWrittenIsToldOnce() async {
    let lines = await atPrompt(["state/raclette": "a file where a folder should be"]) { session in
      session.enter("1")
      session.wait(forLine: "1")
      session.enter("2")
      session.wait(forLine: "2")
      return session.screen.lines
    }
    #expect(lines.count { $0.contains("the history is not kept") } == 1)
  }

  @Test func aHistoryWithoutTheEndOfItsLastLineGetsIt() async throws {
    let folder = Folder(["state/raclette/history": "a = 'one'"])
    await onThread {
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.enter("b = 'two'")
      session.enter(":quit")
      _ = session.finish()
    }
    #expect(
      try TextFile(folder["state/raclette/history"]).lines.prefix(3)
        == ["a = 'one'", "b = 'two'", ":quit"])
  }

  @Test func aLineThatHasNotEndedIsShownByItsJob() async {
    let folder = Folder(
      commands: """
        rac.command{name = "build",
          run = "printf '10%%\\r20%%\\r'; until [ -e go ]; do sleep 0.01; done; echo done"}
        """)
    let isThere = await onThread {
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.enter(":run build &")
      let inBackground = session.wait { $0.lines.contains { $0.hasSuffix("] build: 20%") } }
      folder.write("", to: "go")
      let isOver = session.wait { screen in
        screen.lines.contains { $0.contains("build: completed") }
          && !screen.lines.contains { $0.hasSuffix("] build: 20%") }
      }
      folder.remove("go")
      session.enter(":run build")
      let inForeground = session.wait(forLine: "20%")
      folder.write("", to: "go")
      return inBackground && isOver && inForeground
        && session.wait { !$0.lines.contains("20%") && $0.lines.contains("done") }
    }
    #expect(isThere)
  }

  @Test func aProgressBarOfBytesIsOneLineOfItsJob() async {
    let folder = Folder([:])
    let lines = await onThread {
      let session = TerminalSession(in: folder, columns: 200)
      session.waitForPrompt()
      session.enter(
        "rac.exec{'sh', '-c', 'printf \"\\\\rat 1\"; printf \"\\\\rat 2\"; "
          + "until [ -e go ]; do sleep 0.01; done; echo', output='bytes'} &")
      session.wait { $0.lines.contains { $0.hasPrefix("[1] ") && $0.hasSuffix(": at 2") } }
      folder.write("", to: "go")
      session.wait(for: "completed (")
      return session.screen.lines
    }
    #expect(lines.count { $0 == "[1] at 2" } == 1, "\(lines)")
    #expect(!lines.contains("[1]") && !lines.contains("[1] at 1"), "\(lines)")
  }

  @Test func theEndOfASignalIsMarked() async {
    let lines = await atPrompt { session in
      session.enter("rac.from{'a'}")
      session.wait(forLine: "completed (1 value)")
      session.enter("rac.from{'a', 'b'}")
      session.wait(forLine: "completed (2 values)")
      session.enter("rac.empty()")
      session.wait(forLine: "completed without a value")
      return session.screen.lines
    }
    #expect(lines.count { $0 == "\"a\"" } == 2)
  }

  @Test func pathsCompleteInALineOfTheShell() async {
    let isThere = await atPrompt(["data file.txt": ""]) { session in
      for lead in ["rac.sh(\"cat ", "rac.sh{\"cat ", "os.execute('cat ", "io.popen'cat "] {
        session.type("\(lead)dat\t")
        session.wait { $0.lines.last?.hasPrefix("rac> \(lead)data\\\\ file.txt") == true }
        session.type("\u{03}")
        session.waitForPrompt()
      }
      return true
    }
    #expect(isThere)
  }

  @Test func aPipeIsNoHistory() async {
    let folder = Folder(["state/raclette/other": ""])
    mkfifo(folder["state/raclette/history"], 0o600)
    let lines = await onThread {
      let session = TerminalSession(in: folder, columns: 200)
      session.waitForPrompt()
      session.enter("6 * 7")
      session.wait(forLine: "42")
      return session.screen.lines
    }
    #expect(lines.contains { $0.hasSuffix("history is not a regular file") }, "\(lines)")
  }

  @Test func aLongHistoryIsShortenedToItsEnd() async throws {
    let folder = Folder([
      "state/raclette/history": (1...20_001).map { "line = \($0)\n" }.joined()
    ])
    let isThere = await onThread {
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.type("\u{1B}[A")
      return session.wait { $0.lines.last == "rac> line = 20001" }
    }
    #expect(isThere)
    let lines = try TextFile(folder["state/raclette/history"]).lines
    #expect(lines.first == "line = 10002")
    #expect(lines.count == 10_001)
  }

  @Test func tabCompletesFromTheLiveTables() async {
    let files = [
      "commands.lua": """
      rac.command {name = "build", params = {{name = "target", choices = {"debug", "release"}}},
        run = function() end}
      trap = setmetatable({}, {__index = function() os.exit(9) end})
      """,
      "some-file.txt": "", "some_module.lua": "",
    ]
    let pairs = [
      ("my_va", "my_variable"),
      ("my_variable.inner.de", "my_variable.inner.deep_field"),
      ("rac.behav", "rac.behavior_subject"),
      ("rac.commands.build:exe", "rac.commands.build:execute"),
      (
        "rac.commands.build.executing:distin", "rac.commands.build.executing:distinct_until_changed"
      ),
      ("rac.just(1):distin", "rac.just(1):distinct_until_changed"),
      (":comm", ":commands"),
      (":run bu", ":run build"),
      (":run build --ta", ":run build --target"),
      (":run build target=re", ":run build target=release"),
      ("rac.commands.build:execute{ta", "rac.commands.build:execute{target ="),
      (
        "rac.commands.build:execute({mode = {1}, ta",
        "rac.commands.build:execute({mode = {1}, target ="
      ),
      // Where a value stands, names do.
      (
        "rac.commands.build:execute{target = my_va",
        "rac.commands.build:execute{target = my_variable"
      ),
      ("io.open('some-", "io.open('some-file.txt'"),
      // What stands before a string tells what it is for.
      ("rac.commands[\"bui", "rac.commands[\"build\"]"),
      ("rac.commands.build:execute{target = 're", "rac.commands.build:execute{target = 'release'"),
      (
        "rac.commands.build:execute{target = \"re",
        "rac.commands.build:execute{target = \"release\""
      ),
      ("os.getenv('XDG_STATE_HO", "os.getenv('XDG_STATE_HOME'"),
      ("require 'some_mod", "require 'some_module'"),
      ("rac.exec{'env', 'some-", "rac.exec{'env', 'some-file.txt'"),
      ("!cat some-f", "!cat some-file.txt"),
      // Keys that are no names.
      ("my_variable.out", "my_variable[\"out-dir\"]"),
      ("my_variable['out", "my_variable['out-dir']"),
      ("my_variable.inner['deep", "my_variable.inner['deep_field']"),
      // What the entry itself declares.
      ("local first_local = 1; print(first_lo", "local first_local = 1; print(first_local"),
      (
        "function f(long_parameter) return long_pa",
        "function f(long_parameter) return long_parameter"
      ),
      ("local s = rac.from{1}; s:distin", "local s = rac.from{1}; s:distinct_until_changed"),
      ("local s = 'text'; s:form", "local s = 'text'; s:format"),
      ("local t = {inside = 1}; t.ins", "local t = {inside = 1}; t.inside"),
      ("('%d'):form", "('%d'):format"),
      ("rac.from{1, 2}:distin", "rac.from{1, 2}:distinct_until_changed"),
      // What only running code could tell stays as it is.
      ("trap.anything", "trap.anything"),
      ("trap.a.b.c", "trap.a.b.c"),
    ]
    let wrong = await atPrompt(files, columns: 120) { session in
      session.enter("my_variable = {inner = {deep_field = 1}, ['out-dir'] = 1}")
      session.waitForPrompt()
      return pairs.filter { typed, whole in
        session.type(typed + "\t.")
        let isThere = session.wait {
          $0.lines.contains { $0.hasPrefix("rac> " + whole) } && $0.textBeforeCursor.last == "."
        }
        session.type("\u{03}")
        session.waitForPrompt()
        return !isThere
      }.map(\.1)
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func theOnlyNameThatCouldBeMeantIsSuggested() async {
    let lines = await atPrompt { session in
      session.type("rac.behav")
      session.wait { $0.lines.last == "rac> rac.behavior_subject" && $0.cursor.column == 14 }
      session.type("\u{1B}[C(1)\u{1B}\r:map")
      session.wait { $0.lines.count >= 3 && $0.textBeforeCursor.hasSuffix("..>   :map") }
      return session.screen.lines
    }
    #expect(lines.contains("rac> rac.behavior_subject(1)"), "\(lines)")
  }

  @Test func severalCompletionsAreAMenuBelowTheLine() async {
    let lines = await atPrompt { session in
      session.enter("_G.ab_one, _G.ab_two = 1, print")
      session.waitForPrompt()
      session.type("ab\t")
      session.wait { $0.lines.suffix(3).first == "rac> ab_" }
      session.type("\t")
      session.wait {
        $0.lines.suffix(3) == ["rac> ab_one", " ab_one  number", " ab_two  function"]
      }
      session.type("\t\r(1)\r")
      session.wait(forLine: "1")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(lines.suffix(3) == ["rac> ab_two(1)", "1", "rac>"])
  }

  @Test func aWatchStandsAboveThePromptAndFollows() async {
    let lines = await atPrompt { session in
      session.enter("s = rac.behavior_subject('calm')")
      session.enter(":watch s")
      session.wait { $0.lines.suffix(2) == ["1  s: \"calm\"", "rac>"] }
      session.enter("rac.timer(0.2):subscribe(function() s:send_next('storm') end)")
      session.type("typing")
      session.wait {
        $0.lines.suffix(4) == ["1  s", "   \"calm\"", "   \"storm\"", "rac> typing"]
      }
      session.type("\u{03}")
      session.wait {
        $0.lines.suffix(4) == ["1  s", "   \"calm\"", "   \"storm\"", "rac>"]
      }
      session.enter(":unwatch 1")
      session.wait { $0.lines.suffix(2) == ["rac> :unwatch 1", "rac>"] }
      return session.screen.lines
    }
    #expect(!lines.contains { $0 == "1  s" || $0.hasPrefix("1  s:") })
  }

  @Test func aResizedTerminalKeepsTheLine() async {
    let lines = await atPrompt(columns: 60) { session in
      session.type("print('0123456789012345678901234567890123456789')")
      session.wait { $0.lines.last?.hasSuffix("')") == true }
      session.resize(rows: 20, columns: 100)
      session.type("--")
      session.wait { $0.lines.last?.hasSuffix("')--") == true }
      session.type("\r")
      session.wait(forLine: "0123456789012345678901234567890123456789")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(lines.contains("rac> print('0123456789012345678901234567890123456789')--"))
  }

  @Test func aFloodKeepsThePromptWhole() async {
    let lines = await atPrompt { session in
      session.enter("function flood() for i = 1, 200000 do print('flood', i) end end")
      session.waitForPrompt()
      session.enter("t = rac.timer(0.1):subscribe(flood)")
      session.type("still here")
      session.wait { $0.lines.suffix(2) == ["flood   200000", "rac> still here"] }
      return session.screen.lines
    }
    #expect(lines.last == "rac> still here")
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix("flood") }, "\(lines)")
  }

  @Test func aMegabytePastedInOneLineArrives() async {
    let isThere = await atPrompt { session in
      session.type("#'")
      session.type(String(repeating: "z", count: 1 << 20))
      session.type("'\r")
      return session.wait(forLine: "1048576")
    }
    #expect(isThere)
  }

  @Test func aPasteOfSeveralLinesIsOneEntryThatEnterExecutes() async {
    let lines = await atPrompt { session in
      session.type("\u{1B}[200~x = 1\ny = x + 1\nx + y\n\u{1B}[201~")
      session.wait { $0.lines.last == "..> x + y" }
      session.type("\r")
      session.wait(forLine: "3")
      session.waitForPrompt()
      session.type("\u{1B}[A")
      session.wait { $0.lines.last == "..> x + y" && $0.lines.count == 8 }
      return session.screen.lines
    }
    let entry = ["rac> x = 1", "..> y = x + 1", "..> x + y"]
    #expect(lines.suffix(7) == entry + ["3"] + entry)
  }

  @Test func aMethodChainStandsOnLinesOfItsOwn() async {
    let isThere = await atPrompt { session in
      session.type("rac.from{1, 2}\u{1B}\r:map(function(n)\rreturn n * 10\rend)\r")
      return session.wait {
        $0.lines.suffix(4) == ["10", "20", "completed (2 values)", "rac>"]
      }
    }
    #expect(isThere)
  }

  @Test func whatIsTypedHasColoursAndTheSignatureOfItsFunction() async {
    let (keyword, unknown, hint) = await atPrompt { session in
      session.type("local x = nowhere or rac.range(1")
      session.wait(for: "rac.range(first, last")
      return (
        session.screen.color(of: "local"), session.screen.color(of: "nowhere"),
        session.screen.lines.last
      )
    }
    #expect(keyword == 5)
    #expect(unknown == nil)
    #expect(hint?.hasPrefix("rac.range(") == true, "\(hint ?? "")")
  }

  @Test func entriesOfSeveralLinesAreInTheHistoryOfTheNextSession() async {
    let folder = Folder()
    let isThere = await onThread {
      let first = TerminalSession(in: folder)
      first.waitForPrompt()
      first.type("do\rlocal a = 1\rend\r")
      first.waitForPrompt()
      first.enter(":quit")
      _ = first.finish()
      let second = TerminalSession(in: folder)
      second.waitForPrompt()
      second.type("\u{1B}[A\u{1B}[A")
      return second.wait { $0.lines.suffix(3) == ["rac> do", "..>   local a = 1", "..> end"] }
    }
    #expect(isThere)
  }

  @Test func theStartUpFileBindsKeys() async {
    let isThere = await atPrompt([
      "config/raclette/repl.lua": """
      repl.bind("C-t", function(buffer)
        buffer.text = "print(" .. buffer.text .. ")"
        buffer.cursor = 6
      end)
      """
    ]) { session in
      session.type("6 * 7\u{14}-")
      return session.wait { $0.lines.contains("rac> print(-6 * 7)") }
    }
    #expect(isThere)
  }

  @Test func theStartUpFileBindsNothingAtATerminalWithoutACursor() async {
    let lines = await atPrompt(
      ["config/raclette/repl.lua": "repl.keys('vi') repl.bind('C-t', 'transpose-words')"],
      environment: ["TERM": "dumb"]
    ) { session in
      session.enter("6 * 7")
      session.wait(forLine: "42")
      return session.screen.lines
    }
    #expect(Array(lines.dropFirst().prefix(2)) == ["rac> 6 * 7", "42"])
  }

  @Test func aBindingThatMeansNothingIsToldByItsPlace() async {
    let isThere = await atPrompt([
      "config/raclette/repl.lua": "\nrepl.bind('C-t', 'kill-lines')"
    ]) { session in
      session.wait(for: "repl.lua:2:") && session.wait(for: "did you mean 'kill-line'")
    }
    #expect(isThere)
  }

  @Test func controlXControlEEditsTheEntryInTheUsersEditor() async {
    let isThere = await atPrompt(
      ["edit": "#!/bin/sh\nprintf '6 * 7\\n' >\"$1\"\n"],
      environment: ["EDITOR": "sh ./edit", "VISUAL": ""]
    ) { session in
      session.type("draft\u{18}\u{05}")
      session.wait { $0.lines.last == "rac> 6 * 7" }
      session.type("\r")
      return session.wait(forLine: "42")
    }
    #expect(isThere)
  }

  @Test func keysTypedWhileSomethingRunsAreNotExecutedAfterControlC() async {
    let lines = await atPrompt { session in
      session.enter("rac.never()")
      // What is typed before that is the next entry's.
      eventually { session.echoes }
      session.type("print('secret')\r")
      session.wait(for: "print('secret')")
      session.type("\u{03}")
      session.wait { $0.lines.last == "rac> print('secret')" }
      session.type("\u{03}")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(!lines.contains("secret"), "\(lines)")
  }

  @Test func bytesThatAreNoTextAreReplaced() async {
    let isThere = await atPrompt { session in
      session.type(bytes: Array("x = '".utf8) + [0xFF, 0xC3, 0x28, 0x00] + Array("'\r".utf8))
      session.waitForPrompt()
      session.enter("1 + 1")
      return session.wait(forLine: "2")
    }
    #expect(isThere)
  }

  @Test func outputWithoutTheEndOfItsLineKeepsItsPlace() async {
    let lines = await atPrompt { session in
      session.enter("local _ = io.write('partial')")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(lines.suffix(3) == ["rac> local _ = io.write('partial')", "partial", "rac>"])
  }

  @Test func aJobThatReadsStandardInputLeavesTheKeyboardToTheSession() async {
    let isThere = await atPrompt { session in
      session.enter("rac.stdin() &")
      session.wait(for: "[1] rac.stdin()")
      session.waitForPrompt()
      session.enter("6 * 7")
      return session.wait(forLine: "42")
    }
    #expect(isThere)
  }

  @Test func standardInputIsReadAgainAfterControlD() async {
    let lines = await atPrompt { session in
      for line in ["one", "two"] {
        session.enter("rac.stdin():to_table()")
        // What is typed before that is the next entry's.
        eventually { session.echoes }
        session.type("\(line)\r\u{04}")
        session.wait(forLine: "{\"\(line)\", n = 1}")
        session.waitForPrompt()
      }
      return session.screen.lines
    }
    #expect(lines.suffix(3) == ["two", "{\"two\", n = 1}", "rac>"], "\(lines)")
  }

  @Test func whatAProgramWritesLateIsShownWithoutAKey() async {
    let isThere = await atPrompt(columns: 120) { session in
      session.enter(
        "t = rac.file_exists('go'):filter(function(is) return is end):take(1):subscribe(function()")
      session.enter("os.execute('(sleep 0.1; echo late) &') end)")
      session.waitForPrompt()
      // What is started before a prompt is there writes to the terminal itself.
      session.folder.write("", to: "go")
      return session.wait { $0.lines.suffix(2) == ["late", "rac>"] }
    }
    #expect(isThere)
  }

  /// At a prompt the terminal is the session's alone.
  @Test func aJobThatReadsTheTerminalGetsItWhenItIsWaitedFor() async {
    let isThere = await atPrompt { session in
      session.enter("os.execute('read line; echo got $line') &")
      session.wait(for: "waits for the terminal")
      session.waitForPrompt()
      session.enter("6 * 7")
      session.wait(forLine: "42")
      session.waitForPrompt()
      session.enter(":wait 1")
      // What is typed before that is the next entry's.
      eventually { session.echoes }
      session.enter("a line")
      return session.wait(forLine: "got a line") && session.waitForPrompt()
    }
    #expect(isThere)
  }

  @Test func entriesAreNumberedAndTheirValuesKept() async {
    let lines = await atPrompt { session in
      for entry in [
        "6 * 7", "-- Adds two numbers.\u{1B}\rfunction add(a, b) return a + b end", "add(_1, 1)",
        "nil + 1", "rac.error({code = 1}):wait()", "add?", "string.rep?", "!echo out; exit 3",
        ":history 3",
      ] {
        session.enter(entry)
        session.waitForPrompt()
      }
      return session.screen.lines
    }
    #expect(
      lines.suffix(19)
        == [
          "43", "rac> nil + 1",
          "error: [4]:1: attempt to perform arithmetic on a nil value",
          "rac> rac.error({code = 1}):wait()", "error: {code = 1}", "rac> add?", "add(a, b)",
          "  [2]:2", "  Adds two numbers.", "rac> string.rep?", "string.rep(s, n [, sep]): string",
          "  n copies of s, with a separator.", "rac> !echo out; exit 3", "out", "status 3",
          "rac> :history 3", "[6] add?", "[7] string.rep?", "[8] !echo out; exit 3", "rac>",
        ].suffix(19), "\(lines)")
  }

  @Test func anEntryIsChangedInTheUsersOwnEditor() async {
    let lines = await atPrompt(environment: ["EDITOR": "sed -i s/one/two/"]) { session in
      session.enter("'one'")
      session.enter(":edit 1")
      session.wait { $0.lines.last == "rac> 'two'" }
      session.type(" .. 'one'\u{18}\u{05}")
      session.wait { $0.lines.last == "rac> 'two' .. 'two'" }
      session.type("\r")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(lines.suffix(3) == ["rac> 'two' .. 'two'", "\"twotwo\"", "rac>"], "\(lines)")
  }

  @Test func moreWatchesThanRowsAreCounted() async {
    let lines = await atPrompt(rows: 12) { session in
      session.enter("s = rac.behavior_subject(0)")
      session.waitForPrompt()
      for _ in 1...12 {
        session.enter(":watch s")
        session.wait { $0.lines.last == "rac>" }
      }
      session.enter("s:send_next(1)")
      session.wait { $0.lines.suffix(9).first == "1  s: 1" && $0.lines.last == "rac>" }
      return session.screen.lines
    }
    #expect(lines.suffix(2) == ["… 5 more", "rac>"])
  }

  @Test func aWatchOfALongExpressionShowsItsValue() async {
    let isThere = await atPrompt(columns: 40) { session in
      session.enter(":watch rac.just(1):map(function(n) return {value = n} end)")
      return session.wait { $0.text.contains("…: {value = 1} (completed)") }
    }
    #expect(isThere)
  }

  @Test func whatJobsPrintStandsAboveADiagram() async {
    let lines = await atPrompt { session in
      session.enter("rac.interval(0.02):take(8):map(function(n) return 'job ' .. n end) &")
      session.waitForPrompt()
      session.enter(":marbles rac.interval(0.1):take(3)")
      session.wait { $0.lines.contains { $0.hasSuffix("3|") } && $0.lines.last == "rac>" }
      return session.screen.lines
    }
    #expect(lines.count { $0.hasPrefix("rac.interval(0.1):take(3)  ") } == 1, "\(lines)")
    #expect(lines.count { $0.hasPrefix("[1] job ") } == 8, "\(lines)")
  }

  @Test func viKeysCompleteToo() async {
    let isThere = await atPrompt(["config/raclette/repl.lua": "repl.keys('vi')"]) { session in
      session.type("rac.behav\t\u{1B}")
      session.type("bcwjust\u{1B}")
      return session.wait { $0.lines.last == "rac> rac.just" }
    }
    #expect(isThere)
  }

  @Test func aTerminalThatCanOnlyWriteGetsNoEscapes() async {
    let isThere = await atPrompt(environment: ["TERM": "dumb"]) { session in
      session.type("6 * 7\r")
      session.wait(forLine: "42")
      session.waitForPrompt()
      session.type("print('up') while true do end\r")
      session.wait(forLine: "up")
      session.type("\u{03}")
      session.wait(for: "interrupted")
      session.waitForPrompt()
      session.type("1 + 1\r")
      session.wait(forLine: "2")
      session.waitForPrompt()
      // What Ctrl-C abandons is not executed with the next line.
      session.type("print('abandoned') ")
      session.wait(for: "abandoned")
      session.type("\u{03}")
      session.waitForPrompt()
      session.type("'fresh'\r")
      return session.wait(forLine: "\"fresh\"") && !session.screen.lines.contains("abandoned")
        && !session.hasSeenEscapes
    }
    #expect(isThere)
  }

  @Test func tabsAndNothingElseOfAPasteAreKept() async {
    let isThere = await atPrompt { session in
      session.type("\u{1B}[200~#'a\tb\0c'\u{1B}[201~\r")
      return session.wait(forLine: "4")
    }
    #expect(isThere)
  }
}
