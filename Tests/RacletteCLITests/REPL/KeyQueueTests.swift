import Testing

@testable import RacletteCLI

@Suite struct KeyQueueTests {
  private let begin = Array("\u{1B}[200~".utf8)
  private let end = Array("\u{1B}[201~".utf8)

  private func append(_ text: String, to keys: inout KeyQueue) {
    Array(text.utf8).withUnsafeBytes { keys.append($0) }
  }

  /// Ctrl-C may come between any two keys of the mark.
  @Test(arguments: 0..<6)
  func aPasteIsKnownThoughItsMarkWasTakenInPart(_ count: Int) {
    var keys = KeyQueue()
    append("x\u{1B}[200~print(1)\n", to: &keys)
    for _ in 0...count { _ = keys.next() }
    #expect(keys.endInside(begin, end))
  }

  @Test func aMarkMayComeInPieces() {
    var keys = KeyQueue()
    for piece in ["long before it \u{1B}", "[20", "0~pri"] {
      #expect(!keys.endInside(begin, end))
      while keys.next() != nil {}
      append(piece, to: &keys)
    }
    #expect(keys.endInside(begin, end))
  }

  @Test func aPasteThatIsOverIsNone() {
    var keys = KeyQueue()
    append("\u{1B}[200~a\u{1B}[201~b", to: &keys)
    #expect(!keys.endInside(begin, end))
    for _ in 0..<7 { _ = keys.next() }
    #expect(!keys.endInside(begin, end))
    #expect(keys.next() == "\u{1B}")
  }

  @Test func whatWasTakenIsNotTakenAgain() {
    var keys = KeyQueue()
    append("0123456789abc", to: &keys)
    while keys.next() != nil {}
    append("de", to: &keys)
    #expect(keys.next() == "d")
    keys.prepend("x")
    #expect(keys.next() == "x")
    #expect(keys.next() == "e")
    #expect(keys.isEmpty)
  }
}
