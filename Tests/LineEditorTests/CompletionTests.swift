import LineEditor
import Testing

@Suite struct CompletionTests {
  private func editor() -> EditorScreen {
    let language = SmallLanguage()
    language.words = [
      Completion("filter", kind: "method", detail: "keeps the values that a function accepts"),
      Completion("first", kind: "method", detail: "waits for the first value"),
      Completion("flatten", kind: "method"), Completion("map", kind: "method"),
    ]
    return EditorScreen(language: language)
  }

  @Test func theOnlyWayToGoOnIsInserted() {
    let editor = editor()
    editor.type("m\t")
    #expect(editor.editor.buffer.text == "map")
  }

  @Test func whatAllHaveInCommonIsInserted() {
    let editor = editor()
    editor.language.words.removeAll { $0.text == "flatten" }
    editor.type("f\t")
    #expect(editor.editor.buffer.text == "fi")
    #expect(editor.screen.lines.first == "> fi")
    #expect(editor.screen.lines.dropFirst().map { $0.prefix(7) } == [" filter", " first "])
    editor.press("Escape")
    #expect(editor.screen.lines == ["> fi"])
  }

  @Test func enterExecutesWhatWasTypedUntilAWordIsChosen() {
    let editor = editor()
    editor.type("f\t")
    editor.press("Enter")
    #expect(editor.entries == ["f"])
  }

  @Test func theMenuShowsKindsAndDocumentation() {
    let editor = editor()
    editor.type("f\t")
    #expect(editor.screen.lines.first == "> f")
    editor.type("\t")
    #expect(
      editor.screen.lines == [
        "> filter", " filter   method  keeps the values th…",
        " first    method  waits for the first…",
        " flatten  method",
      ], "\(editor.screen.lines)")
    #expect(editor.screen.isSelected("filter "))
  }

  @Test func tabGoesThroughTheMenuAndEnterTakes() {
    let editor = editor()
    editor.type("f\t\t\t")
    #expect(editor.editor.buffer.text == "first")
    editor.press("S-Tab S-Tab")
    #expect(editor.editor.buffer.text == "flatten")
    editor.press("Enter")
    #expect(editor.entries == [])
    #expect(editor.screen.lines == ["> flatten"])
    editor.press("C-_")
    #expect(editor.editor.buffer.text == "f")
  }

  @Test func escapeClosesTheMenuAndBringsBackWhatWasTyped() {
    let editor = editor()
    editor.type("f\t\t\t")
    editor.press("Escape")
    #expect(editor.editor.buffer.text == "f")
    #expect(editor.screen.lines == ["> f"])
  }

  @Test func anotherKeyTakesTheSelectedOneAndActs() {
    let editor = editor()
    editor.type("f\t\t(")
    #expect(editor.editor.buffer.text == "filter(")
  }

  @Test func tabIndentsAtTheStartOfALine() {
    let editor = editor()
    editor.type("\tmap")
    #expect(editor.editor.buffer.text == "  map")
  }

  @Test func hintsStandBelowTheText() {
    let editor = editor()
    editor.language.hints["map("] = "map(f) applies f to each value"
    editor.type("map(")
    #expect(editor.screen.lines == ["> map(", "map(f) applies f to each value"])
    editor.type("x")
    #expect(editor.screen.lines == ["> map(x"])
  }
}
