import EventLoop
import Testing

@Suite struct LineSplitterTests {
  private func split(_ chunks: [[UInt8]], limit: Int = .max) -> [[UInt8]] {
    var splitter = LineSplitter(limit: limit)
    var lines: [[UInt8]] = []
    for chunk in chunks {
      chunk.withUnsafeBytes { bytes in splitter.append(bytes) { lines.append(Array($0)) } }
    }
    splitter.finish { lines.append(Array($0)) }
    return lines
  }

  private func split(_ chunks: String..., limit: Int = .max) -> [String] {
    split(chunks.map { Array($0.utf8) }, limit: limit).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The definition, over the whole stream at once.
  private func reference(_ bytes: [UInt8], limit: Int) -> [[UInt8]] {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
    let rest = lines.removeLast()
    var pieces: [[UInt8]] = []
    for var line in lines {
      while line.count > limit {
        pieces.append(Array(line.prefix(limit)))
        line.removeFirst(limit)
      }
      pieces.append(line)
    }
    var tail = rest
    while tail.count > limit {
      pieces.append(Array(tail.prefix(limit)))
      tail.removeFirst(limit)
    }
    if !tail.isEmpty { pieces.append(tail) }
    return pieces
  }

  @Test func aLineEndsWithNewlineAndKeepsItsCarriageReturns() {
    #expect(split("a\nb\r\n\r\n\nc\r\r\n") == ["a", "b\r", "\r", "", "c\r\r"])
  }

  @Test func theLastLineNeedsNoNewlineAndKeepsItsCarriageReturn() {
    #expect(split("a\nb") == ["a", "b"])
    #expect(split("a\r") == ["a\r"])
    #expect(split("a\n") == ["a"])
    #expect(split("") == [])
  }

  @Test func aLineMaySpanChunks() {
    #expect(split("a", "b", "", "c\nd", "\n") == ["abc", "d"])
    #expect(split("a\r", "\nb") == ["a\r", "b"])
  }

  @Test func nulsAndInvalidUTF8AreKept() {
    #expect(split([[0, 255, 10, 192, 10]]) == [[0, 255], [192]])
  }

  @Test func aPieceEndsInFrontOfWhatBelongsTogether() {
    var splitter = LineSplitter(limit: 4) { $0.last == UInt8(ascii: "(") ? 1 : 0 }
    var pieces: [String] = []
    for chunk in ["abc(", "d)ef(gh", ")\n"] {
      Array(chunk.utf8).withUnsafeBytes { bytes in
        splitter.append(bytes) { pieces.append(String(decoding: $0, as: UTF8.self)) }
      }
    }
    #expect(pieces == ["abc", "(d)e", "f(gh", ")"])
  }

  @Test func aLongLineArrivesInPiecesOfTheLimit() {
    #expect(split("abcdefg\nhi\n", limit: 3) == ["abc", "def", "g", "hi"])
    #expect(split("abc\n", limit: 3) == ["abc"])
  }

  @Test func onlyTheLastPieceOfALineEndsIt() {
    var splitter = LineSplitter(limit: 3)
    var joined = ""
    for chunk in ["ab", "cdefg", "\nhi\n"] {
      Array(chunk.utf8).withUnsafeBytes { bytes in
        _ = splitter.append(bytes) { piece in
          joined += String(decoding: piece.bytes, as: UTF8.self) + (piece.endsLine ? "\n" : "")
          return true
        }
      }
    }
    #expect(joined == "abcdefg\nhi\n")
  }

  @Test func aLineInsideOneChunkIsHandedOutWhereItLies() {
    let chunk = Array("one\ntwo\n".utf8)
    var splitter = LineSplitter()
    var offsets: [Int] = []
    chunk.withUnsafeBytes { bytes in
      splitter.append(bytes) { line in
        guard let line = line.baseAddress, let start = bytes.baseAddress else { return }
        offsets.append(line - start)
      }
    }
    #expect(offsets == [0, 4])
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyChunkingGivesTheLinesOfTheWhole(seed: UInt64) {
    var random = SplitMix(state: seed)
    let alphabet: [UInt8] = [10, 10, 13, 0, 65, 66, 255]
    let bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
      alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
    }
    let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 1...9, using: &random)
    var chunks: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(Int.random(in: 0...20, using: &random))
      chunks.append(Array(chunk))
      rest = rest.dropFirst(chunk.count)
    }
    #expect(split(chunks, limit: limit) == reference(bytes, limit: limit))
  }

  @Test("Lines taken in one piece are those that are handed out one by one")
  func wholes() {
    for alphabet in [[10, 65, 66], [10, 13, 65], [65, 66, 67, 68, 69, 70, 10, 0]] as [[UInt8]] {
      for limit in [.max, 6_000] {
        let chunks = (0..<40).map { _ in
          (0..<Int.random(in: 1...9_000)).map { _ in alphabet.randomElement() ?? 0 }
        }
        var splitter = LineSplitter(limit: limit)
        var lines: [[UInt8]] = []
        var wholes = 0
        for chunk in chunks {
          chunk.withUnsafeBytes { bytes in
            if let whole = splitter.appendWhole(bytes) {
              wholes += 1
              #expect(whole.last == 10)
              lines += whole.dropLast().split(separator: 10, omittingEmptySubsequences: false)
                .map(Array.init)
            } else {
              splitter.append(bytes) { lines.append(Array($0)) }
            }
          }
        }
        splitter.finish { lines.append(Array($0)) }
        #expect(lines == reference(chunks.flatMap { $0 }, limit: limit))
        #expect(wholes > 0)
      }
    }
  }
}

/// A small generator, so that a failing seed can be run again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
