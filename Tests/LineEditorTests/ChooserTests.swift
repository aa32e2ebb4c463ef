import Testing

@testable import LineEditor

@Suite("A chooser") struct ChooserTests {
  private let items = ["build", "deploy:site", "docs", "test:unit"].map {
    Chooser.Item(title: $0, detail: "does \($0)")
  }

  private func outcome(_ keys: String...) -> Chooser.Outcome {
    var chooser = Chooser(items)
    for name in keys {
      let event = Key(named: name).map { InputEvent.key($0) } ?? .text(name)
      let outcome = chooser.handle(event)
      if outcome != .pending { return outcome }
    }
    return .pending
  }

  @Test func movesByKeysAndStopsAtTheEnds() {
    #expect(outcome("Enter") == .chosen(0))
    #expect(outcome("Down", "Enter") == .chosen(1))
    #expect(outcome("Down", "C-n", "Tab", "Down", "Enter") == .chosen(3))
    #expect(outcome("Up", "Enter") == .chosen(0))
    #expect(outcome("End", "C-p", "Enter") == .chosen(2))
    #expect(outcome("PageDown", "Home", "Enter") == .chosen(0))
  }

  @Test func leavesByEscapeAndControlC() {
    for key in ["Escape", "C-c", "C-d", "C-g"] { #expect(outcome(key) == .cancelled) }
  }

  @Test func filtersByCharactersInTheirOrder() {
    #expect(outcome("ds", "Enter") == .chosen(1))
    #expect(outcome("d", "o", "c", "Enter") == .chosen(2))
    #expect(outcome("TU", "Enter") == .chosen(3))
    #expect(outcome("xyz", "Enter") == .pending)
    #expect(outcome("xyz", "C-u", "Enter") == .chosen(0))
    #expect(outcome("dox", "Backspace", "Enter") == .chosen(2))
    #expect(outcome("un it", "Enter") == .chosen(3))
  }

  @Test(arguments: [
    ("ds", "deploy:site", true), ("b", "build", true), ("bd", "build", true),
    ("db", "build", false),
    ("", "x", true), ("ß", "straße", true), ("aa", "a", false),
  ])
  func matching(pattern: String, text: String, matches: Bool) {
    #expect((FuzzyMatch(pattern, in: text) != nil) == matches)
  }

  @Test func prefersBeginningsAndNeighbours() throws {
    let start = try #require(FuzzyMatch("st", in: "start"))
    let inside = try #require(FuzzyMatch("st", in: "x:sxt"))
    #expect(start.score > inside.score)
    #expect(try #require(FuzzyMatch("s", in: "test:site")).positions == [5])
  }

  @Test func showsAsManyItemsAsThereIsRoomFor() {
    var chooser = Chooser(items, theme: .monochrome)
    let text = chooser.draw(columns: 20, rows: 4)
    #expect(text.contains("build") && text.contains("deploy:site") && !text.contains("docs"))
    #expect(text.contains("4/4"))
    _ = chooser.handle(.key(Key(.end)))
    #expect(chooser.draw(columns: 20, rows: 4).contains("test:unit"))
  }
}
