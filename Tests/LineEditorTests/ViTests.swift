import LineEditor
import Testing

@Suite struct ViTests {
  @Test(arguments: [
    ("hello world", "b", "x", "hello orld"), ("hello world", "0", "dw", "world"),
    ("hello world", "0", "cwbye\u{1B}", "bye world"), ("hello world", "", "D", "hello worl"),
    ("one two three", "0", "2dw", "three"), ("one two three", "0", "d2w", "three"),
    ("f(a, b)", "0", "d%", ""), ("f(a, b)", "0f(", "ci)", "f()"), ("a.b.c", "0", "f.D", "a"),
    ("a.b.c", "0", "t.x", ".b.c"), ("abc", "0", "rx", "xbc"), ("abc", "0", "~~", "ABc"),
    ("abc", "0", "xp", "bac"), ("abc", "0", "x.", "c"), ("abc", "0", "xu", "abc"),
    ("abc", "", "I1\u{1B}A2\u{1B}", "1abc2"), ("one two", "", "dd", ""), ("x", "", "yyp", "x\nx"),
    ("one two", "0", "yw$p", "one twoone "), ("a b c", "0", "f ;D", "a b"), ("abc", "0", "3x", ""),
    ("a foo", "0", "cwx\u{1B}", "x foo"), ("a.b foo", "0", "cWx\u{1B}", "x foo"),
    ("one two six", "0", "2cwx\u{1B}", "x six"), ("a b c", "0", "dwu.", "b c"),
  ])
  func normalModeCommands(text: String, motion: String, keys: String, result: String) {
    let editor = EditorScreen()
    editor.editor.hasViKeys = true
    editor.type(text)
    editor.press("Escape")
    editor.type(motion)
    for part in keys.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated() {
      if part.offset > 0 { editor.press("Escape") }
      editor.type(String(part.element))
    }
    #expect(editor.editor.buffer.text == result)
  }

  @Test(arguments: [
    ("world foo", "0", "ciwx\u{1B}", "x foo"), ("world foo", "0", "daw", "foo"),
    ("one two", "", "daw", "one"), ("one two", "0fe", "diw", " two"), ("a  b", "0l", "diw", "ab"),
    ("a  b c", "0l", "daw", "a c"), ("one two six", "0", "d2aw", "six"),
    ("one two six", "0", "3diw", " six"), ("a.b c", "0", "ciWx\u{1B}", "x c"),
    ("a.b c", "0", "ciwx\u{1B}", "x.b c"), ("x = \"a b\"", "0", "ci\"c\u{1B}", "x = \"c\""),
    ("x = \"a b\" .. y", "0", "da\"", "x = .. y"), ("f(\"a\")", "0", "da\"", "f()"),
    ("f('a', 'b')", "0fbi\u{1B}", "ci'c\u{1B}", "f('a', 'c')"),
    (#"f("a\"b")"#, "0fa", "di\"", #"f("")"#), ("f(a, b)", "0fa", "di(", "f()"),
    ("f(a, g(b))", "0fb", "dib", "f(a, g())"), ("f(a, g(b))", "0fb", "2dib", "f()"),
    ("f(a, g(b))", "0f)", "dab", "f(a, g)"), ("{a = {1}}", "0f1", "daB", "{a = }"),
    ("t[1]", "0f1", "ca]x\u{1B}", "tx"), ("f(a)", "0", "di(", "f(a)"),
    ("one two", "0", "yiwP", "oneone two"), ("one two", "0", "diw.", "two"),
    ("a b", "0", "ci\u{1B}x", " b"), ("a b", "0", "dizx", " b"),
  ])
  func textObjects(text: String, motion: String, keys: String, result: String) {
    normalModeCommands(text: text, motion: motion, keys: keys, result: result)
  }

  @Test func enterGivesTheEntryInBothModes() {
    let editor = EditorScreen()
    editor.editor.hasViKeys = true
    editor.type("one\r")
    editor.type("two")
    editor.press("Escape Enter")
    #expect(editor.entries == ["one", "two"])
  }

  @Test func escapeAndALetterAtOnceAreTwoKeys() {
    let editor = EditorScreen()
    editor.editor.hasViKeys = true
    editor.type("one two\u{1B}bcwthree\u{1B}x")
    #expect(editor.editor.buffer.text == "one thre")
  }

  /// `dd` removes the word that the key inserted, and with it the range that the key replaces.
  @Test func aKeyOfEmacsKnowsThatAViCommandCameBetween() {
    let editor = EditorScreen(history: ["one two"])
    editor.editor.hasViKeys = true
    editor.editor.keymap.bind([.control("o")], to: .command(.yankLastArgument))
    editor.press("C-o Escape")
    editor.type("ddi")
    editor.press("C-o")
    #expect(editor.editor.buffer.text == "two")
  }

  @Test func kWalksThroughTheHistory() {
    let editor = EditorScreen(history: ["one", "two"])
    editor.editor.hasViKeys = true
    editor.press("Escape")
    editor.type("kk")
    #expect(editor.editor.buffer.text == "one")
  }
}
