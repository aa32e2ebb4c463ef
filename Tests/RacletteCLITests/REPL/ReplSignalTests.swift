import Testing

/// Signals in sight: the line below a signal in the foreground, watches, and diagrams.
@Suite(.timeLimit(.minutes(5)))
struct ReplSignalTests {
  @Test func aSignalInTheForegroundHasALineThatGivesWay() async {
    let lines = await atPrompt { session in
      session.enter("rac.interval(0.3):take(6):map(function(n) return n * 10 end)")
      session.wait { ($0.lines.last ?? "").contains(#/^[3-6] values, [0-9.]+\/s ▁.*█$/#) }
      session.wait(forLine: "60")
      session.waitForPrompt()
      return session.screen.lines
    }
    #expect(
      lines.suffix(7) == ["20", "30", "40", "50", "60", "completed (6 values)", "rac>"], "\(lines)")
  }

  @Test func aWatchTellsHowManyValuesCame() async {
    let isThere = await atPrompt { session in
      session.enter("s = rac.subject()")
      session.enter(":watch s")
      session.enter("for i = 1, 4 do s:send_next(i % 3) end")
      return session.wait {
        $0.lines.suffix(2).first?.contains(#/^1  s: 1 +4 values.* ▄█▁▄$/#) == true
          && $0.lines.last == "rac>"
      }
    }
    #expect(isThere)
  }

  @Test func watchesHavePanesOfSeveralRows() async {
    let (wide, small, one) = await atPrompt { session in
      session.enter("lines, tree, count = rac.subject(), rac.subject(), rac.subject()")
      for name in ["lines", "tree", "count"] { session.enter(":watch \(name)") }
      session.wait { $0.lines.suffix(4) == ["1  lines: –", "2  tree: –", "3  count: –", "rac>"] }
      session.enter("for i = 1, 12 do lines:send_next('line ' .. i) end")
      let text = String(repeating: "x", count: 50)
      session.enter("tree:send_next({a = ('x'):rep(50), b = ('x'):rep(50)}); count:send_next(7)")
      session.wait {
        $0.lines.contains("     b = \"\(text)\"") && $0.lines.last == "rac>"
      }
      let wide = session.screen.lines.suffix(14)
      // While something is typed, the panes follow what is sent.
      session.type("1 + ")
      session.resize(rows: 10, columns: 40)
      session.wait {
        $0.lines.last == "rac> 1 +" && $0.lines.suffix(5).first?.hasPrefix("1  lines ") == true
      }
      let small = session.screen.lines.suffix(5)
      session.type("1\r")
      session.wait(forLine: "2")
      session.waitForPrompt()
      session.enter(":unwatch 1")
      session.enter(":unwatch 2")
      session.enter("count:send_error('over')")
      session.wait { $0.lines.suffix(2) == ["3  count: error: over", "rac>"] }
      session.enter(":unwatch")
      session.wait { !$0.text.contains("3  count: error") && $0.lines.last == "rac>" }
      return (Array(wide), Array(small), session.screen.lines.last)
    }
    let text = String(repeating: "x", count: 50)
    #expect(wide.first?.hasPrefix("1  lines   ") == true, "\(wide)")
    var rows = (7...12).map { "   \"line \($0)\"" }
    rows += ["2  tree", "   {", "     a = \"\(text)\",", "     b = \"\(text)\"", "   }"]
    rows += ["3  count: 7", "rac>"]
    #expect(Array(wide.dropFirst()) == rows)
    #expect(
      small.dropFirst() == [
        "   \"line 12\"", "2  tree: {a = \"xxxxxxxxxxxxxxxxxxxxxxx…", "3  count: 7", "rac> 1 +",
      ], "\(small)")
    #expect(one == "rac>")
  }

  @Test func aWatchedJobThatIsKilledSaysSo() async {
    let isThere = await atPrompt { session in
      session.enter("job = rac.command{run = function() return rac.never() end}:execute()")
      session.wait(for: "[1] ")
      session.enter(":watch job")
      session.wait { $0.lines.contains("1  job: –") }
      session.enter(":kill 1")
      return session.wait { $0.lines.suffix(2).first?.contains("1  job: error: ") == true }
    }
    #expect(isThere)
  }

  @Test(arguments: [10, 20, 40, 100, 300])
  func diagramsFitAnyWidth(_ columns: Int) async {
    let lines = await atPrompt(rows: 40, columns: columns) { session in
      // On few columns, what is typed has several rows.
      session.type("function two() return rac.from{1, 2}, rac.timer(0.05):map(error) end\r")
      session.wait { $0.lines.last == "rac>" && $0.lines.count { $0.hasPrefix("rac>") } > 1 }
      session.type(":marbles two()\r")
      session.wait { $0.text.contains("error: ") && $0.lines.last == "rac>" }
      return session.screen.lines
    }
    #expect(lines.contains { $0.hasSuffix("|") }, "\(lines)")
    #expect(lines.contains { $0.hasSuffix("x") }, "\(lines)")
  }

  @Test func diagramsHaveColours() async {
    let colors = await atPrompt { session in
      session.enter(":marbles rac.from{1, 'ab'}")
      session.wait { $0.text.contains("(1ab)") && $0.lines.last == "rac>" }
      return [session.screen.color(of: "1ab"), session.screen.color(of: "ab)")]
    }
    #expect(colors == [6, 2])
  }

  @Test func aTerminalWithoutACursorGetsNoLine() async {
    let hasSeenEscapes = await atPrompt(environment: ["TERM": "dumb"]) { session in
      session.enter("rac.interval(0.3):take(5)")
      session.wait { $0.lines.contains("5") && $0.lines.last == "rac>" }
      session.enter(":marbles rac.just(1)")
      session.wait { $0.text.contains("1|") }
      return session.hasSeenEscapes
    }
    #expect(!hasSeenEscapes)
  }

  @Test func namesAreExplainedByWhatTheyHold() async {
    let run = await raclette(
      "repl",
      in: Folder(commands: "rac.command{name = 'build', summary = 'Compile', run = 'true'}"),
      input: "signal:scan?\nrac.commands.build?\nt = {a = 1}\nt.a?\nt?\nnosuch?\n")
    #expect(run.output.contains("--> 5, 15, 35"), "\(run)")
    #expect(run.output.contains("Compile"))
    #expect(run.lines.suffix(4) == ["t.a: number", "1", "t: table", "{a = 1}"], "\(run)")
    #expect(run.errors.contains("nothing is known about 'nosuch'"))
  }

  @Test func fileNamesAreQuotedForTheShell() async {
    let isThere = await atPrompt(["two words.txt": "read\n"]) { session in
      session.type("!cat two\t\r")
      return session.wait(forLine: "read")
    }
    #expect(isThere)
  }

  @Test func anExpressionOfACommandMayHaveSeveralLines() async {
    let isThere = await atPrompt { session in
      session.enter(":more {")
      session.wait { $0.lines.last?.hasPrefix("..>") == true }
      session.enter("1, 2}")
      return session.wait(forLine: "{1, 2}")
    }
    #expect(isThere)
  }
}
