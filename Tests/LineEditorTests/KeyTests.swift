import LineEditor
import Testing

@Suite struct KeyTests {
  private func events(_ text: String, escapeIsKey: Bool = false) -> [InputEvent] {
    var decoder = KeyDecoder()
    decoder.feed(Array(text.utf8))
    var events: [InputEvent] = []
    while let event = decoder.next(escapeIsKey: escapeIsKey) { events.append(event) }
    return events
  }

  @Test(arguments: [
    ("\u{1B}[A", "Up"), ("\u{1B}OA", "Up"), ("\u{1B}[1;5C", "C-Right"), ("\u{1B}[1;3D", "M-Left"),
    ("\u{1B}[H", "Home"), ("\u{1B}[1~", "Home"), ("\u{1B}[7~", "Home"), ("\u{1B}OF", "End"),
    ("\u{1B}[3~", "Delete"), ("\u{1B}[3;5~", "C-Delete"), ("\u{1B}[Z", "S-Tab"), ("\t", "Tab"),
    ("\r", "Enter"), ("\n", "C-j"), ("\u{7F}", "Backspace"), ("\u{8}", "C-h"), ("\u{1}", "C-a"),
    ("\u{1F}", "C-_"), ("\u{1B}f", "M-f"), ("\u{1B}\r", "M-Enter"), ("\u{1B}\u{7F}", "M-Backspace"),
    ("\u{1B}[15~", "F5"), ("\u{1B}OP", "F1"), ("\u{1B}[27;2;13~", "S-Enter"),
    ("\u{1B}[13;2u", "S-Enter"),
    ("\u{1B}[97;5u", "C-a"), ("ä", "ä"), ("漢", "漢"), ("\u{1B}ä", "M-ä"), ("\u{1B}[5~", "PageUp"),
  ])
  func sequencesAreKeys(bytes: String, name: String) {
    #expect(events(bytes) == [.key(Key(named: name) ?? Key(.escape))], "\(name)")
  }

  @Test func anEscapeWaitsForMoreUntilItIsAKey() {
    var decoder = KeyDecoder()
    decoder.feed([0x1B])
    #expect(decoder.next() == nil)
    #expect(decoder.hasPendingEscape)
    #expect(decoder.next(escapeIsKey: true) == .key(Key(.escape)))
    decoder.feed([0x1B])
    #expect(decoder.next() == nil)
    decoder.feed(Array("[A".utf8))
    #expect(decoder.next() == .key(Key(.up)))
  }

  @Test func bytesThatComeOneByOneAreTheSameEvents() {
    let text = "a\u{1B}[200~p\u{1B}[Aq\r\u{1B}[201~漢\u{1B}[1;5C"
    var decoder = KeyDecoder()
    var found: [InputEvent] = []
    for byte in text.utf8 {
      decoder.feed([byte])
      while let event = decoder.next() { found.append(event) }
    }
    #expect(found == events(text))
    #expect(found.contains(.paste(Array("p\u{1B}[Aq\r".utf8))))
  }

  @Test func keysWorkAgainAfterAPasteWasAbandoned() {
    var decoder = KeyDecoder()
    decoder.feed(Array("\u{1B}[200~half".utf8))
    #expect(decoder.next() == nil)
    decoder.abandonPaste()
    decoder.feed(Array("x".utf8))
    #expect(decoder.next() == .key(.typed("x")))
  }

  @Test func whatIsNoUTF8IsReplaced() {
    var decoder = KeyDecoder()
    decoder.feed([0xFF, 0xC3, 0x28, 0x61])
    var found: [InputEvent] = []
    while let event = decoder.next() { found.append(event) }
    #expect(
      found == [
        .key(.typed("\u{FFFD}")), .key(.typed("\u{FFFD}")), .key(.typed("(")), .key(.typed("a")),
      ])
  }

  @Test func aDiscardedPasteIsDroppedToItsEnd() {
    var decoder = KeyDecoder()
    decoder.feed(Array("\u{1B}[200~rm -rf".utf8))
    #expect(decoder.next() == nil)
    decoder.discard()
    decoder.feed(Array(" /\r\u{1B}[2".utf8))
    #expect(decoder.next() == nil)
    decoder.feed(Array("01~x".utf8))
    #expect(decoder.next() == .key(.typed("x")))
  }

  /// Ctrl-C may come between any two bytes of the mark, and long after the first of them.
  @Test(arguments: 1...5)
  func aPasteIsDiscardedThoughItsMarkHasComeInPart(_ count: Int) {
    let mark = Array("\u{1B}[200~".utf8)
    var decoder = KeyDecoder()
    decoder.feed(Array("x".utf8) + mark[..<count])
    #expect(decoder.next() == .key(.typed("x")))
    #expect(decoder.next() == nil)
    if count > 2 { #expect(decoder.next(escapeIsKey: true) == nil) }
    decoder.discard()
    decoder.feed(mark[count...] + Array("rm -rf /\r\u{1B}[201~y".utf8))
    #expect(decoder.next() == .key(.typed("y")))
    #expect(decoder.next() == nil)
  }

  @Test func keysBehindADiscardedPasteAreKeys() {
    var decoder = KeyDecoder()
    decoder.feed(Array("\u{1B}[200~a\u{1B}[201~b".utf8))
    decoder.discard()
    decoder.feed(Array("c".utf8))
    #expect(decoder.next() == .key(.typed("c")))
  }

  @Test(arguments: 0..<200)
  func randomBytesNeverStopTheDecoder(seed: Int) {
    var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
    var decoder = KeyDecoder()
    for _ in 0..<20 {
      let chunk = (0..<16).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let byte = UInt8(truncatingIfNeeded: state >> 33)
        return byte < 64 ? 0x1B : byte < 96 ? UInt8(ascii: "[") : byte
      }
      decoder.feed(chunk)
      while decoder.next() != nil {}
    }
    while decoder.next(escapeIsKey: true) != nil {}
    decoder.feed(Array("\u{18}\u{1B}[201~\u{7}ok".utf8))
    var last: InputEvent?
    while let event = decoder.next(escapeIsKey: true) { last = event }
    #expect(last == .key(.typed("k")))
  }
}
