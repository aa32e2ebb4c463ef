import LineEditor
import Testing

/// Entries of several lines.
@Suite struct EntryTests {
  @Test func enterBreaksTheLineOfWhatIsNotComplete() {
    let editor = EditorScreen()
    editor.type("do\rx\rend\r")
    #expect(editor.entries == ["do\n  x\nend"])
    #expect(editor.screen.lines == ["> do", ".   x", ". end", ">"])
  }

  @Test func enterBreaksTheLineInFrontOfText() {
    let editor = EditorScreen()
    editor.type("do\rx\rend")
    editor.press("Up Enter")
    #expect(editor.entries == [])
    editor.press("M->")
    editor.press("Enter")
    #expect(editor.entries.count == 1)
  }

  @Test(arguments: ["Left", "C-a"])
  func enterAnywhereInTheLastLineGivesTheEntry(_ key: String) {
    let editor = EditorScreen()
    editor.type("do\rx\rend")
    editor.press("\(key) Enter")
    #expect(editor.entries == ["do\n  x\nend"])
  }

  @Test func enterAnywhereInAnEntryOfOneLineGivesIt() {
    let editor = EditorScreen()
    editor.type("hello")
    editor.press("C-a Enter")
    #expect(editor.entries == ["hello"])
    #expect(editor.screen.lines == ["> hello", ">"])
  }

  @Test func aLineBreakInsideAStringLeavesItsSpaces() {
    let editor = EditorScreen()
    editor.type("do \"a   b\"")
    editor.press("Left Left Left M-Enter")
    #expect(editor.editor.buffer.text == "do \"a  \n b\"")
  }

  @Test func altEnterAlwaysBreaksTheLine() {
    let editor = EditorScreen()
    editor.type("a\u{1B}\rb\r")
    #expect(editor.entries == ["a\nb"])
  }

  @Test func upAndDownMoveInsideTheEntryAndKeepTheColumn() {
    let editor = EditorScreen(history: ["earlier"])
    editor.paste("long line here\nab\nanother line")
    editor.press("Up")
    #expect(editor.screen.cursor == (1, 4))
    editor.press("Up")
    #expect(editor.screen.cursor == (0, 14))
    editor.press("Down Down")
    #expect(editor.screen.cursor == (2, 14))
    editor.press("Up Up Up")
    #expect(editor.editor.buffer.text == "earlier" || editor.outcomes == [.beep])
  }

  @Test func altEnterBreaksTheLineAlsoAsATerminalPassesItOnThatEditsLines() {
    let editor = EditorScreen()
    editor.type(bytes: Array("one\u{1B}\rtwo\u{1B}\nthree".utf8))
    #expect(editor.editor.buffer.text == "one\ntwo\nthree")
  }

  @Test func aPasteIsOneEditableEntryThatEnterGives() {
    let editor = EditorScreen()
    editor.type("\u{1B}[200~one\r\ntwo\u{7}\u{1B}[1m\nthree\n\u{1B}[201~")
    #expect(editor.entries == [])
    #expect(editor.editor.buffer.text == "one\ntwo[1m\nthree")
    editor.press("C-_")
    #expect(editor.editor.buffer.text == "")
    editor.press("M-_ Enter")
    #expect(editor.entries == ["one\ntwo[1m\nthree"])
  }

  @Test func theEndOfABlockMovesToTheLeft() {
    let editor = EditorScreen()
    editor.type("do\rdo\rx\rend\rend")
    #expect(editor.editor.buffer.text == "do\n  do\n    x\n  end\nend")
  }

  @Test func anEntryLongerThanTheScreenShowsThePartAroundTheCursor() {
    let editor = EditorScreen(rows: 5, columns: 20)
    editor.paste((1...30).map { "line \($0)" }.joined(separator: "\n"))
    #expect(editor.screen.lines.last == ". line 30")
    #expect(editor.screen.lines.count == 5)
    editor.press("M-<")
    #expect(editor.screen.lines.first == "> line 1")
    #expect(editor.screen.cursor == (0, 2))
    editor.press("M-> Enter")
    #expect(editor.entries.first?.hasSuffix("line 30") == true)
    #expect(editor.screen.lines.suffix(3) == [". line 29", ". line 30", ">"])
  }
}
