import TerminalScreen
import Testing
import TextFiles

/// The screens of the guide's page on the REPL: its lines are typed, and the screen has to become what
/// the page shows.
@Suite("the guide's sessions", .timeLimit(.minutes(5)))
struct ReplGuideTests {
  @Test("look as the page shows them")
  func screens() async throws {
    let screens = try GuidePage("ExploringInTheREPL").blocks.compactMap { block in
      if case .screen(let start) = block.kind { (start, block) } else { nil }
    }
    var sessions: [[GuidePage.Block]] = []
    var starts: [String] = []
    for (start, block) in screens {
      if start.isEmpty {
        sessions[sessions.count - 1].append(block)
      } else {
        starts.append(start)
        sessions.append([block])
      }
    }
    #expect(starts.count >= 2)
    for (start, blocks) in zip(starts, sessions) {
      let words = start.split(separator: " ").dropFirst().map {
        $0.hasPrefix("examples/") ? "\(TextFile.packageFolder)/\($0)" : String($0)
      }
      let wrong = await onThread { Self.play(blocks, words) }
      #expect(wrong == nil, "\(start)")
    }
  }

  /// Types each line of the blocks once what the page shows before it is there.
  ///
  /// - Returns: what the screen shows instead of a block.
  private static func play(_ blocks: [GuidePage.Block], _ words: [String]) -> String? {
    let session = TerminalSession(words, in: Folder(), rows: 60)
    session.waitForPrompt()
    for block in blocks {
      var wanted: [String] = []
      for (index, line) in block.lines.enumerated() {
        wanted.append(line)
        let isPrompt = line.hasPrefix("rac> ")
        guard isPrompt else { continue }
        // A status line stands above the prompt only while nothing is typed after it.
        _ = session.wait { ends($0, with: wanted.dropLast()) || index == 0 }
        session.enter(String(line.dropFirst(5)))
      }
      guard session.wait(until: { ends($0, with: wanted[...]) }) else { return session.screen.text }
    }
    return nil
  }

  /// Whether the screen ends with these lines and the prompt, whatever the times are; a status line that
  /// stands above the prompt for the moment does not count.
  private static func ends(_ screen: Screen, with lines: ArraySlice<String>) -> Bool {
    // How many requests have come by now is a matter of time.
    var shown = screen.lines.filter { !$0.hasPrefix("[1] GET ") }
    if lines.last != "rac>" {
      // What is typed before the prompt is back would be echoed in front of it.
      guard shown.popLast() == "rac>" else { return false }
      if shown.last?.hasPrefix("1  ") == true { shown.removeLast() }
    }
    return shown.suffix(lines.count).map(timeless) == lines.map(timeless)
  }

  /// A line without its times and without what is drawn in proportion to them.
  private static func timeless(_ line: String) -> String {
    line.replacingDurations(with: "…").replacing(#/\d+ values?/#, with: "values")
      .replacing(#/-+/#, with: "-")
      .replacing(#/ +/#, with: " ")
  }
}
