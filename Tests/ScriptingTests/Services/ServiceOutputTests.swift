import Testing

@testable import Scripting

@Suite("What services print") struct ServiceOutputTests {
  private let output = ServiceOutput()

  /// The lines that somebody receives who comes now.
  private var kept: [ServiceLine] {
    var lines: [ServiceLine] = []
    _ = output.receive { lines.append($0) }
    return lines
  }

  @Test func onlyTheLatestLinesAreKept() {
    for number in 0..<10_000 { output.add(Array("\(number)".utf8)) }
    #expect((200...400).contains(kept.count))
    #expect(kept.last == ServiceLine(Array("9999".utf8), isError: false))
    #expect(output.lastLines == (9_990..<10_000).map(String.init))
  }

  @Test func longLinesAreKeptUpToASize() {
    let line = [UInt8](repeating: 0x78, count: 10_000)
    for _ in 0..<1_000 { output.add(line) }
    #expect(kept.count >= 6)
    #expect(kept.reduce(0) { $0 + $1.bytes.count } <= 128 << 10)
  }

  @Test func aLineOfErrorsWithoutAnEndIsCut() {
    let piece = [UInt8](repeating: 0x78, count: 1 << 16)
    for _ in 0..<100 { piece.withUnsafeBytes { output.addErrors($0) } }
    #expect(kept.allSatisfy { $0.bytes.count <= 64 << 10 })
    #expect(kept.reduce(0) { $0 + $1.bytes.count } <= 128 << 10)
  }
}
