import Platform
import Testing

@Suite struct ExactTextTests {
  @Test("every sequence of bytes survives as text", arguments: 0..<300 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SystemRandomNumberGenerator()
    // What begins, continues and ends characters, those that stand for bytes among them.
    let alphabet: [UInt8] = [
      0x00, 0x0A, 0x41, 0x7F, 0x80, 0x8F, 0xBA, 0xBB, 0xBF, 0xC0, 0xC2, 0xC3, 0xE0, 0xED, 0xA0,
      0xEF,
      0xF0, 0xF4, 0xF5, 0xFE, 0xFF,
    ]
    let bytes = (0..<Int(seed % 40)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
    #expect(String(exactly: bytes).exactBytes == bytes)
    #expect(String(exactly: bytes).withExactBytes { Array($0) } == bytes)
  }

  @Test("each single byte survives, and each pair")
  func pairs() {
    for first in UInt8.min...UInt8.max {
      #expect(String(exactly: [first]).exactBytes == [first])
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        guard String(exactly: bytes).exactBytes != bytes else { continue }
        Issue.record("\(bytes) becomes \(String(exactly: bytes).exactBytes)")
      }
    }
  }

  @Test("UTF-8 is text as it is")
  func text() {
    for text in ["", "plain", "grüße 👩‍👩‍👧 \u{10FFFF}\u{FFFD}"] {
      #expect(String(exactly: text.utf8) == text)
      #expect(!text.keepsBytes)
      #expect(text.repaired == text)
    }
  }

  @Test("characters that stand for bytes are bytes when they come in")
  func standIns() {
    let text = "\u{10FE80}"
    #expect(text.exactBytes == [0x80])
    #expect(String(exactly: text.utf8) != text)
    #expect(String(exactly: text.utf8).exactBytes == Array(text.utf8))
  }

  @Test("other bytes are repaired for formats that are text only")
  func repair() {
    let text = String(exactly: [0x61, 0xFF, 0x62])
    #expect(text.keepsBytes)
    #expect(text.repaired == "a\u{FFFD}b")
  }

  @Test("a path with other bytes reaches the system as it is")
  func paths() throws {
    let folder = String(exactly: Array("/tmp/raclette-\(getpidText())-".utf8) + [0xFF, 0xC3])
    #expect(mkdir(folder, 0o700) == 0)
    defer { rmdir(folder) }
    let file = folder + "/" + String(exactly: [0xFE])
    let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    #expect(names(inFolder: folder) == [String(exactly: [0xFE])])
    #expect(access(file, F_OK) == 0)
    #expect(resolvedPath(file)?.hasSuffix(String(exactly: [0xFE])) == true)
    #expect(unlink(file) == 0)
    #expect(access(file, F_OK) != 0)
  }

  @Test("a word is cut at an ASCII character that a combining one follows")
  func cuts() {
    let word = "name=\u{301}value"
    #expect(word.cut(atFirst: "=")?.before == "name")
    #expect(word.cut(atFirst: "=")?.after.unicodeScalars.first == "\u{301}")
    #expect("a/b/c".cut(atLast: "/")?.before == "a/b")
    #expect("abc".cut(atLast: "/") == nil)
  }
}
