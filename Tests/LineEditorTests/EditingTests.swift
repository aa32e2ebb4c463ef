import LineEditor
import Testing

@Suite struct EditingTests {
  @Test func typedTextStandsBehindThePrompt() {
    let editor = EditorScreen()
    editor.type("print(1)")
    #expect(editor.screen.lines == ["> print(1)"])
    #expect(editor.screen.cursor == (0, 10))
  }

  @Test(arguments: [
    ("hello world", "C-a", 0), ("hello world", "C-a C-e", 11), ("hello world", "M-b", 6),
    ("hello world", "C-a M-f", 5), ("hello world", "C-b C-b C-f", 10),
    ("hello world", "Home Right", 1), ("hello world", "C-Left C-Left C-Right", 5),
    ("a_b.c", "M-b M-b", 0), ("x", "Left Left Left", 0), ("x", "Right Right", 1),
  ])
  func keysMoveTheCursor(text: String, keys: String, cursor: Int) {
    let editor = EditorScreen()
    editor.type(text)
    editor.press(keys)
    #expect(editor.editor.buffer.cursor == cursor)
    #expect(editor.screen.cursor.column == cursor + 2)
  }

  @Test(arguments: [
    ("hello world", "C-w", "hello "), ("hello world", "C-a C-k", ""),
    ("hello world", "C-u", ""), ("hello world", "C-a M-d", " world"),
    ("hello world", "M-Backspace", "hello "), ("hello world", "C-w C-w C-y", "hello world"),
    ("hello world", "C-a M-d C-e C-y", " worldhello"),
    ("one two", "C-w C-a C-k C-y M-y", "two"), ("abc", "C-t", "acb"),
    ("one two", "M-t", "two one"), ("hello", "C-a M-u", "HELLO"), ("HELLO", "C-a M-l", "hello"),
    ("hello", "C-a M-c", "Hello"), ("abc", "Backspace Backspace", "a"), ("abc", "C-a Delete", "bc"),
    ("abc", "C-a C-d", "bc"), ("abc", "C-h", "ab"),
  ])
  func keysChangeTheText(text: String, keys: String, result: String) {
    let editor = EditorScreen()
    editor.type(text)
    editor.press(keys)
    #expect(editor.editor.buffer.text == result)
    #expect(editor.screen.lines == [result.isEmpty ? ">" : "> \(result)".trimmed])
  }

  @Test func typedCharactersAreUndoneWordByWord() {
    let editor = EditorScreen()
    editor.type("one two")
    editor.press("C-_")
    #expect(editor.editor.buffer.text == "one ")
    editor.press("C-x C-u")
    #expect(editor.editor.buffer.text == "")
    editor.press("M-_")
    editor.press("C-x C-r")
    #expect(editor.editor.buffer.text == "one two")
  }

  @Test func undoBringsBackWhatWasCutAndAnEditAfterItEndsRedo() {
    let editor = EditorScreen()
    editor.type("abc def")
    editor.press("C-w C-_")
    #expect(editor.editor.buffer.text == "abc def")
    editor.type("!")
    editor.press("M-_")
    #expect(editor.editor.buffer.text == "abc def!")
    #expect(editor.outcomes == [.beep])
  }

  @Test func quotedInsertTakesTheNextKeyAsText() {
    let editor = EditorScreen()
    editor.press("C-v Tab")
    #expect(editor.editor.buffer.text == "\t")
    editor.press("C-q C-a")
    #expect(editor.editor.buffer.text == "\t\u{1}")
    #expect(editor.screen.text.contains("^A"))
  }

  @Test func altDotBringsTheLastWordsOfEarlierEntries() {
    let editor = EditorScreen(history: ["list one", "show two"])
    editor.type("x ")
    editor.press("M-.")
    #expect(editor.editor.buffer.text == "x two")
    editor.press("M-.")
    #expect(editor.editor.buffer.text == "x one")
  }

  @Test func controlDEndsOnlyAnEmptyEntry() {
    let editor = EditorScreen()
    editor.type("ab")
    editor.press("C-d")
    #expect(editor.outcomes == [])
    editor.press("C-a C-d C-d C-d")
    #expect(editor.outcomes == [.end])
  }

  @Test func unknownKeysNeverBecomeText() {
    let editor = EditorScreen()
    editor.type("a\u{1B}[99~\u{1B}[1;9Zb\u{1B}[?1;2c\u{1B}]0;title\u{07}\u{1B}[200;300Xc")
    #expect(editor.editor.buffer.text == "abc")
  }

  @Test func ownBindingsAreTold() {
    let editor = EditorScreen()
    editor.editor.keymap.bind([.control("t")], to: .custom("swap"))
    editor.editor.keymap.bind(Key.sequence(named: "C-x C-z") ?? [], to: .custom("sleep"))
    editor.press("C-t C-x C-z")
    #expect(editor.outcomes == [.custom("swap"), .custom("sleep")])
  }
}

extension String {
  var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
