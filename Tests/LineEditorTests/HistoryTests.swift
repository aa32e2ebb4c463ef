import LineEditor
import Testing

@Suite struct HistoryTests {
  @Test func upWalksToOlderEntriesAndDownBackToTheDraft() {
    let editor = EditorScreen(history: ["one", "two"])
    editor.press("Up")
    #expect(editor.editor.buffer.text == "two")
    editor.press("Up Up")
    #expect(editor.editor.buffer.text == "one")
    #expect(editor.outcomes == [.beep])
    editor.press("Down Down")
    #expect(editor.editor.buffer.text == "")
  }

  @Test func upFindsEntriesThatBeginWithWhatWasTyped() {
    let editor = EditorScreen(history: ["list all", "show x", "list some", "show y"])
    editor.type("list")
    editor.press("Up")
    #expect(editor.editor.buffer.text == "list some")
    editor.press("Up")
    #expect(editor.editor.buffer.text == "list all")
    editor.press("Down Down")
    #expect(editor.editor.buffer.text == "list")
  }

  @Test func anEditEndsTheWalk() {
    let editor = EditorScreen(history: ["one", "two"])
    editor.press("Up")
    editor.type("!")
    editor.press("Down")
    #expect(editor.editor.buffer.text == "two!")
  }

  @Test func upMovesThroughTheLinesOfAnEarlierEntryFirst() {
    let editor = EditorScreen(history: ["older", "a\nb"])
    editor.press("Up")
    #expect(editor.screen.lines == ["> a", ". b"])
    editor.press("Up")
    #expect(editor.editor.buffer.text == "a\nb")
    editor.press("Up")
    #expect(editor.editor.buffer.text == "older")
  }

  @Test func theLatestEntryThatGoesOnIsSuggestedInGrey() {
    let editor = EditorScreen(history: ["print(1)", "print(22)"])
    editor.type("pr")
    #expect(editor.screen.lines == ["> print(22)"])
    #expect(editor.screen.color(of: "int(22)") == 8)
    #expect(editor.screen.cursor == (0, 4))
    editor.press("Right")
    #expect(editor.editor.buffer.text == "print(22)")
    #expect(editor.screen.color(of: "int(22)") == nil)
  }

  @Test func aWordOfTheSuggestionCanBeTaken() {
    let editor = EditorScreen(history: ["run build release"])
    editor.type("run")
    editor.press("M-f")
    #expect(editor.editor.buffer.text == "run build")
  }

  @Test func aSuggestionIsNotPartOfTheEntry() {
    let editor = EditorScreen(history: ["print(22)"])
    editor.type("print\r")
    #expect(editor.entries == ["print"])
    #expect(editor.screen.lines == ["> print", ">"])
  }

  @Test func controlRSearchesBackAndShowsTheMatch() {
    let editor = EditorScreen(history: ["deploy web", "build all", "deploy db"])
    editor.press("C-r")
    editor.type("dep")
    #expect(editor.screen.lines == ["> deploy db", "search: dep"])
    #expect(editor.screen.isSelected("deploy"))
    editor.press("C-r")
    #expect(editor.screen.lines.first == "> deploy web")
    editor.press("C-s")
    #expect(editor.screen.lines.first == "> deploy db")
    editor.press("Enter")
    #expect(editor.entries == ["deploy db"])
    #expect(editor.screen.lines == ["> deploy db", ">"])
  }

  @Test func enterGivesTheWholeEntryThatWasFound() {
    let editor = EditorScreen(history: ["one\ntwo words\nthree"])
    editor.press("C-r")
    editor.type("wor\r")
    #expect(editor.entries == ["one\ntwo words\nthree"])
  }

  @Test func controlGGivesUpTheSearch() {
    let editor = EditorScreen(history: ["deploy"])
    editor.type("draft")
    editor.press("C-r")
    editor.type("dep")
    editor.press("C-g")
    #expect(editor.editor.buffer.text == "draft")
  }

  @Test func aSearchThatFindsNothingSaysSo() {
    let editor = EditorScreen(history: ["deploy"])
    editor.press("C-r")
    editor.type("depx")
    #expect(editor.screen.lines == ["> deploy", "failed search: depx"])
    editor.press("Backspace")
    #expect(editor.screen.lines == ["> deploy", "search: dep"])
  }

  @Test func otherKeysTakeWhatWasFoundAndAct() {
    let editor = EditorScreen(history: ["deploy web"])
    editor.press("C-r")
    editor.type("dep")
    editor.press("C-e")
    editor.type("!")
    #expect(editor.editor.buffer.text == "deploy web!")
  }
}
