import Testing

@testable import EventLoop

@Suite struct ErrorTailTests {
  private func tail(of chunks: [String]) -> String {
    var tail = ErrorTail()
    for chunk in chunks {
      Array(chunk.utf8).withUnsafeBytes { tail.append($0) }
    }
    return String(decoding: tail.contents(), as: UTF8.self)
  }

  @Test func aShortStreamIsKeptWhole() {
    #expect(tail(of: []) == "")
    #expect(tail(of: ["a\n", "b"]) == "a\nb")
  }

  @Test func twentyLinesCountWithAndWithoutAFinalNewline() {
    let lines = (1...30).map { "line \($0)" }
    let expected = (11...30).map { "line \($0)" }.joined(separator: "\n")
    #expect(tail(of: [lines.joined(separator: "\n")]) == expected)
    #expect(tail(of: lines.map { $0 + "\n" }) == expected + "\n")
  }

  @Test(arguments: [1, 100, 8_191, 8_192, 8_193, 20_000, 100_000])
  func neverMoreThanEightKibibytesWhateverTheChunks(size: Int) {
    let text = String(repeating: "x", count: 50_000)
    var chunks: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
      chunks.append(String(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    #expect(tail(of: chunks) == String(repeating: "x", count: 8_192))
  }

  @Test func aLineThatLostItsBeginningIsLeftOut() {
    let long = String(repeating: "y", count: 9_000)
    #expect(tail(of: [long + "\nshort\n"]) == "short\n")
  }

  @Test func aLineThatBeginsAtTheCutIsKept() {
    let line = String(repeating: "z", count: 8_191) + "\n"
    #expect(tail(of: ["gone\n" + line]) == line)
  }
}
