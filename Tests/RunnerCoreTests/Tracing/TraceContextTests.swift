import Testing

@testable import RunnerCore

@Suite("a place in a trace")
struct TraceContextTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let span = "b7ad6b7169203331"

  @Test("is read as the W3C's Trace Context has it, and written as it was read")
  func reading() throws {
    for flags in ["01", "00"] {
      let text = "00-\(Self.trace)-\(Self.span)-\(flags)"
      let context = try #require(TraceContext(text))
      #expect(context.trace == Self.trace)
      #expect(context.span == Self.span)
      #expect(context.isSampled == (flags == "01"))
      #expect(context.text == text)
    }
  }

  @Test("of a later version may have more fields, of which the first four count")
  func later() throws {
    let context = try #require(TraceContext("cc-\(Self.trace)-\(Self.span)-09-more"))
    #expect(context.text == "00-\(Self.trace)-\(Self.span)-01")
  }

  @Test(
    "is none in a text of another form",
    arguments: [
      "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
      "00-\(trace)-\(span)-0g", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)0-\(span)-01", "00-\(trace)-\(span)0-01",
      "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
    ])
  func refused(text: String) {
    #expect(TraceContext(text) == nil)
  }

  @Test("of its own making is one that others read, each time another")
  func made() throws {
    var numbers = SpanNumbers()
    let made = (0..<1_000).map { _ in TraceContext(&numbers) }
    for context in made { #expect(TraceContext(context.text) == context) }
    #expect(Set(made.map(\.trace)).count == made.count)
    #expect(Set(made.map(\.span)).count == made.count)
  }
}
