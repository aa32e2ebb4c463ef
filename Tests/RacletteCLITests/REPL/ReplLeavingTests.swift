import Platform
import Testing

/// The ends of a session: in peace, in a hurry, and without warning.
@Suite(.timeLimit(.minutes(5)))
struct ReplLeavingTests {
  @Test func controlDWarnsIfJobsRunAndThenLeaves() async {
    let (text, status) = await atPrompt { session in
      session.enter("rac.never() &")
      session.wait(for: "[1] rac.never()")
      session.waitForPrompt()
      session.type("\u{04}")
      session.wait(for: "1 job is still running; Ctrl-D again cancels and leaves")
      session.enter("6 * 7")
      session.wait(forLine: "42")
      session.waitForPrompt()
      session.type("\u{04}")
      session.wait { $0.lines.count { $0.hasPrefix("1 job is still") } == 2 }
      // Before the prompt is there, the terminal takes Ctrl-D for the end of a line.
      session.waitForPrompt()
      session.type("\u{04}")
      let status = session.finish()
      return (session.screen.text, status)
    }
    #expect(text.contains("1 job still running: cancelled"))
    #expect(status == 0)
  }

  @Test func aTerminalThatHangsUpLeavesNoChildren() async {
    let folder = Folder()
    let pipe = folder.makePipe("alive")
    let isOver = await onThread {
      let lives = Lives(pipe)
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.enter("rac.sh(\"exec 9>alive; echo up; trap '' HUP; sleep 1000\") &")
      session.wait(forLine: "[1] up")
      session.enter("rac.sh(\"exec 9>alive; echo also up; sleep 1000\")")
      session.wait(forLine: "\"also up\"")
      session.hangUp()
      let status = session.finish()
      return lives.areOver && status == 129
    }
    #expect(isOver)
  }

  @Test func aScriptThatExitsHasItsLastWordsAndLeavesTheTerminalAsItWas() async {
    let isCooked = await atPrompt { session in
      session.enter("t = rac.timer(0.05):subscribe(function() print('last') os.exit(3) end)")
      let status = session.finish()
      return session.echoes && session.screen.lines.contains("last") && status == 3
    }
    #expect(isCooked)
  }

  @Test func controlZStopsItOnceAndGivesTheTerminalBackMeanwhile() async {
    let (wasCooked, isThere) = await atPrompt { session in
      session.type("6 *")
      session.wait { $0.lines.last == "rac> 6 *" }
      session.type("\u{1A}")
      session.waitUntilItStops()
      let wasCooked = session.echoes
      kill(session.pid, SIGCONT)
      session.wait { $0.lines.last == "rac> 6 *" }
      session.type(" 7\r")
      return (wasCooked, session.wait(forLine: "42"))
    }
    #expect(wasCooked)
    #expect(isThere)
  }

  @Test func controlBackslashTakesTheChildrenAlongAndGivesTheTerminalBack() async {
    let folder = Folder()
    let pipe = folder.makePipe("alive")
    let (isOver, isCooked, status) = await onThread {
      let lives = Lives(pipe)
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.enter("rac.sh(\"exec 9>alive; echo up; sleep 1000\") &")
      session.wait(forLine: "[1] up")
      session.waitForPrompt()
      session.type("\u{1C}")
      let status = session.finish()
      // They have been killed, which takes a moment.
      lives.waitForEnd()
      return (lives.areOver, session.echoes, status)
    }
    #expect(isOver)
    #expect(isCooked)
    #expect(status == 131)
  }

  @Test func aSecondControlCHurriesAnEndThatWaits() async {
    let folder = Folder()
    let pipe = folder.makePipe("alive")
    let (isOver, status) = await onThread {
      let lives = Lives(pipe)
      let session = TerminalSession(in: folder)
      session.waitForPrompt()
      session.enter(
        "rac.exec{'sh', '-c', \"exec 9>alive; trap '' TERM; echo up; while :; do sleep 1; done\","
          + " grace = 1000} &")
      session.wait(forLine: "[1] up")
      session.waitForPrompt()
      session.type("\u{04}")
      session.wait(for: "still running")
      session.waitForPrompt()
      session.type("\u{04}")
      session.wait(for: "still running: cancelled")
      session.type("\u{03}")
      session.wait(for: "waiting for")
      session.type("\u{03}")
      let status = session.finish()
      return (lives.areOver, status)
    }
    #expect(isOver)
    #expect(status == 130)
  }

  @Test func aCleanUpThatFailsAtTheEndIsTold() async {
    let run = await raclette(
      "repl", in: Folder(),
      input: "_ = rac.create(function() return function() error('no broom') end end):subscribe()\n")
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("no broom"))
    #expect(run.status == 1)
  }

  @Test func aStandardInputThatCannotBeReadIsAnError() async {
    let run = await shell("raclette repl < /", in: Folder())
    #expect(run.errors.contains("standard input"))
    #expect(run.status == 1)
  }
}
