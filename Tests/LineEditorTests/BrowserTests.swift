import Testing

@testable import LineEditor

@Suite("A browser") struct BrowserTests {
  private let items = ["db", "web"].map {
    Browser.Item(title: $0, detail: "ready", style: .string)
  }

  /// What keys lead to in a browser with 20 lines, whose screen has room for 6 of them.
  private func browser(_ keys: String...) -> (browser: Browser, outcome: Browser.Outcome) {
    var browser = Browser(items)
    browser.setText((1...20).map { "line \($0)\n" }.joined())
    _ = browser.draw(columns: 40, rows: 10)
    var outcome = Browser.Outcome.done
    for name in keys { outcome = browser.handle(Key(named: name).map { .key($0) } ?? .text(name)) }
    return (browser, outcome)
  }

  @Test func selectsByTabArrowsAndDigits() {
    #expect(browser("Tab").browser.selected == 1)
    #expect(browser("Tab", "Tab").browser.selected == 0)
    #expect(browser("S-Tab").browser.selected == 1)
    #expect(browser("Right", "Left").browser.selected == 0)
    #expect(browser("2").browser.selected == 1)
    #expect(browser("2").outcome == .selected)
    #expect(browser("3").outcome == .done)
  }

  @Test func leavesByQAndControlC() {
    for key in ["q", "C-c", "C-d"] { #expect(browser(key).outcome == .left) }
    #expect(browser("x").outcome == .done)
  }

  @Test func followsUntilItIsScrolledUp() {
    #expect(browser().browser.isFollowing)
    for key in ["Up", "PageUp", "Home"] { #expect(!browser(key).browser.isFollowing) }
    for key in ["Down", "PageDown", "End"] { #expect(browser("Up", key).browser.isFollowing) }
    #expect(!browser("Home", "PageDown").browser.isFollowing)
    #expect(browser("Home", "End").browser.isFollowing)
  }
}

@Suite("The text of a browser") struct TextViewTests {
  private func view(_ count: Int) -> TextView {
    var view = TextView()
    view.append((1...count).map { "\($0)\n" }.joined())
    return view
  }

  @Test func showsItsEnd() {
    #expect(view(5).visible(rows: 3, width: 10) == ["3", "4", "5"])
    #expect(view(2).visible(rows: 3, width: 10) == ["1", "2"])
    #expect(TextView().visible(rows: 3, width: 10) == [])
  }

  @Test func staysWhereItIsWhileLinesCome() {
    var text = view(9)
    text.scroll(by: -2, rows: 3, width: 10)
    #expect(text.visible(rows: 3, width: 10) == ["5", "6", "7"])
    text.append("10\n11\n")
    #expect(text.visible(rows: 3, width: 10) == ["5", "6", "7"])
    text.scroll(by: 3, rows: 3, width: 10)
    #expect(!text.isFollowing)
    text.scroll(by: 1, rows: 3, width: 10)
    #expect(text.isFollowing)
    text.append("12\n")
    #expect(text.visible(rows: 3, width: 10) == ["10", "11", "12"])
  }

  @Test func stopsAtTheEnds() {
    var text = view(4)
    text.scroll(by: -100, rows: 3, width: 10)
    #expect(text.visible(rows: 3, width: 10) == ["1", "2", "3"])
    text.scroll(by: 100, rows: 3, width: 10)
    #expect(text.visible(rows: 3, width: 10) == ["2", "3", "4"])
    var short = view(2)
    short.scroll(by: -1, rows: 3, width: 10)
    #expect(short.isFollowing)
  }

  @Test func wrapsLongLines() {
    var text = TextView()
    text.append("abcdefgh\nxy\n")
    #expect(text.visible(rows: 3, width: 3) == ["def", "gh", "xy"])
    text.scroll(by: -1, rows: 3, width: 3)
    #expect(text.visible(rows: 3, width: 3) == ["abc", "def", "gh"])
    // A wide character does not fit into the last column.
    var wide = TextView()
    wide.append("ab漢字")
    #expect(wide.visible(rows: 3, width: 3) == ["ab", "漢", "字"])
  }

  @Test func goesOnWithALineThatIsOpen() {
    var text = TextView()
    for piece in ["on", "e\ntwo", "\n", "", "\r\nfo", "ur"] { text.append(piece) }
    #expect(text.visible(rows: 9, width: 10) == ["one", "two", "", "four"])
  }

  @Test func leavesColoursOutAndShowsControlCharacters() {
    var text = TextView()
    text.append("\u{1B}[31mred\u{1B}[0m\u{7}\ta\n")
    #expect(text.visible(rows: 1, width: 20) == ["red^G   a"])
  }

  @Test func keepsTenThousandLines() {
    var text = view(10_000)
    text.scroll(by: -20_000, rows: 3, width: 10)
    text.append((1...5).map { "new \($0)\n" }.joined())
    #expect(text.visible(rows: 3, width: 10) == ["6", "7", "8"])
    text.follow()
    #expect(text.visible(rows: 2, width: 10) == ["new 4", "new 5"])
  }
}
