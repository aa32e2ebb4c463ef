import LineEditor
import Testing

@Suite struct ScreenTests {
  @Test func wordsHaveTheirColours() {
    let editor = EditorScreen()
    editor.type("do x end")
    #expect(editor.screen.color(of: "do") == 5)
    #expect(editor.screen.color(of: "x") == nil)
    #expect(editor.screen.color(of: "end") == 5)
  }

  @Test func aTextOfAnyWidthIsWrapped() {
    let editor = EditorScreen(rows: 10, columns: 10)
    editor.type("abcdefghijkl")
    #expect(editor.screen.lines == ["> abcdefgh", "ijkl"])
    #expect(editor.screen.cursor == (1, 4))
    editor.press("C-a")
    editor.type("12")
    #expect(editor.screen.lines == ["> 12abcdef", "ghijkl"])
    editor.press("C-e Backspace Backspace Backspace Backspace Backspace Backspace")
    #expect(editor.screen.lines == ["> 12abcdef"])
  }

  @Test func wideCharactersAreNeverSplit() {
    let editor = EditorScreen(rows: 5, columns: 10)
    editor.type("abcdefg漢字")
    #expect(editor.screen.lines == ["> abcdefg", "漢字"])
    editor.press("Left Backspace")
    #expect(editor.screen.lines == ["> abcdefg", "字"] || editor.screen.lines == ["> abcdefg字"])
    #expect(editor.editor.buffer.text == "abcdefg字")
  }

  @Test func aFamilyOfEmojiIsOneCharacter() {
    let editor = EditorScreen()
    editor.type("a👩‍👩‍👧b")
    #expect(editor.editor.buffer.characters.count == 3)
    #expect(editor.screen.cursor == (0, 6))
    editor.press("Left Backspace")
    #expect(editor.editor.buffer.text == "ab")
    #expect(editor.screen.lines == ["> ab"])
  }

  /// Characters of several parts that each take a column: terminals add them up.
  @Test(arguments: [("กำ", 2), ("क्ष", 2), ("é", 1), ("👩‍👩‍👧", 2), ("🇨🇭", 2), ("👍🏽", 2), ("한", 2)])
  func aCharacterTakesTheColumnsOfItsParts(text: String, width: Int) {
    #expect(text.count == 1)
    #expect(columns(of: text) == width)
  }

  @Test func combiningMarksJoinTheCharacterBefore() {
    let editor = EditorScreen()
    editor.type("e\u{301}x")
    #expect(editor.editor.buffer.characters.count == 2)
    #expect(editor.screen.cursor == (0, 4))
  }

  @Test func outputAboveLeavesTheEntryIntact() {
    let editor = EditorScreen()
    editor.paste("do\nx")
    editor.writeAbove("news 1\r\nnews 2\r\n")
    #expect(editor.screen.lines == ["news 1", "news 2", "> do", ". x"])
    editor.type("!")
    #expect(editor.screen.lines == ["news 1", "news 2", "> do", ". x!"])
  }

  @Test func statusLinesStandAboveThePromptUntilTheEntryIsGiven() {
    let editor = EditorScreen()
    editor.editor.status = ["jobs: 2"]
    editor.type("x")
    #expect(editor.screen.lines == ["jobs: 2", "> x"])
    editor.editor.status = ["jobs: 1", "rate: 5"]
    editor.draw()
    #expect(editor.screen.lines == ["jobs: 1", "rate: 5", "> x"])
    editor.editor.status = []
    editor.type("\r")
    #expect(editor.screen.lines == ["> x", ">"])
  }

  @Test(arguments: [10, 17, 40, 500])
  func anotherWidthShowsTheSameText(columns: Int) {
    let editor = EditorScreen(rows: 12, columns: 30)
    editor.type("one two three four five six seven")
    editor.resize(rows: 12, columns: columns)
    let shown = editor.screen.lines.joined()
    #expect(
      shown.filter { $0 != " " }.hasSuffix(">onetwothreefourfivesixseven"), "\(editor.screen.lines)"
    )
  }

  @Test func aKeyInALongEntryWritesLittle() {
    let editor = EditorScreen(rows: 24, columns: 80)
    editor.paste((1...20).map { "line \($0) of the entry" }.joined(separator: "\n"))
    let before = editor.written
    editor.type("x")
    #expect(editor.written - before < 32)
  }

  /// Whatever is typed, the screen is the one that an editor draws that is given the text at once.
  @Test(arguments: 0..<200)
  func differencesDrawWhatAWholeFrameDraws(seed: Int) {
    var random = Random(seed: UInt64(seed))
    let columns = Int.random(in: 8...40, using: &random)
    let editor = EditorScreen(history: ["do\nx\nend", "漢字 abc"], rows: 8, columns: columns)
    let names = [
      "Left", "Right", "Up", "Down", "C-a", "C-e", "Backspace", "Delete", "C-k", "C-w", "C-y",
      "C-_",
      "M-_", "M-Enter", "M-b", "M-f", "C-t", "C-u", "Tab", "S-Tab", "C-g",
    ]
    let texts = ["a", "do ", "漢", "e\u{301}", "👩‍👩‍👧", "(", ")", "word ", "x\ty"]
    var steps: [String] = []
    for _ in 0..<60 {
      let text = texts.randomElement(using: &random) ?? "a"
      let name = names.randomElement(using: &random) ?? "C-a"
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        editor.paste(text + "\nmore\n")
        steps.append("paste \(text)")
      case ..<6:
        editor.type(text)
        steps.append(text)
      default:
        editor.press(name)
        steps.append(name)
      }
      let lines = editor.screen.lines
      let cursor = editor.screen.cursor
      editor.writeAbove("")
      #expect(editor.screen.lines == lines, "\(columns) columns, \(steps)")
      #expect(editor.screen.cursor == cursor)
      guard editor.screen.lines == lines else { return }
    }
  }
}

private struct Random: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
