import ReactiveTesting
import Testing

@Suite("Marble diagrams")
struct MarbleDiagramTests {
  @Test("Each mark takes one frame and spaces none")
  func frames() throws {
    let diagram = try MarbleDiagram("- a - 'bc' |")
    #expect(diagram.frames == [[], [.value("a")], [], [.value("bc")], [.completed]])
  }

  @Test("A group is one frame with its marks in order")
  func groups() throws {
    let diagram = try MarbleDiagram("(^a b)-(c#)")
    #expect(
      diagram.frames == [
        [.subscription, .value("a"), .value("b")], [], [.value("c"), .error],
      ])
  }

  @Test(
    "The text of a diagram reads as the same diagram",
    arguments: [
      "-a-b|", "--^-a--!", "(ab)-#", "'text'-'-'|", "''|", "",
    ])
  func roundTrip(text: String) throws {
    #expect(try MarbleDiagram(text).description == text)
  }

  @Test("Empty frames at the end and a subscription in the first frame make no difference")
  func equality() throws {
    #expect(try MarbleDiagram("-a--") == MarbleDiagram("^a"))
    #expect(try MarbleDiagram("-a") != MarbleDiagram("--a"))
    #expect(try MarbleDiagram("-(ab)") != MarbleDiagram("-(ba)"))
  }

  @Test(
    "A diagram that cannot be read names the position",
    arguments: [
      ("-(ab", MarbleSyntaxError.Problem.openGroup, 1),
      ("-a)", .unopenedGroup, 2),
      ("-(a(b))", .nestedGroup, 3),
      ("-(a-b)", .frameInGroup, 3),
      ("- 'ab", .openQuote, 2),
      ("-a|-b", .eventAfterEnd, 4),
      ("-(#a)", .eventAfterEnd, 3),
      ("^-^", .repeatedMark, 2),
      ("(!!)", .repeatedMark, 2),
    ])
  func problems(text: String, problem: MarbleSyntaxError.Problem, position: Int) {
    #expect(throws: MarbleSyntaxError(problem: problem, text: text, position: position)) {
      try MarbleDiagram(text)
    }
  }

  @Test("The message of a problem points at it")
  func message() {
    let error = #expect(throws: MarbleSyntaxError.self) { try MarbleDiagram("-a|-b") }
    #expect(
      error?.description == """
        an event after the end of the stream, at position 4:
          -a|-b
              ^
        """)
  }

  @Test("A mismatch shows both diagrams, frame below frame, and what differs")
  func mismatch() throws {
    let error = MarbleMismatch(
      expected: try MarbleDiagram("-a-(bc)-|"), actual: try MarbleDiagram("-a-b-d|"),
      violations: [])
    #expect(
      error.description == """
        the signal did not send what was expected
          expected: -a-(bc)-|-
          actual:   -a-b   -d|
                       ~~~~ ~~
        """)
  }
}
