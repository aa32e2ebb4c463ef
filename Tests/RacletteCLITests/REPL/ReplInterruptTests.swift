import Testing

/// Ctrl-C in every state of a session: it stops what goes on and never the session.
@Suite(.timeLimit(.minutes(5)))
struct ReplInterruptTests {
  @Test func controlCClearsAnIdleLine() async {
    let lines = await atPrompt { session in
      session.type("x = 1")
      session.wait { $0.lines.last == "rac> x = 1" }
      session.type("\u{03}")
      session.waitForPrompt()
      session.enter("x")
      session.wait(forLine: "nil")
      return session.screen.lines
    }
    #expect(lines.contains("rac> x = 1^C"))
  }

  @Test func controlCGivesUpAnIncompleteChunk() async {
    let isThere = await atPrompt { session in
      session.enter("for i = 1, 2 do")
      session.wait { $0.lines.last == "..>" }
      session.type("\u{03}")
      session.waitForPrompt()
      session.enter("1 + 1")
      return session.wait(forLine: "2")
    }
    #expect(isThere)
  }

  @Test(arguments: [
    "while true do end", "pcall(function() while true do end end)", "rac.sleep(1000)",
    "rac.never()", "rac.exec{'sleep', '1000'}:wait()", "rac.range(1, 1 << 60)",
    "('x'):rep(100):gsub('.', function() while true do end end)",
    "rac.stdin():first()", ":marbles rac.never()",
    ":time rac.never()", "rac.interval(0.001)",
  ])
  func controlCStopsWhateverGoesOn(_ line: String) async {
    let isThere = await atPrompt { session in
      session.enter(line)
      return session.answersAfterControlC()
    }
    #expect(isThere)
  }

  @Test func controlCStopsTheTextOfAValue() async {
    let isThere = await atPrompt { session in
      session.enter(
        "setmetatable({}, {__tostring = function() io.stderr:write('up\\n') while true do end end})"
      )
      session.wait(forLine: "up")
      return session.answersAfterControlC()
    }
    #expect(isThere)
  }

  @Test
  func controlCReachesAScriptThatReadsInsideC() async {
    let isThere = await atPrompt { session in
      session.enter("io.read()")
      session.waitUntilItReads()
      return session.answersAfterControlC()
    }
    #expect(isThere)
  }

  @Test
  func controlCReachesAProgramThatAScriptWaitsForInsideC() async {
    let isThere = await atPrompt { session in
      // A shell between two commands puts an interrupt off until the second has ended.
      session.enter("os.execute('echo up; read line')")
      session.wait(forLine: "up")
      return session.answersAfterControlC()
    }
    #expect(isThere)
  }

  @Test func controlCSaysWhatItCannotStopAndWhatCan() async {
    let status = await atPrompt { session in
      session.enter("io.stderr:write('up\\n') string.find(('a'):rep(40), ('a*'):rep(40) .. 'b')")
      session.wait(forLine: "up")
      // An interrupt may come between the two calls.
      session.waitUntilItComputes()
      session.wait { screen in
        session.type("\u{03}")
        return screen.lines.contains {
          $0 == "raclette: what runs does not answer Ctrl-C; Ctrl-\\ ends the session"
        }
      }
      session.type("\u{1C}")
      return session.finish()
    }
    #expect(status == 128 + 3)
  }

  @Test func controlCEndsTheExecutionThatTheLineStarted() async {
    let lines = await atPrompt([
      "commands.lua":
        "rac.command {name = 'wait', run = function() return rac.just(1):concat(rac.never()) end}"
    ]) { session in
      session.enter(":run wait")
      session.wait(forLine: "1")
      session.type("\u{03}")
      session.waitForPrompt()
      session.enter("local e = rac.commands.wait:execute()")
      session.wait(forLine: "[2] 1")
      session.enter("e")
      session.wait { $0.lines.suffix(2) == ["rac> e", "1"] }
      session.type("\u{03}")
      session.wait(for: "[2] wait continues")
      session.enter(":jobs")
      session.wait(for: "running  (1 value")
      return session.screen.lines
    }
    #expect(lines.contains { $0.contains("[1] wait: cancelled") })
    #expect(lines.contains { $0.contains("[1] wait  cancelled") })
  }

  @Test func oneControlCIsEnoughForAllTextsOfATable() async {
    let isThere = await atPrompt(columns: 120) { session in
      session.enter(
        "loop = {__tostring = function() io.stderr:write('up\\n') while true do end end}")
      session.enter("local t = {} for i = 1, 9 do t[i] = setmetatable({}, loop) end")
      session.waitForPrompt()
      session.enter("t")
      session.wait(forLine: "up")
      return session.answersAfterControlC()
    }
    #expect(isThere)
  }

  @Test func whatFollowsInAPasteThatIsGivenUpIsNotExecuted() async {
    let lines = await atPrompt { session in
      session.type("\u{1B}[200~print('first')\nprint('second')\n")
      session.type("\u{03}")
      session.wait { $0.lines.suffix(2) == ["rac> ^C", "rac>"] }
      session.type("print('third')\n\u{1B}[201~")
      session.enter("print('typed')")
      session.wait(forLine: "typed")
      return session.screen.lines
    }
    #expect(!lines.contains { ["first", "second", "third"].contains($0) }, "\(lines)")
  }
  /// The key may come while the beginning is being read; and in one piece with it, the kernel tells of it
  /// before the beginning can be read.
  @Test func aPasteThatIsGivenUpWhileItBeginsIsNotExecuted() async {
    let lines = await atPrompt(rows: 100) { session in
      for round in 1...20 {
        let beginning = "\u{1B}[200~print('first')\nprint('second')\n"
        for piece in round % 2 == 0 ? [beginning, "\u{03}"] : [beginning + "\u{03}"] {
          session.type(piece)
        }
        session.wait { $0.lines.suffix(2) == ["rac> ^C", "rac>"] }
        session.type("print('third')\n\u{1B}[201~")
        session.enter("print('typed')")
        session.wait { $0.lines.suffix(2) == ["typed", "rac>"] }
      }
      return session.screen.lines
    }
    #expect(!lines.contains { ["first", "second", "third"].contains($0) }, "\(lines)")
    #expect(lines.count { $0 == "typed" } == 20)
  }
}
