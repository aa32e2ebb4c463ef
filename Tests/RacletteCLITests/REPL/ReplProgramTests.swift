import Platform
import Testing

/// The terminal has one user at a time: a line that is being typed, or a program of a script.
@Suite("programs that use the REPL's terminal", .timeLimit(.minutes(5)))
struct ReplProgramTests {
  @Test("the prompt waits for a program that gives the terminal back late")
  func lateReturn() async {
    let isThere = await atPrompt(columns: 120) { session in
      session.enter(
        "os.execute([[trap '' INT; trap 'sleep 0.5; exit' TERM; echo up; read line]])")
      session.wait(forLine: "up")
      session.waitUntilAProgramOwnsTheTerminal()
      // The session alone is interrupted, not the program.
      kill(session.pid, SIGINT)
      session.wait(for: "interrupted")
      session.waitForPrompt()
      session.enter("6 * 7")
      return session.wait(forLine: "42")
    }
    #expect(isThere)
  }

  @Test("Ctrl-C at any moment leaves the terminal with the session")
  func anyMoment() async {
    let answers = await atPrompt(rows: 200) { session in
      for round in 1...20 {
        session.enter("os.execute('echo up \(round); read line')")
        session.wait(forLine: "up \(round)")
        usleep(UInt32(round % 5) * 100)
        guard session.answersAfterControlC(round) else { return session.screen.lines }
      }
      return []
    }
    #expect(answers.isEmpty, "\(answers)")
  }

  @Test("Ctrl-C that ends a program whose output a script reads is meant for the line")
  func output() async {
    let lines = await atPrompt { session in
      session.enter("io.popen('echo up >&2; read line </dev/tty'):read('a')")
      session.wait(forLine: "up")
      session.waitUntilAProgramOwnsTheTerminal()
      session.type("\u{03}")
      session.waitForPrompt()
      session.enter("6 * 7")
      session.wait(forLine: "42")
      return session.screen.lines
    }
    #expect(lines.contains { $0.hasSuffix("interrupted") }, "\(lines)")
    #expect(lines.contains("42"), "\(lines)")
  }

  @Test("a program in the background gets the terminal when it is waited for")
  func background() async {
    let lines = await atPrompt { session in
      session.enter("os.execute('read line; echo got $line') &")
      session.wait(for: "waits for the terminal, which is not free now")
      session.enter("6 *")
      session.wait { $0.lines.last == "..>" }
      session.enter("7")
      session.wait(forLine: "42")
      session.waitForPrompt()
      session.enter(":wait 1")
      session.waitUntilAProgramOwnsTheTerminal()
      session.type("this\r")
      session.wait(forLine: "got this")
      session.waitForPrompt()
      session.enter("6 * 8")
      session.wait(forLine: "48")
      return session.screen.lines
    }
    #expect(lines.contains("got this"))
    #expect(lines.contains("48"), "\(lines)")
  }
}
