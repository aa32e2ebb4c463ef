import Testing

/// What names, inputs and messages hold that a terminal would obey is shown instead.
@Suite struct ControlCharacterTests {
  /// Clears the screen, rings, overrides the direction, and does so in the other ways that terminals
  /// know.
  private static let evil = #"\27[2J\7\r\127\u{9B}2J\u{202E}\27]0;title\7"#
  /// How that is shown.
  private static let shown = #"\e[2J\x07\r\x7f\u{9B}2J\u{202E}\e]0;title\x07"#

  private func folder() -> Folder {
    Folder(
      commands: """
        local evil = "\(Self.evil)"
        rac.command{name = "ask", summary = "summary " .. evil, description = "details " .. evil,
          group = "group " .. evil, enabled = function() return true end,
          params = {{name = "mode", default = evil, help = "help " .. evil}},
          run = function() return rac.exec{"true"} end}
        rac.command{name = "fail", run = function() error("reason " .. evil, 0) end}
        rac.command{name = "off", enabled = rac.just(false), run = function() end}
        rac.command{name = "log", run = function() rac.log.warn("told " .. evil) end}
        rac.command{name = "value", run = function() return evil end}
        rac.command{name = "name" .. evil, run = function() end}
        """)
  }

  private func expectShown(
    _ text: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(text.contains(Self.shown), "\(text.debugDescription)", sourceLocation: location)
    expectNothingRaw(text, location)
  }

  private func expectNothingRaw(
    _ text: String, _ location: SourceLocation = #_sourceLocation
  ) {
    let raw = text.unicodeScalars.filter {
      switch $0.value {
      case 10: false
      case ..<32, 127..<160, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    #expect(raw.isEmpty, "\(text.debugDescription)", sourceLocation: location)
  }

  @Test(arguments: [
    ["list"], ["show", "ask"], ["run", "ask", "--help"],
  ])
  func whatIsListedIsShown(_ arguments: [String]) async {
    let folder = folder()
    let launch = Launch(arguments: arguments, folder: folder.path)
    let outcome = await onThread { Running(launch).finish() }
    #expect(outcome.status == 0, "\(outcome)")
    expectShown(outcome.output)
  }

  @Test(arguments: [
    ["fail"], ["log"], ["no\u{1B}[2J\u{7}\r\u{7F}\u{9B}2J\u{202E}\u{1B}]0;title\u{7}"],
  ])
  func messagesAreShown(_ words: [String]) async {
    let folder = folder()
    let launch = Launch(arguments: ["run"] + words, folder: folder.path)
    expectShown(await onThread { Running(launch).finish() }.errors)
  }

  @Test("a byte that is not UTF-8 is shown in all that the runner says")
  func bytes() async {
    let folder = Folder(
      commands: #"""
        local all = {}
        for byte = 0x80, 0xFF do all[#all + 1] = string.char(byte, 32) end
        local evil = table.concat(all)
        rac.command{name = "fail", run = function() error("reason " .. evil, 0) end}
        rac.command{name = "told", run = function() rac.log.warn("told " .. evil) end}
        rac.command{name = "captured", run = function()
          return rac.sh("printf 'why \\233 \\377\\n' >&2; exit 1", {stderr = "capture"})
        end}
        """#)
    let run = await shell(
      #"""
      raclette run fail; raclette run told; raclette run --journal j.db captured
      raclette run $'no\x9b2J'; raclette history --journal j.db; raclette run -f $'no\xff.lua' x
      """#, in: folder)
    let text = run.output + run.errors
    // What is not UTF-8 was repaired when it was read.
    #expect(!text.contains("\u{FFFD}"), "\(text)")
    for shown in [
      #"reason \x80 \x81 "#, #"told \x80 "#, #"\xfe \xff"#, #"why \x9b \xff"#, #"no\x9b2J"#,
      #"no\xff.lua"#,
    ] {
      #expect(text.contains(shown), "\(shown) in \(text)")
    }
  }

  @Test func aPlanIsShown() async {
    let plan = await raclette("run", "--dry-run", "ask", in: folder())
    #expect(plan.status == 0, "\(plan)")
    expectNothingRaw(plan.output)
  }

  @Test func jsonSaysTheSameWithoutThem() async {
    for arguments in [["list", "--json"], ["show", "ask", "--json"]] {
      let folder = folder()
      let launch = Launch(arguments: arguments, folder: folder.path)
      let outcome = await onThread { Running(launch).finish() }
      #expect(outcome.output.contains(#"\u007f\u009b2J\u202e"#), "\(outcome)")
      #expect(!outcome.output.unicodeScalars.contains { (127..<160).contains($0.value) })
    }
  }

  @Test func valuesAreBytes() async {
    let outcome = await raclette("run", "value", in: folder())
    #expect(
      outcome.output == "\u{1B}[2J\u{7}\r\u{7F}\u{9B}2J\u{202E}\u{1B}]0;title\u{7}\n", "\(outcome)")
  }

  @Test func theHistoryIsShown() async {
    let escapes = #"\u001b[2J\u0007\r\u007f\u009b2J\u202e\u001b]0;title\u0007"#
    let place = BatchFolder(
      """
      rac.command{name = "fail", run = function(input) error(input, 0) end}
      rac.command{name = "a\\27[2Jb", run = function() end}
      """,
      plan: [
        #"{"command": "fail", "input": "\#(escapes)", "id": "\#(escapes)"}"#,
        #"{"command": "a\u001b[2Jb"}"#,
        #"{"script": "\#(escapes).lua"}"#,
      ])
    let batch = await place.batch("plan.jsonl", "--journal", "j.db", "--color", "never")
    expectShown(batch.errors)
    expectShown(await raclette("history", "--journal", "j.db", in: place.folder).output)
    // There is little room for names.
    let timeline = await raclette("timeline", "--journal", "j.db", in: place.folder)
    #expect(timeline.output.contains(#"\e[2J"#), "\(timeline)")
    expectNothingRaw(timeline.output)
    let replay = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    expectShown(replay.errors)
  }
}
